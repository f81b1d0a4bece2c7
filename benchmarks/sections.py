"""What `benchmarks/audit.py` measures: each section yields its lines as tasks, none of them measured yet."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from audits.privacy import AuditResult, audit_privacy
from audits.privacy.bet.binomial import clopper_pearson
from benchmarks import encodings as encoded
from benchmarks import null_cases, reachable
from benchmarks.tables import JUDGED_AT, Line
from implementations.controls import Control, classical_rows, laplace_control, private_controls


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much a run measures.

    rows  seeds for each number of samples a side.
    encodings  seeds for each row.
    broken, ladder, budget, null count repeats; private, speed, memory are samples a side.
    """

    rows: dict[int, int]
    encodings: int
    broken: int
    ladder: int
    budget: int
    null: int
    private: int
    speed: int
    memory: int


SCALES = {
    "tiny": Scale(
        rows={2000: 1},
        encodings=1,
        broken=1,
        ladder=1,
        budget=1,
        null=3,
        private=1000,
        speed=5000,
        memory=200,
    ),
    "quick": Scale(
        rows={10**5: 2},
        encodings=1,
        broken=5,
        ladder=3,
        budget=5,
        null=100,
        private=10**5,
        speed=10**5,
        memory=10**4,
    ),
    "full": Scale(
        rows={10**4: 5, 10**5: 5, 10**6: 20, 10**7: 1},
        encodings=5,
        broken=40,
        ladder=20,
        budget=100,
        null=2000,
        private=10**7,
        speed=10**6,
        memory=10**5,
    ),
}

Found = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """One line to be measured: its settings, and the function that finds the rest of its fields."""

    section: str
    case: str
    method: str
    samples: int
    repeats: int
    seed: int
    find: Callable[[Task], Found]

    @property
    def key(self) -> tuple[Any, ...]:
        """The settings, as in the line."""
        return self.section, self.case, self.method, self.samples, self.repeats, self.seed

    def measure(self) -> Line:
        """Do the work."""
        return Line(*self.key, **self.find(self))


def audited(control: Control, pair: Any = None, **options: Any) -> tuple[AuditResult, float]:
    """An audit of a control on its pair (or another one), and its processor time."""
    settings: dict[str, Any] = {
        "epsilon": control.epsilon,
        "delta": control.delta,
        "adjacency": control.adjacency,
        **options,
    }
    start = time.process_time()
    result = audit_privacy(control.mechanism, [pair or control.pair], **settings)
    return result, time.process_time() - start


def spread(seconds: list[float]) -> Found:
    """Median and worst time."""
    return {"seconds": float(np.median(seconds)), "worst_seconds": max(seconds)}


# --- Sharpness and power -----------------------------------------------------------------------------

SHARP = {"clopper-pearson": 0.98, "sequential": 0.93}
"""Fraction of reachable that is asked for."""


def rows(scale: Scale, seed: int) -> Iterator[Task]:
    """`epsilon_lower` of both methods as a fraction of reachable: mean, least and largest over the seeds."""
    for (samples, seeds), control, method in itertools.product(scale.rows.items(), classical_rows(), SHARP):
        yield Task("rows", control.name, method, samples, seeds, seed, partial(_row, control))


def encodings(scale: Scale, seed: int) -> Iterator[Task]:
    """The same for mechanisms as other tools write them; fifty queries are asked for at fewer samples."""
    for control, method in itertools.product(encoded.encodings(), SHARP):
        samples = min(_judged_at(control), max(scale.rows))
        yield Task("encodings", control.name, method, samples, scale.encodings, seed, partial(_row, control))


def _judged_at(control: Control) -> int:
    return 10**5 if "queries" in control.name else JUDGED_AT


def _row(control: Control, task: Task) -> Found:
    best = reachable.reachable(control, float(task.samples))
    options = {"method": task.method, "max_samples": task.samples, "stop_early": False}
    found = [audited(control, seed=task.seed + i, **options) for i in range(task.repeats)]
    shares = [result.epsilon_lower / best for result, _ in found]
    mean, asked = float(np.mean(shares)), SHARP[task.method]
    judged = task.samples == _judged_at(control)
    return {
        "value": mean,
        "low": min(shares),
        "high": max(shares),
        "reference": best,
        "asked": f"mean ≥ {asked}" if judged else "",
        "met": mean >= asked if judged else None,
        **spread([seconds for _, seconds in found]),
    }


def _to_refutation(control: Control, pair: Any, alpha: float, task: Task) -> Found:
    """Samples that it took to refute: median, least, most (infinite where it did not come to that), and the
    share of runs within 5 × the ideal number."""
    ideal = reachable.ideal_samples(control, alpha=alpha, pair=pair)
    assert ideal is not None, f"{control.name} keeps its claim on {pair}"
    audited(control, pair, max_samples=2000)  # The first audit pays for imports.
    found = [
        audited(control, pair, alpha=alpha, seed=task.seed + i, max_samples=task.samples)
        for i in range(task.repeats)
    ]
    samples = np.array([result.samples if result.refuted else np.inf for result, _ in found])
    return {
        "value": float(np.median(samples)),
        "low": float(samples.min()),
        "high": float(samples.max()),
        "share": float(np.mean(samples <= 5 * ideal)),
        "reference": float(ideal),
        **spread([seconds for _, seconds in found]),
    }


MOST_TO_REFUTE = 4 * 10**6
"""Samples a side at which audits of false claims give up."""


def broken(scale: Scale, seed: int) -> Iterator[Task]:
    """Samples to refutation on the pair that exposes the flaw best, against five times the ideal number."""
    for control in classical_rows():
        if not control.private:
            find = partial(_broken, control)
            yield Task("broken", control.name, "sequential", MOST_TO_REFUTE, scale.broken, seed, find)


def _broken(control: Control, task: Task) -> Found:
    found = _to_refutation(control, control.exposing or control.pair, 0.05, task)
    met = found["share"] == 1.0 and found["worst_seconds"] < 1.0
    return {**found, "asked": "all runs ≤ 5 × ideal and < 1 s", "met": met}


LADDER = {0.02: (2 * 10**6, 3.0), 0.05: (10**5, 0.5), 0.1: None, 0.2: None, 0.5: None}
"""What Laplace noise falls short by, and the samples and seconds that are asked of the median run."""
LADDER_ALPHA = 0.01


def ladder(scale: Scale, seed: int) -> Iterator[Task]:
    """Laplace with too little noise."""
    for off, most in LADDER.items():
        find = partial(_rung, laplace_control(1.0 - off), most)
        yield Task("ladder", f"{off:.0%}", "sequential", MOST_TO_REFUTE, scale.ladder, seed, find)


def _rung(control: Control, most: tuple[int, float] | None, task: Task) -> Found:
    found = _to_refutation(control, control.pair, LADDER_ALPHA, task)
    if most is None:
        return {**found, "asked": "", "met": None}
    met = found["value"] < most[0] and found["seconds"] < most[1]
    return {**found, "asked": f"medians < {most[0]:,} samples, < {most[1]:g} s", "met": met}


BUDGETS = (2, 3, 5)
"""Budgets of samples, as multiples of the ideal number."""


def budget(scale: Scale, seed: int) -> Iterator[Task]:
    """How often published mistakes are refuted with few samples: an audit bets on what its budget can win."""
    for control, times in itertools.product(classical_rows(), BUDGETS):
        pair = control.exposing or control.pair
        ideal = None if control.private else reachable.ideal_samples(control, alpha=0.05, pair=pair)
        if ideal is not None:
            find = partial(_within, control, pair, ideal)
            yield Task("budget", control.name, "sequential", times * ideal, scale.budget, seed, find)


def _within(control: Control, pair: Any, ideal: int, task: Task) -> Found:
    runs = [
        audited(control, pair, alpha=0.05, seed=task.seed + i, max_samples=task.samples)
        for i in range(task.repeats)
    ]
    return {
        "value": float(np.mean([result.refuted for result, _ in runs])),
        "reference": float(ideal),
        "asked": "",
        "met": None,
        **spread([seconds for _, seconds in runs]),
    }


# --- Validity ----------------------------------------------------------------------------------------


def private(scale: Scale, seed: int) -> Iterator[Task]:
    """Claims that are true must not be refuted, however many samples; one run each."""
    for control in private_controls():
        find = partial(_private, control)
        yield Task("private", control.name, "sequential", scale.private, 1, seed, find)


def _private(control: Control, task: Task) -> Found:
    result, seconds = audited(control, max_samples=task.samples, seed=task.seed)
    return {
        "value": result.epsilon_lower,
        "low": result.epsilon_lower,
        "high": result.resolution.epsilon,
        "share": float(result.refuted),
        "reference": control.epsilon,
        "asked": "not refuted",
        "met": not result.refuted,
        **spread([seconds]),
    }


def null(scale: Scale, seed: int, jobs: int) -> Iterator[Task]:
    """Share of false alarms with its 95 % Clopper–Pearson interval; a look after every batch."""
    for case in null_cases.null_cases():
        for size in case.sizes:
            repeats = max(scale.null // size.fewer, 1)
            yield Task("null", case.name, size.method, size.samples, repeats, seed, partial(_null, jobs))


def _null(jobs: int, task: Task) -> Found:
    alarms, seconds = null_cases.parallel_alarms(
        task.case, task.method, task.samples, task.repeats, task.seed, jobs
    )
    low, high = (float(bound) for bound in clopper_pearson(alarms, task.repeats, 0.025))
    return {
        "value": alarms / task.repeats,
        "low": low,
        "high": high,
        "reference": null_cases.ALPHA,
        "asked": f"≤ {null_cases.ALPHA} within the interval",
        "met": low <= null_cases.ALPHA,
        "seconds": seconds / task.repeats,
    }


# --- Speed and memory --------------------------------------------------------------------------------

EDGES = np.linspace(-16.0, 16.0, 65)
TIMES = 3


def speed(scale: Scale, seed: int) -> Iterator[Task]:
    """Against drawing as many samples of both sides and counting them in plain NumPy; best of three each."""
    for control, method in itertools.product(classical_rows(), SHARP):
        yield Task("speed", control.name, method, scale.speed, TIMES, seed, partial(_speed, control))


def _speed(control: Control, task: Task) -> Found:
    options = {"method": task.method, "seed": task.seed, "stop_early": False}
    audited(control, max_samples=2000, **options)  # Imports.
    count = counter(control)
    plain = min(_plain_seconds(control, count, task) for _ in range(task.repeats))
    seconds = [audited(control, max_samples=task.samples, **options)[1] for _ in range(task.repeats)]
    ratio = min(seconds) / plain
    return {
        "value": ratio,
        "reference": plain,
        "asked": "≤ 3 ×" if task.samples == JUDGED_AT else "",
        "met": ratio <= 3.0 if task.samples == JUDGED_AT else None,
        "seconds": min(seconds),
        "worst_seconds": max(seconds),
    }


def counter(control: Control) -> Callable[[Any], Any]:
    """How a careful user counts such outputs: a real number in 64 bins; an integer as its own cell; answers
    read as a binary number; a record in the cells of its law."""
    if control.outputs == "real":
        return lambda outputs: np.histogram(outputs, EDGES)
    if control.outputs == "integer":
        return np.bincount
    assert control.law is not None
    cell = control.law(control.pair[0]).cell
    return lambda outputs: np.bincount(cell(outputs))


def _plain_seconds(control: Control, count: Callable[[Any], Any], task: Task) -> float:
    rng = np.random.default_rng(task.seed)
    start = time.process_time()
    for side in control.pair:
        count(control.mechanism(side, task.samples, rng))
    return max(time.process_time() - start, 1e-9)


def memory(scale: Scale, seed: int) -> Iterator[Task]:
    """Peak memory of an audit of a Gaussian in 1,000 columns, in a process of its own."""
    yield Task("memory", "gaussian in 1,000 columns", "sequential", scale.memory, 1, seed, _memory)


def _memory(task: Task) -> Found:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        peak, refuted, seconds = alone.submit(wide_audit, task.samples, task.seed).result()
    return {
        "value": peak,
        "share": float(refuted),
        "reference": 4.0,
        "asked": "≤ 4 GiB",
        "met": peak <= 4.0,
        **spread([seconds]),
    }


def wide_audit(samples: int, seed: int) -> tuple[float, bool, float]:
    """Peak memory in GiB of this process after the audit, whether the true claim was refuted, the time."""

    def mechanism(data: Any, size: int, rng: np.random.Generator) -> Any:
        outputs = rng.normal(scale=4.0, size=(size, 1000))
        outputs[:, 0] += data
        return outputs

    start = time.process_time()
    result = audit_privacy(
        mechanism,
        [(1.0, 0.0)],
        epsilon=1.0,
        delta=1e-5,
        adjacency=lambda a, b: True,
        max_samples=samples,
        seed=seed,
    )
    return _peak(), result.refuted, time.process_time() - start


def _peak() -> float:
    # `getrusage` hands the peak of the process that started this one down to it: Linux's own record does not.
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        if "VmHWM" in fields:
            return float(fields["VmHWM"].split()[0]) / 2**20
    import resource
    import sys

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)


SECTIONS = ("rows", "encodings", "broken", "ladder", "budget", "speed", "memory", "private", "null")


def tasks(section: str, scale: Scale, seed: int, jobs: int) -> Iterator[Task]:
    """The lines of a section. `jobs` processes share the audits of a line of `null`; nothing else is shared,
    as everything else is timed."""
    if section == "null":
        return null(scale, seed, jobs)
    found = {
        "rows": rows,
        "encodings": encodings,
        "broken": broken,
        "ladder": ladder,
        "speed": speed,
        "memory": memory,
    }
    return {**found, "budget": budget, "private": private}[section](scale, seed)
