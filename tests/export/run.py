#!/usr/bin/env python3
"""Exports one network in many pieces and in one, builds the example that comes with them, runs it on
both, and compares the outputs of the model. Called by ctest."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

MODEL = "zoo:inception-v3(size=75)"


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"failed ({done.returncode}): {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def first_values(text):
    """{tensor: first value} of what the example prints."""
    pairs = (line.rsplit(" begins with ", 1) for line in text.splitlines())
    return {name: float(value) for name, value in pairs}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("berth")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("openvino", help="the directory of OpenVINO's CMake package")
    options = parser.parse_args()
    shutil.rmtree(options.scratch, ignore_errors=True)
    many, one = options.scratch / "many", options.scratch / "one"
    place = (options.berth, "place", MODEL, "--devices", "cpu+gpu", "--ignore-memory")
    run(*place, "--method", "random(samples=1)", "--seed", "3", "--export", many)
    run(*place, "--method", "single-device(device=cpu)", "--export", one)

    manifest = json.loads((many / "manifest.json").read_text())
    single = json.loads((one / "manifest.json").read_text())
    assert len(manifest["pieces"]) > 10, "a random placement has many pieces"
    assert [piece["device"] for piece in single["pieces"]] == ["cpu"]
    made = set(manifest["inputs"])
    for piece in manifest["pieces"]:
        assert (many / piece["file"]).exists(), piece["file"]
        assert set(piece["inputs"]) <= made, "each input was made by a piece before"
        made |= set(piece["outputs"])
    assert {output["tensor"] for output in manifest["outputs"]} <= made
    nodes = [node for piece in manifest["pieces"] for node in piece["nodes"]]
    assert len(nodes) == len(set(nodes)), "every node is in one piece"
    assert sorted(nodes) == sorted(single["pieces"][0]["nodes"])
    affinities = dict(line.split("\t") for line in (many / "affinities.tsv").read_text().splitlines())
    for piece in manifest["pieces"]:
        assert all(affinities[node] == piece["device"] for node in piece["nodes"])
    assert (many / "model.xml").exists() and (many / "model.bin").exists()

    build = options.scratch / "build"
    source = pathlib.Path(__file__).resolve().parent
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DOpenVINO_DIR={options.openvino}",
        f"-Dexample={many / 'run_pieces.cpp'}")
    run("cmake", "--build", build)
    # The example runs everything on the CPU here, whatever the pieces were meant for.
    for folder in (many, one):
        pieces = [line.split("\t") for line in (folder / "pieces.tsv").read_text().splitlines()]
        assert [file for file, device in pieces] == sorted(f.name for f in folder.glob("piece_*.xml"))
        (folder / "pieces.tsv").write_text("".join(f"{file}\tCPU\n" for file, device in pieces))
    found, expected = (first_values(run(build / "run_pieces", f)) for f in (many, one))
    for output in manifest["outputs"]:
        a, b = found[output["tensor"]], expected[output["tensor"]]
        assert b != 0, "an output of zeros compares nothing"
        assert abs(a - b) <= 1e-4 * max(abs(b), 1e-3), f"{output['name']}: {a} against {b}"
    print(f"{len(manifest['pieces'])} pieces agree with one")


if __name__ == "__main__":
    main()
