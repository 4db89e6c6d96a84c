#!/usr/bin/env python3
"""Methods by inputs, ours beside the reference: the tables of the paper on exact placement.

Every cell is one run of `berth place` on an input of dnn-partitioning, with the same time limit;
reference.csv beside the inputs has the values and seconds of the published program and of others.
Writes Markdown: one table per question. A value that was proven optimal is bold; a bound that was
not reached stands behind its value as a gap.

    make table LIMIT=300 DATA=../shared/data
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import time

CONTIGUOUS = ["ideal-dp", "linear-dp", "pipedream", "throughput-ip"]
ANY = ["throughput-ip", "anneal", "local-search", "scotch", "greedy", "expert", "single-device"]
LATENCY = ["latency-ip", "latency-dp", "anneal", "greedy", "scotch", "expert"]

# Our method, and the beginnings of the names the reference has for it.
REFERENCE = {
    ("maxload", "contiguous", "ideal-dp"): ["DP over ideals"],
    ("maxload", "contiguous", "linear-dp"): ["DP on a linearised graph"],
    ("maxload", "contiguous", "pipedream"): ["PipeDream-style"],
    ("maxload", "contiguous", "throughput-ip"): ["IP"],
    ("maxload", "any", "throughput-ip"): ["IP", "annealing"],
    ("maxload", "any", "local-search"): ["local search"],
    ("maxload", "any", "scotch"): ["Scotch"],
    ("maxload", "any", "expert"): ["human expert"],
    ("maxload", "any", "single-device"): ["one accelerator"],
    ("latency", "any", "latency-ip"): ["latency IP", "CP-SAT", "IP", "latency DP over ideals"],
    ("latency", "any", "greedy"): ["greedy"],
    ("latency", "any", "scotch"): ["Scotch split"],
    ("latency", "any", "expert"): ["human expert"],
}


def read_reference(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def reference_cell(rows, name, objective, mode, method):
    """The best value the reference has for this method, and its seconds."""
    starts = REFERENCE.get((objective, mode, method), [])
    contiguous = mode == "contiguous"
    found = [
        row for row in rows
        if row["input"] == name and row["objective"] == objective and row["value"]
        and (row["mode"] == "contiguous") == contiguous
        and any(row["method"].startswith(start) for start in starts)
    ]
    if not found:
        return ""
    best = min(found, key=lambda row: float(row["value"]))
    text = f"{float(best['value']):.4f}"
    if best["proven_optimal"] == "yes":
        text = f"**{text}**"
    elif best["lower_bound"]:
        text += f" ({100 * (float(best['value']) / float(best['lower_bound']) - 1):.2f} %)"
    return text + (f" in {float(best['seconds']):.2f}" if best["seconds"] else "")


def run_cell(options, path, objective, mode, method):
    command = [options.berth, "place", str(path), "--json", "--method", method,
               "--objective", "latency" if objective == "latency" else "throughput"]
    if mode == "contiguous":
        command.append("--contiguous")
    if method == "expert":
        split = path.parents[2] / "human-experts" / f"{path.stem}_expert.json"
        if not split.exists() or "LayerGraphs" not in str(path):
            return ""
        command[command.index("expert")] = f"expert(file={split})"
    if method not in ("ideal-dp", "linear-dp", "pipedream", "expert", "single-device"):
        command += ["--time-limit", str(options.limit)]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode == 2 and method == "expert":
        return ""  # a split for more accelerators than the input has
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    if not result["feasible"]:
        return "none"
    text = f"{result['value_ms']:.4f}"
    if result["proven_optimal"]:
        text = f"**{text}**"
    elif result["gap"] is not None:
        text += f" ({100 * result['gap']:.2f} %)"
    return f"{text} in {seconds:.2f}"


def table(options, title, folder, objective, mode, methods):
    rows = read_reference(options.data / "reference.csv")
    lines = [f"### {title}", ""]
    header = ["input"]
    for method in methods:
        header.append(f"`{method}`")
        if (objective, mode, method) in REFERENCE:
            header.append("reference")
    lines += ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for path in sorted((options.data / folder).glob("*/*.json")):
        name = str(path.relative_to(options.data))
        if options.only and options.only not in name:
            continue
        cells = [f"{path.parent.name.replace('Graphs', '').lower()} {path.stem.replace('_', ' ')}"]
        for method in methods:
            cells.append(run_cell(options, path, objective, mode, method))
            if (objective, mode, method) in REFERENCE:
                cells.append(reference_cell(rows, name, objective, mode, method))
            print(f"{name} {mode} {method}: {cells[-1]}", file=sys.stderr)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--berth", default="build/release/bin/berth")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("--limit", type=float, default=10, help="seconds per run")
    parser.add_argument("--only", default="", help="inputs whose path has this in it")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="default: standard output")
    options = parser.parse_args()
    options.data = options.data / "dnn-partitioning"
    if not (options.data / "reference.csv").exists():
        sys.exit(f"{options.data}/reference.csv is not there; --data names the folder above")
    version = subprocess.run([options.berth, "--version"], capture_output=True, text=True)
    text = (
        f"Milliseconds, and seconds of the whole run behind \"in\"; bold: proven optimal; in brackets: "
        f"the gap to the proven bound. Time limit {options.limit:g} s per run, "
        f"{version.stdout.strip()}.\n\n"
        + table(options, "Throughput, contiguous pieces", "throughput-inputs", "maxload",
                "contiguous", CONTIGUOUS)
        + "\n"
        + table(options, "Throughput, any assignment", "throughput-inputs", "maxload", "any", ANY)
        + "\n"
        + table(options, "Latency of one sample, one piece per accelerator", "latency-inputs",
                "latency", "any", LATENCY))
    if options.output:
        options.output.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
