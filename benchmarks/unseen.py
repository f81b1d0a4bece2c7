"""How late the audit finds leaks and mistakes that nobody looked at while writing it.

    python benchmarks/unseen.py base --seeds 3           measure under a label, into unseen.csv; resumes
    python benchmarks/unseen.py base --only true --seeds 50
    python benchmarks/unseen.py base --only second       one of the later sets of leaks
    python benchmarks/unseen.py --table                  the figures of every label
    python benchmarks/unseen.py --write-readme           the tables of README.md

An audit of a leak gives up after 100 times the ideal number, at least 20,000 samples; an audit of a mistake
after 20,000. The set "true" claims of leaks and mistakes the ε that they have, no more and no less, and looks
at 400 samples: what is refuted there is a false alarm. α = 0.05. A seed of a case is one line of the CSV.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

CSV = Path(__file__).resolve().with_name("unseen.csv")
README = CSV.with_name("README.md")
FIELDS = ("label", "set", "name", "seed", "ideal", "samples", "verdict", "seconds")
SETS = "leaks", "mistakes", "second", "third", "fourth", "fifth", "sixth", "seventh", "true"
LEAST, TIMES, GOOD = 20_000, 100, 5.0
ALARMS = 400
"""Samples of an audit of a true claim."""
UNBOUNDED = (
    "true number of records in a mean",
    "bounds read from the data",
    "budget of ten queries for one",
    "16 coordinates, Laplace noise by Euclidean sensitivity",
    "Gaussian noise for a claim without δ",
)
"""Mistakes whose ratio of densities has no bound, or one that cells put together do not have."""


def true_cases() -> Iterator[tuple[str, Callable[[], int], dict[str, Any]]]:
    """Leaks and mistakes of which the true ε is claimed, where it is finite; their ideal number is 0."""
    from benchmarks.unseen_leaks import LEAKS

    shares = {leak.name: leak.shares for leak in LEAKS}
    for name, _, arguments in cases("leaks"):
        if min(shares[name]) > 0.0:
            epsilon = math.log(max(shares[name]) / min(shares[name]))
            yield name, int, arguments | {"epsilon": epsilon, "max_samples": ALARMS}
    from benchmarks.mistakes import MISTAKES

    bounded = [one for one in MISTAKES if one.delta == 0.0 and one.name not in UNBOUNDED]
    laws = {mistake.name: mistake.laws() for mistake in bounded}
    for name, _, arguments in cases("mistakes"):
        p, q = laws.get(name, (np.ones(1), np.zeros(1)))
        seen = p + q > 1e-6
        if min(p[seen].min(), q[seen].min()) > 0.0:
            # Cells of a continuous law have mean ratios, so the true ε is a little larger.
            epsilon = float(np.abs(np.log(p[seen] / q[seen])).max()) * 1.001
            yield name, int, arguments | {"epsilon": epsilon, "max_samples": ALARMS}


def cases(kind: str) -> Iterator[tuple[str, Callable[[], int], dict[str, Any]]]:
    """Name, what gives the ideal number, and arguments of `audit_privacy` of each case."""
    if kind == "true":
        yield from true_cases()
        return
    if kind != "mistakes":
        module = importlib.import_module(f"benchmarks.unseen_{kind}")
        for leak in module.LEAKS:
            yield (
                leak.name,
                leak.ideal,
                {
                    "mechanism": leak.mechanism,
                    "pairs": [(0, 1)],
                    "epsilon": 1.0,
                    "adjacency": lambda a, b: True,
                    "max_samples": max(LEAST, TIMES * leak.ideal()),
                    "errors": leak.errors,
                },
            )
        return
    from benchmarks.mistakes import MISTAKES

    for mistake in MISTAKES:
        yield (
            mistake.name,
            mistake.ideal,
            {
                "mechanism": mistake.mechanism,
                "pairs": [mistake.pair],
                "epsilon": mistake.epsilon,
                "delta": mistake.delta,
                "adjacency": mistake.adjacency,
                "max_samples": LEAST,
            },
        )


def read() -> list[dict[str, str]]:
    """The lines of the CSV."""
    if not CSV.exists():
        return []
    with CSV.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measure(label: str, kinds: Sequence[str], seeds: int, seconds: float = math.inf) -> None:
    """Append what is still missing under this label, for so many processor seconds."""
    from audits.privacy import audit_privacy

    before = read()
    done = {(r["label"], r["set"], r["name"], int(r["seed"])) for r in before}
    known = {(r["set"], r["name"]): int(r["ideal"]) for r in before}
    new = not CSV.exists()
    with CSV.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(FIELDS)
        for kind in kinds:
            found_cases = list(cases(kind))
            for seed in range(seeds):
                for name, ideal, arguments in found_cases:
                    if (label, kind, name, seed) in done:
                        continue
                    if time.process_time() > seconds:
                        return
                    start = time.process_time()
                    found = audit_privacy(**arguments, seed=seed, simplest=False)
                    spent = time.process_time() - start
                    if (kind, name) not in known:
                        known[kind, name] = ideal()
                    row = (
                        label,
                        kind,
                        name,
                        seed,
                        known[kind, name],
                        found.samples,
                        found.verdict,
                        f"{spent:.2f}",
                    )
                    writer.writerow(row)
                    file.flush()


def table(rows: Sequence[dict[str, str]]) -> str:
    """One line a set: under each label how many cases are refuted within `GOOD` times the ideal number and in
    most seeds at all, the median ratio to it of all cases, and processor seconds a run."""
    ratios: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    rows = [row for row in rows if row["set"] != "true"]
    for row in rows:
        ratio = int(row["samples"]) / int(row["ideal"]) if row["verdict"] == "refuted" else math.inf
        ratios[row["set"], row["label"]][row["name"]].append(ratio)
        seconds[row["set"], row["label"]].append(float(row["seconds"]))
    labels = list(dict.fromkeys(row["label"] for row in rows))
    lines = [f"| set | {' | '.join(labels)} |", f"| --- |{' --- |' * len(labels)}"]
    for kind in [kind for kind in SETS if kind != "true"]:
        cells = [_cell(ratios[kind, label], seconds[kind, label]) for label in labels]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(ratios: dict[str, list[float]], seconds: list[float]) -> str:
    """A cell of the table, from each case's samples over the ideal number; empty where none was measured."""
    if not ratios:
        return ""
    medians = np.array([np.median(of) for of in ratios.values()])
    good, found = (medians <= GOOD).sum(), np.isfinite(medians).sum()
    told = f"{good} of {len(medians)} ({found} refuted)"
    return f"{told}, {np.median(medians):.1f} ×, {np.mean(seconds):.2f} s"


def alarms(rows: Sequence[dict[str, str]]) -> str:
    """One line a label: false alarms among audits of true claims, and the 95 % interval of their share."""
    from audits.bounds import clopper_pearson_limits

    lines = [
        "| measured | audits of true claims | refuted | share, 95 % interval |",
        "| --- | --- | --- | --- |",
    ]
    for label in dict.fromkeys(row["label"] for row in rows if row["set"] == "true"):
        verdicts = [row["verdict"] for row in rows if (row["label"], row["set"]) == (label, "true")]
        hits, n = verdicts.count("refuted"), len(verdicts)
        low, high = (float(x) for x in clopper_pearson_limits(hits, n, 0.025))
        lines.append(f"| {label} | {n:,} | {hits} | {hits / n:.4f} [{low:.4f}, {high:.4f}] |")
    return "\n".join(lines)


def fill(text: str, mark: str, table: str) -> str:
    """The text with a table between its marks."""
    start = text.index(f"<!-- {mark} -->")
    end = text.index("<!-- end -->", start)
    return f"{text[:start]}<!-- {mark} -->\n{table}\n{text[end:]}"


def main(arguments: Sequence[str]) -> int:
    """Measure, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("label", nargs="?")
    parser.add_argument("--only", choices=SETS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this much processor time")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write-readme", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.label:
        measure(asked.label, (asked.only,) if asked.only else SETS[:-1], asked.seeds, asked.seconds)
    if asked.write_readme:
        from benchmarks import peers

        text = README.read_text(encoding="utf-8")
        for mark, found in (("unseen", table(read())), ("alarms", alarms(read())), ("peers", peers.table())):
            text = fill(text, mark, found)
        README.write_text(text, encoding="utf-8")
    if asked.table or not asked.label:
        print(table(read()), alarms(read()), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
