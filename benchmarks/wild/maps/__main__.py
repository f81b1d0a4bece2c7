"""Check the maps of a library's objects: `python -m benchmarks.wild.maps [LIBRARY] [NAME…] [--seeds N]`.

Each object of `opendp_objects.py` or `tumult_objects.py` is checked in the Python of its release, for some
seconds at each seed. One line an object and seed goes to `opendp.csv` or `tumult.csv` beside this file: what
was found, and the pairs and seconds to it.
Exit status 1 where a sound object is accused, or a documented fault is not found at any seed.
"""

from __future__ import annotations

import argparse
import ast
import csv
from pathlib import Path
from typing import Any

from audits.environments import environment
from audits.maps.elsewhere import check_elsewhere

RELEASES = {"opendp": "opendp[polars,scikit-learn]==0.16.0", "tumult": "tmlt.core==0.20.0"}
ISSUES = "https://github.com/opendp/opendp/issues/"
COLUMNS = "object", "documented", "seed", "verdict", "d_in", "stated", "found", "pairs", "seconds"
NEEDED = "hypothesis", "scipy", "threadpoolctl"


def objects_of(library: str) -> Path:
    """The file with the objects of a library."""
    return Path(__file__).with_name(f"{library}_objects.py")


def names(objects: Path) -> dict[str, str]:
    """Object → where its fault is documented, "" for an object that is presumed sound."""
    found: dict[str, ast.Dict] = {}
    for node in ast.parse(objects.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            found[ast.unparse(node.targets[0])] = node.value
    faults: dict[str, int] = ast.literal_eval(found["FAULTS"])
    sound = [ast.literal_eval(key) for key in found["SOUND"].keys if key is not None]
    return {name: f"{ISSUES}{issue}" for name, issue in faults.items()} | dict.fromkeys(sound, "")


def row(python: Path, objects: Path, name: str, seed: int, budget: float) -> dict[str, Any]:
    """What `dpclaims map` finds of one object at one seed."""
    try:
        options = {"seed": seed, "budget": budget}
        answer = check_elsewhere(python, f"{objects}:{name}", options)
    except ValueError as error:
        answer = {"verdict": "failed", "found": " ".join(str(error).split())[-160:]}
    kept = {column: answer.get(column, "") for column in COLUMNS}
    kept |= {"object": name, "documented": names(objects)[name], "seed": seed}
    return kept | {"seconds": round(float(answer.get("seconds", 0.0)), 1)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild.maps", description=__doc__)
    parser.add_argument("library", nargs="?", choices=[*RELEASES], default="opendp")
    parser.add_argument("name", nargs="*", help="objects; all of them if none is named")
    parser.add_argument("--release", help="another release of the library")
    parser.add_argument("--python", type=Path, help="a Python that has the release, Hypothesis and SciPy")
    parser.add_argument("--envs", type=Path, help="where environments are kept (default: a cache folder)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of an object at one seed")
    asked = parser.parse_args()
    release, objects = asked.release or RELEASES[asked.library], objects_of(asked.library)
    python = asked.python or environment([release, *NEEDED], folder=asked.envs)
    rows: list[dict[str, Any]] = []
    known = names(objects)
    for name in known:
        if asked.name and name not in asked.name:
            continue
        for seed in range(asked.seeds):
            rows.append(row(python, objects, name, seed, asked.budget))
            print(*rows[-1].values(), sep=", ", flush=True)
    with objects.with_name(f"{asked.library}.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    refuted = {one["object"] for one in rows if one["verdict"] == "refuted"}
    return int({name for name, issue in known.items() if issue} & {r["object"] for r in rows} != refuted)


if __name__ == "__main__":
    raise SystemExit(main())
