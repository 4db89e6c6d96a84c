#!/usr/bin/env python3
"""Runs one case: a text of commands with the output and exit code that each must have.

    Lines before the first command say what the case shows.
    $ berth place diamond.json --method heft
    | expected output, standard output and standard error together,
    | where ... stands for any text within a line
    | ...
    | and, alone on a line, for any number of lines
    ? 1

A command may go on in lines that start with "> ". Without "? N" the exit code must be 0. Each case
runs by bash in a fresh folder that holds a copy of tests/cli/files, with berth on the PATH.
With --update the expectations that do not hold are replaced by what came out; read the diff.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


class Step:
    def __init__(self, command):
        self.command = [command]
        self.expected = []
        self.code = 0


def read_case(path):
    """The lines of introduction, and the steps."""
    introduction, steps = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        elif not steps:
            introduction.append(line)
        elif line.startswith("> "):
            steps[-1].command.append(line[2:])
        elif line == "|" or line.startswith("| "):
            steps[-1].expected.append(line[2:])
        elif line.startswith("? "):
            steps[-1].code = int(line[2:])
        elif line:
            sys.exit(f"{path}:{number}: expected '$ ', '> ', '| ', '? ' or an empty line")
    if not steps:
        sys.exit(f"{path}: no command")
    return introduction, steps


def line_matches(expected, line):
    parts = [re.escape(part) for part in expected.split("...")]
    return re.fullmatch(".*".join(parts), line) is not None


def matches(expected, lines):
    """Whether all lines match, '...' alone standing for any number of lines."""
    reach = {0}  # numbers of lines that the expectations so far may have used up
    for item in expected:
        if item == "...":
            reach = set(range(min(reach), len(lines) + 1)) if reach else set()
        else:
            reach = {at + 1 for at in reach if at < len(lines) and line_matches(item, lines[at])}
    return len(lines) in reach


def kept_where_right(expected, lines):
    """What came out, but with the expected line where it has one that fits, '...' included."""
    loose = [item for item in expected if "..." in item and item != "..."]
    return [next((item for item in loose if line_matches(item, line)), line) for line in lines]


def run_step(step, folder, environment):
    done = subprocess.run(["bash", "-c", "\n".join(step.command)], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    lines = done.stdout.decode(errors="replace").splitlines()
    return [line.rstrip() for line in lines], done.returncode


def write_case(path, introduction, steps):
    text = "\n".join(introduction).rstrip() + "\n"
    for step in steps:
        text += "\n$ " + "\n> ".join(step.command) + "\n"
        text += "".join(f"| {line}".rstrip() + "\n" for line in step.expected)
        text += f"? {step.code}\n" if step.code else ""
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("berth", type=pathlib.Path, help="the program")
    parser.add_argument("cases", type=pathlib.Path, nargs="+")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    wrong = 0
    for path in options.cases:
        introduction, steps = read_case(path)
        with tempfile.TemporaryDirectory(prefix="berth-cli-") as scratch:
            folder = pathlib.Path(scratch) / "case"
            shutil.copytree(HERE / "files", folder)
            environment = dict(os.environ, LC_ALL="C", BERTH_SOURCE=str(HERE.parent.parent),
                               PATH=f"{options.berth.resolve().parent}:{os.environ['PATH']}")
            for step in steps:
                lines, code = run_step(step, folder, environment)
                if matches(step.expected, lines) and code == step.code:
                    continue
                wrong += 1
                print(f"{path.name}: $ {step.command[0]}")
                if not matches(step.expected, lines):
                    print("  expected:", *step.expected, "  got:", *lines, sep="\n    ")
                if code != step.code:
                    print(f"  expected exit code {step.code}, got {code}")
                step.expected, step.code = kept_where_right(step.expected, lines), code
        if options.update:
            write_case(path, introduction, steps)
    sys.exit(1 if wrong and not options.update else 0)


if __name__ == "__main__":
    main()
