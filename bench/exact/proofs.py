#!/usr/bin/env python3
"""Every value that docs/results.md calls proven, proven again by every way there is.

A way is a method that shares little with the others: the dynamic program over ideals, the integer
program with and without presolve and price rows, flows against splits, and the proofs of
reference.csv, which another solver made. The first way has the whole limit; the others have a half
of it and run only where the first has proven something. Writes Markdown; exits 1 when two proofs
differ.

    make proofs LIMIT=300 DATA=../shared/data
"""
import argparse
import json
import pathlib
import subprocess
import sys

from table import read_reference

WAYS = {
    "contiguous": ["ideal-dp", "throughput-ip", "throughput-ip(presolve=false)"],
    "any": ["throughput-ip", "throughput-ip(tighten=false)", "throughput-ip(presolve=false)"],
    "latency": ["latency-ip", "latency-ip(rounds=0)", "latency-ip(presolve=false)"],
}
# Inputs that nobody has proven: left out.
OPEN = {"any": ["layer inceptionv3 inference", "layer inceptionv3 training", "layer resnet50 inference",
                "layer resnet50 training", "operator bert L-12 training", "operator bert l-6 training"],
        "latency": ["layer inceptionv3 inference"], "contiguous": []}
SERVERS = [("LayerGraphs/gnmt_inference", 3, 2), ("LayerGraphs/gnmt_inference", 3, 0.2),
           ("LayerGraphs/gnmt_inference", 2, 1), ("OperatorGraphs/bert_l-6_training", 3, 2),
           ("OperatorGraphs/bert_l-6_training", 3, 0.2), ("OperatorGraphs/bert_l-6_training", 2, 1),
           ("LayerGraphs/inceptionv3_training", 2, 1)]


def run(options, path, mode, spec, limit, extra=()):
    command = [options.berth, "place", str(path), "--json", "--method", spec,
               "--objective", "latency" if mode == "latency" else "throughput", *extra]
    if mode == "contiguous":
        command.append("--contiguous")
    command += ["--time-limit", str(limit)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def reference_proof(rows, name, mode):
    objective = "latency" if mode == "latency" else "maxload"
    for row in rows:
        if (row["input"] == name and row["objective"] == objective and row["proven_optimal"] == "yes"
                and (objective == "latency" or (row["mode"] == "contiguous") == (mode == "contiguous"))):
            return float(row["value"]), row["method"].split(",")[0]
    return None


def check(proofs, name):
    values = [value for value, _ in proofs]
    if values and max(values) > min(values) * (1 + 1e-5):
        print(f"{name}: proofs differ: {proofs}", file=sys.stderr)
        return 1
    return 0


def table(options, rows, mode, files):
    wrong = 0
    print(f"| input | value ms | {' | '.join(f'`{way}`' for way in WAYS[mode])} | reference |")
    print("|---|---:|" + "---|" * (len(WAYS[mode]) + 1))
    for path in files:
        name = str(path.relative_to(options.data))
        label = f"{path.parent.name.replace('Graphs', '').lower()} {path.stem.replace('_', ' ')}"
        if label in OPEN[mode]:
            continue
        cells, proofs, value = [], [], None
        for way in WAYS[mode]:
            if way != WAYS[mode][0] and not proofs:
                cells.append("")
                continue
            record = run(options, path, mode, way, options.limit / (1 if way == WAYS[mode][0] else 2))
            found = record["value_ms"]
            value = found if value is None else min(value, found)
            if record["proven_optimal"]:
                proofs.append((found, way))
                cells.append(f"proven in {record['seconds']:.1f} s")
            else:
                cells.append(f"{found:.6f}, gap {100 * record['gap']:.2f} %")
        reference = reference_proof(rows, name, mode)
        if reference:
            proofs.append(reference)
        if proofs:
            wrong += check(proofs, name)
            print(f"| {label} | {value:.6f} | {' | '.join(cells)} | "
                  f"{f'{reference[0]:.6f}, {reference[1]}' if reference else ''} |", flush=True)
    print()
    return wrong


def server_table(options):
    print("| input | servers | GB/s | `ideal-dp` | `ideal-dp(threads=1,orders=1)` |\n|---|---|---|---|---|")
    wrong = 0
    for name, servers, network in SERVERS:
        path = options.data / "throughput-inputs" / f"{name}.json"
        extra = ["--servers", str(servers), "--network", str(network)]
        records = [run(options, path, "contiguous", way, options.limit, extra)
                   for way in ("ideal-dp", "ideal-dp(threads=1,orders=1)")]
        wrong += check([(r["value_ms"], r["spec"]) for r in records if r["proven_optimal"]], name)
        cells = [f"{r['value_ms']:.6f}" + (f", proven in {r['seconds']:.1f} s" if r["proven_optimal"] else "")
                 for r in records]
        print(f"| {name} | {servers} | {network} | {' | '.join(cells)} |", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", default="build/release/bin/berth")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--only", choices=["contiguous", "any", "latency", "servers"])
    options = parser.parse_args()
    options.data = options.data / "dnn-partitioning"
    rows = read_reference(options.data / "reference.csv")
    wrong = 0
    for mode in ("contiguous", "any", "latency"):
        if options.only in (None, mode):
            folder = "latency-inputs" if mode == "latency" else "throughput-inputs"
            wrong += table(options, rows, mode, sorted((options.data / folder).glob("*/*.json")))
    if options.only in (None, "servers"):
        wrong += server_table(options)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
