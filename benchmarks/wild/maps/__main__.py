"""Check the maps of objects of OpenDP: `python -m benchmarks.wild.maps [NAME…] [--seeds N] [--budget S]`.

It runs in a Python that has this project, `opendp[polars,scikit-learn]==0.16.0` and Hypothesis. Each object
of `opendp_objects.py` is checked for some seconds at each seed, by a process of its own. One line an object
and seed goes to `opendp.csv` beside this file: what was found, and the pairs and seconds to it.
Exit status 1 where a sound object is accused, or a documented fault is not found at any seed.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.wild.maps.opendp_objects import FAULTS, SOUND

OBJECTS = Path(__file__).with_name("opendp_objects.py")
ISSUES = "https://github.com/opendp/opendp/issues/"
COLUMNS = "object", "documented", "seed", "verdict", "d_in", "stated", "found", "pairs", "seconds"
KNOWN = {name: f"{ISSUES}{issue}" for name, issue in FAULTS.items()} | dict.fromkeys(SOUND, "")
"""Object → where its fault is documented, "" for an object that is presumed sound."""
START = 120.0
"""Seconds that importing the library and ending may take on top of twice the budget."""


def row(name: str, seed: int, budget: float) -> dict[str, Any]:
    """What `dpclaims map` finds of one object at one seed."""
    command = [sys.executable, "-c", "from dpclaims import main; main()", "map", f"{OBJECTS}:{name}"]
    command += ["--json", "--seed", str(seed), "--budget", str(budget)]
    limit = START + 2.0 * budget
    try:
        ran = subprocess.run(command, stdout=subprocess.PIPE, timeout=limit, check=False)
        answer = json.loads(ran.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        answer = {"verdict": "failed", "found": " ".join(str(error).split())[-160:]}
    kept = {column: answer.get(column, "") for column in COLUMNS}
    kept |= {"object": name, "documented": KNOWN[name], "seed": seed}
    return kept | {"seconds": round(float(answer.get("seconds", 0.0)), 1)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild.maps", description=__doc__)
    parser.add_argument("name", nargs="*", help="objects; all of them if none is named")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of an object at one seed")
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in asked.name or KNOWN:
        for seed in range(asked.seeds):
            rows.append(row(name, seed, asked.budget))
            print(*rows[-1].values(), sep=", ", flush=True)
    with OBJECTS.with_name("opendp.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    refuted = {one["object"] for one in rows if one["verdict"] == "refuted"}
    return int({name for name in FAULTS if name in (asked.name or KNOWN)} != refuted)


if __name__ == "__main__":
    raise SystemExit(main())
