"""What each constant, learner and view of the audit is worth: what gets worse without it.

    python benchmarks/ablation.py [-j N] [NAME …]   measure (the variants of these names) into ablation.csv
    python benchmarks/ablation.py --write-readme    the table of docs/benchmarks.md from ablation.csv

Every variant runs the leaks of numbers and vectors of `leaks.py` (those of words and containers rest on how
outputs become columns), the published mistakes and Laplace noise that is too small, with
the seeds that the audit as it is runs with, and lower bounds at 10⁵ samples. The row that gets worst is
chosen among all, so that its factor would be flattered: the two worst are measured again on fresh seeds,
and the larger of these factors is shown. Constants that no power rests on are in `PURPOSES`, with what they
are for.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # Beside each other the scripts would hide packages of the same names.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

HERE = Path(__file__).resolve().parent
CSV, TABLES = HERE / "ablation.csv", HERE.parent / "docs" / "benchmarks.md"
AS_IT_IS = "as it is"
RUNS = {"leak": 1, "mistake": 3, "too little noise": 2, "sharpness": 1}
AGAIN = 4
"""Fresh seeds for the rows that got worst."""
LONG = (
    "0 in one of 20 columns, once in 5,000",
    "0.5 in one of 100 columns, once in 100",
    "box of weight 0.01 in 2 of 20 columns",
    "box of weight 0.01 in 2 of 4 columns",
    "0 in one of 20 columns, once in 100",
)
"""Leaks of vectors that take the most time; others like them stand for them."""
MISSED = 100.0
"""A leak that is missed counts as found with so many times the ideal number."""

CONSTANTS: dict[str, Any] = {
    "first_batch": 128,
    "first_share": 0.1,
    "later_share": 0.02,
    "growth": (0.5, 0.5),
    "group": 1e9,
    "hope": 1e9,
    "candidates": 1,
    "luck": 0.0,
    "unseen_from": 1,
    "least": 64,
    "retained_rows": 8192,
    "patience": 1,
    "learn_again": (2.0, 2.0),
    "tail_ratio": 0.6,
    "few_values": 8,
    "repeats": 1,
    "wide": 10,
    "far": 100.0,
    "most_chosen": 3,
    "parts": 4,
    "levels": (0.5,),
    "decimals": 2,
    "sure": 10.0,
    "period_bins": 4000,
    "neighbours": 1,
    "little": 0.0,
    "outer": 0.2,
    "fixed_learning": 0.5,
    "misfit": 0.0,
}
"""What each constant is tried at: without what it does where there is such a value, far away where not."""

PURPOSES = {
    "afterwards": "time and the size of a violation, after the verdict",
    "longest": "time: how long the size of a violation is looked for",
    "confirm": "validity: the level of fresh draws",
    "followed": "audits of more pairs than the rows have",
    "learning_price": "the resolution that is printed",
    "most_bytes": "memory",
    "prune_from": "time at many samples",
    "choose_at": "time at many samples",
    "steady": "ties in the last bits of a product of matrices",
    "some_rows": "time of vectors at many samples, and what stays in the cache",
    "most_work": "time of vectors of hundreds of columns",
    "learn_often": "time at many samples",
    "folds": "validity of cross-fitted scores needs two; more take time",
    "most_numbers": "memory of vectors of hundreds of columns",
    "glance": "time: how many samples say whether values repeat",
    "nearly": "words, which leaks are planted, and the resolution that is printed",
}

LEARNERS = (  # but for `sets`, which keeps the counts of outputs that repeat, and `symbols`, for containers
    *("digits", "directions", "logistic", "modes", "parity", "period", "repeated"),
    *("smooth", "sparse", "summary", "tree", "value"),
)
ROUND_PERIODS = "round periods"


def _families() -> dict[str, Any]:
    """The families of candidates that are searched in numbers, by name; no row has symbols."""
    from audits.privacy.learners import choice

    return {one.find.__name__: one for one in choice.SUMS}


def variants() -> list[str]:
    """The names of all variants."""
    parts = [
        *(f"learner {name}" for name in LEARNERS),
        *(f"family {name}" for name in [*_families(), ROUND_PERIODS]),
    ]
    return [*CONSTANTS, *parts]


# --- One variant, in a process of its own ------------------------------------------------------------


def vary(name: str) -> None:
    """Make the audit that of a variant; before anything else of it is imported."""
    if name in CONSTANTS:
        path = HERE.parent / "audits" / "privacy" / "tuning.py"
        spec = importlib.util.spec_from_file_location("audits.privacy.tuning", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["audits.privacy.tuning"] = module
        spec.loader.exec_module(module)
        module.__dict__["TUNING"] = replace(module.TUNING, **{name: CONSTANTS[name]})
        return
    kind, _, what = name.partition(" ")
    from audits.privacy.learners import choice, hidden

    if kind == "learner":
        chosen = choice.learners
        without = partial(_without, chosen, what)
        for module in list(sys.modules.values()):
            if getattr(module, "learners", None) is chosen:
                module.__dict__["learners"] = without
    elif what == ROUND_PERIODS:
        hidden.__dict__["ROUND"] = hidden.ROUND[:0]
    elif kind == "family":
        object.__setattr__(_families()[what], "find", lambda first, second: iter(()))
    else:
        assert name == AS_IT_IS, name


def _without(chosen: Callable[..., list[Any]], what: str, *arguments: Any) -> list[Any]:
    return [learner for learner in chosen(*arguments) if learner.name != what]


def rows() -> dict[str, Callable[[int], float]]:
    """seed → samples as a multiple of the ideal number, or a lower bound as a fraction of reachable."""
    from benchmarks.encodings import encodings
    from benchmarks.leaks import LEAKS
    from benchmarks.sections import SHARP
    from implementations.controls import classical_rows, laplace_control

    found: dict[str, Callable[[int], float]] = {
        f"leak: {leak.name}": partial(_of_leak, leak)
        for leak in LEAKS
        if leak.kind in ("number", "vector") and leak.name not in LONG
    }
    sentinels = next(control for control in encodings() if control.name == "svt3 in ten columns")
    for control in [*classical_rows(), sentinels]:
        if not control.private and control is not sentinels:
            pair = control.exposing or control.pair
            found[f"mistake: {control.name}"] = partial(_of_control, control, pair, 0.05)
        for method in SHARP:
            found[f"sharpness: {control.name}, {method}"] = partial(_bound, control, method)
    for off in (0.02, 0.05, 0.1, 0.2):
        control = laplace_control(1.0 - off)
        found[f"too little noise: {off:.0%}"] = partial(_of_control, control, control.pair, 0.01)
    return found


def _of_leak(leak: Any, seed: int) -> float:
    from benchmarks.leaks import samples

    ideal = leak.ideal()
    return min(samples(leak, seed, int(min(max(40 * ideal, 20_000), 10**6)))[0] / ideal, MISSED)


def _of_control(control: Any, pair: Any, alpha: float, seed: int) -> float:
    from benchmarks import reachable
    from benchmarks.sections import audited

    ideal = reachable.ideal_samples(control, alpha=alpha, pair=pair)
    assert ideal is not None
    result, _ = audited(control, pair, alpha=alpha, seed=seed, max_samples=2 * 10**6)
    return result.samples / ideal if result.refuted else MISSED


def _bound(control: Any, method: str, seed: int) -> float:
    from benchmarks import reachable
    from benchmarks.sections import audited

    result, _ = audited(control, seed=seed, method=method, max_samples=10**5, stop_early=False)
    return result.epsilon_lower / reachable.reachable(control, 1e5)


def measure(name: str, chosen: Sequence[str]) -> dict[str, Any]:
    """All rows of a variant on the first seeds, or the chosen rows on fresh ones; and the seconds."""
    vary(name)
    known, start = rows(), time.process_time()
    if chosen:
        found = {row: [known[row](100 + i) for i in range(AGAIN)] for row in chosen}
    else:
        found = {row: [of(i) for i in range(RUNS[row.partition(":")[0]])] for row, of in known.items()}
    return {"rows": found, "seconds": time.process_time() - start}


# --- All of them -------------------------------------------------------------------------------------


def measured(name: str, chosen: Sequence[str] = ()) -> dict[str, Any]:
    """`measure` in a process of its own."""
    command = [sys.executable, __file__, "--variant", name, "--rows", *chosen]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"variant {name!r} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def factor(before: Sequence[float], after: Sequence[float]) -> float:
    """Geometric mean of the factors on the same seeds."""
    return math.exp(sum(math.log(y / x) for x, y in zip(before, after, strict=True)) / len(before))


def line(name: str, base: dict[str, Any], found: dict[str, Any], again: Callable[..., Any]) -> dict[str, Any]:
    """One line of the CSV; `again` measures rows on fresh seeds."""
    of = {row: (values, found["rows"][row]) for row, values in base["rows"].items()}
    factors = {row: factor(*both) for row, both in of.items() if not row.startswith("sharpness")}
    worst = [row for row in sorted(factors, key=lambda r: -factors[r])[:2] if factors[row] > 1.0]
    fresh = again(name, worst)["rows"] if worst else {}
    confirmed = {row: factor(again(AS_IT_IS, [row])["rows"][row], fresh[row]) for row in worst}
    row = max(confirmed, key=lambda r: confirmed[r], default="")
    bounds: dict[str, float] = {}
    for method in ("clopper-pearson", "sequential"):
        moved = [
            sum(b) / len(b) - sum(a) / len(a)
            for r, (a, b) in of.items()
            if r.startswith("sharpness") and r.endswith(method)
        ]
        bounds[method] = sum(moved) / len(moved)
    return {
        "variant": name,
        "tried": str(CONSTANTS.get(name, "without")),
        "samples": round(math.exp(sum(map(math.log, factors.values())) / len(factors)), 3),
        "worst": row,
        "factor": round(confirmed.get(row, 1.0), 2),
        "fixed": round(bounds["clopper-pearson"], 4),
        "sequential": round(bounds["sequential"], 4),
        "seconds": round(found["seconds"] / base["seconds"], 2),
    }


def read() -> dict[str, dict[str, str]]:
    """The lines of the CSV by variant."""
    if not CSV.exists():
        return {}
    with CSV.open(newline="", encoding="utf-8") as file:
        return {row["variant"]: row for row in csv.DictReader(file)}


def write(lines: dict[str, dict[str, Any]]) -> None:
    """The CSV, in the order of `variants`."""
    kept = [lines[name] for name in variants() if name in lines]
    with CSV.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(kept[0]))
        writer.writeheader()
        writer.writerows(kept)


def run(names: Sequence[str], jobs: int) -> int:
    """Measure these variants; each line is written as it comes. Returns how many could not be measured."""
    lines: dict[str, dict[str, Any]] = dict(read())
    base = measured(AS_IT_IS)
    known: dict[str, dict[str, Any]] = {}

    def again(name: str, chosen: Sequence[str]) -> dict[str, Any]:
        if name != AS_IT_IS:
            return measured(name, chosen)
        # The same rows are the worst of several variants.
        (row,) = chosen
        return known[row] if row in known else known.setdefault(row, measured(name, chosen))

    def of(name: str) -> dict[str, Any]:
        return line(name, base, measured(name), again)

    failed = 0
    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(of, name) for name in names]):
            if error := done.exception():
                # The other variants take hours.
                print(error, file=sys.stderr, flush=True)
                failed += 1
                continue
            found = done.result()
            print(*found.values(), sep="; ", flush=True)
            lines[found["variant"]] = found
            write(lines)
    return failed


def table() -> str:
    """The table of docs/benchmarks.md."""
    text = [
        "| what | tried | samples | worst row | its factor | fixed size | sequential | time |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    text += [
        f"| {row['variant']} | {row['tried']} | {row['samples']} | {row['worst']} | {row['factor']} × | "
        f"{float(row['fixed']):+.3f} | {float(row['sequential']):+.3f} | {row['seconds']} × |"
        for row in read().values()
    ]
    return "\n".join(text)


def write_readme() -> None:
    """Put the table between its marks."""
    text = TABLES.read_text(encoding="utf-8")
    start, end = text.index("<!-- ablation -->"), text.index("<!-- end ablation -->")
    TABLES.write_text(f"{text[:start]}<!-- ablation -->\n{table()}\n{text[end:]}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--write-readme", action="store_true")
    parser.add_argument("--variant", help=argparse.SUPPRESS)
    parser.add_argument("--rows", nargs="*", default=[], help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.variant:
        print(json.dumps(measure(options.variant, options.rows)))
    elif options.write_readme:
        write_readme()
    else:
        unknown = [name for name in options.names if name not in variants()]
        if unknown:
            parser.error(f"no variants: {', '.join(unknown)}; there are: {', '.join(variants())}")
        return min(run(options.names or variants(), options.jobs), 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
