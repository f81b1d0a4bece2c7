"""Check the maps of OpenDP's objects: `python -m benchmarks.wild.maps [NAME…] [--python P] [--seeds N]`.

Each object of `opendp_objects.py` is checked in the Python of its release, for some seconds at each seed. One
line an object and seed goes to `table.csv` beside this file: what was found, and the pairs and seconds to it.
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

OBJECTS = Path(__file__).with_name("opendp_objects.py")
TABLE = Path(__file__).with_name("table.csv")
ISSUES = "https://github.com/opendp/opendp/issues/"
COLUMNS = "release", "object", "documented", "seed", "verdict", "d_in", "stated", "found", "pairs", "seconds"
NEEDED = "hypothesis", "scipy", "threadpoolctl"


def names() -> dict[str, str]:
    """Object → where its fault is documented, "" for an object that is presumed sound."""
    found: dict[str, ast.Dict] = {}
    for node in ast.parse(OBJECTS.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            found[ast.unparse(node.targets[0])] = node.value
    faults: dict[str, int] = ast.literal_eval(found["FAULTS"])
    sound = [ast.literal_eval(key) for key in found["SOUND"].keys if key is not None]
    return {name: f"{ISSUES}{issue}" for name, issue in faults.items()} | dict.fromkeys(sound, "")


def row(python: Path, release: str, name: str, seed: int, budget: float) -> dict[str, Any]:
    """What `dpclaims map` finds of one object at one seed."""
    try:
        options = {"seed": seed, "budget": budget}
        answer = check_elsewhere(python, f"{OBJECTS}:{name}", options)
    except ValueError as error:
        answer = {"verdict": "failed", "found": " ".join(str(error).split())[-160:]}
    kept = {column: answer.get(column, "") for column in COLUMNS}
    kept |= {"release": release, "object": name, "documented": names()[name], "seed": seed}
    return kept | {"seconds": round(float(answer.get("seconds", 0.0)), 1)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild.maps", description=__doc__)
    parser.add_argument("name", nargs="*", help="objects; all of them if none is named")
    parser.add_argument("--release", default="opendp[polars,scikit-learn]==0.16.0")
    parser.add_argument("--python", type=Path, help="a Python that has the release, Hypothesis and SciPy")
    parser.add_argument("--envs", type=Path, help="where environments are kept (default: a cache folder)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of an object at one seed")
    asked = parser.parse_args()
    python = asked.python or environment([asked.release, *NEEDED], folder=asked.envs)
    rows: list[dict[str, Any]] = []
    for name in names():
        if asked.name and name not in asked.name:
            continue
        for seed in range(asked.seeds):
            rows.append(row(python, asked.release, name, seed, asked.budget))
            print(*rows[-1].values(), sep=", ", flush=True)
    with TABLE.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    refuted = {one["object"] for one in rows if one["verdict"] == "refuted"}
    return int({name for name, issue in names().items() if issue} & {r["object"] for r in rows} != refuted)


if __name__ == "__main__":
    raise SystemExit(main())
