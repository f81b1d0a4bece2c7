"""Check the maps of a library's objects: `python -m benchmarks.wild.maps [NAME…] [--library tumult]`.

It runs in a Python that has this project, Hypothesis and `opendp[polars,scikit-learn]==0.16.0`, or
`tmlt.core==0.20.0`. Each object of `opendp_objects.py` or `tumult_objects.py` is checked for some seconds at
each seed, by a process of its own. One line an object and seed goes to the CSV file of that name beside this
file: what was found, and the pairs and seconds to it.
Exit status 1 where a sound object is accused, or a documented fault is not found at any seed.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ISSUES = "https://github.com/opendp/opendp/issues/"
COLUMNS = "object", "documented", "seed", "verdict", "d_in", "stated", "found", "pairs", "seconds"
START = 120.0
"""Seconds that importing the library and ending may take on top of twice the budget."""


def row(target: str, documented: str, seed: int, budget: float) -> dict[str, Any]:
    """What `dpclaims map` finds of one object at one seed."""
    command = [sys.executable, "-c", "from dpclaims import main; main()", "map", target]
    command += ["--json", "--seed", str(seed), "--budget", str(budget)]
    limit = START + 2.0 * budget
    try:
        ran = subprocess.run(command, stdout=subprocess.PIPE, timeout=limit, check=False)
        answer = json.loads(ran.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        answer = {"verdict": "failed", "found": " ".join(str(error).split())[-160:]}
    kept = {column: answer.get(column, "") for column in COLUMNS}
    kept |= {"object": target.rpartition(":")[2], "documented": documented, "seed": seed}
    return kept | {"seconds": round(float(answer.get("seconds", 0.0)), 1)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild.maps", description=__doc__)
    parser.add_argument("name", nargs="*", help="objects; all of them if none is named")
    parser.add_argument("--library", choices=["opendp", "tumult"], default="opendp")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of an object at one seed")
    asked = parser.parse_args()
    library = importlib.import_module(f"benchmarks.wild.maps.{asked.library}_objects")
    file, faults = Path(str(library.__file__)), library.FAULTS
    # Where the fault of an object is documented, "" for one that is presumed sound.
    known = {name: f"{ISSUES}{issue}" for name, issue in faults.items()} | dict.fromkeys(library.SOUND, "")
    rows: list[dict[str, Any]] = []
    for name in asked.name or known:
        for seed in range(asked.seeds):
            rows.append(row(f"{file}:{name}", known[name], seed, asked.budget))
            print(*rows[-1].values(), sep=", ", flush=True)
    with file.with_name(f"{asked.library}.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    refuted = {one["object"] for one in rows if one["verdict"] == "refuted"}
    return int({name for name in faults if name in (asked.name or known)} != refuted)


if __name__ == "__main__":
    raise SystemExit(main())
