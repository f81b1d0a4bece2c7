"""Calibration, power, sharpness, speed and memory of `audits.audit_privacy`, in one table.

    python benchmarks/audit.py [--full] [--only SECTION …] [--out DIR] [--seed N]

Sections: rows (lower bounds against the best that a fixed event could show), broken (samples to refute
published mistakes, against the ideal number), null (false alarms on tight private mechanisms with a look
after every batch, and on the false alarms seen in other tools), ladder (Laplace with too little noise),
private (true claims at many samples), speed (against drawing and counting in plain NumPy), memory (a vector
of 1,000 numbers).
Writes `audit.md`, `audit.csv` and `audit.png` to DIR (default reports/benchmarks). Seconds are processor time
of this process, so that a busy machine does not matter.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from audits.privacy import AuditResult, audit_privacy
from audits.privacy.binomial import clopper_pearson
from implementations.controls import (
    Control,
    classical_rows,
    gaussian_control,
    laplace_control,
    private_controls,
)

HERE = Path(__file__).resolve()
NULL_SAMPLES = 200
"""Samples a side of the audits of true claims."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: what was measured, the figure, what was asked for, and whether it is met."""

    section: str
    case: str
    method: str
    figure: str
    asked: str
    met: bool | None
    value: float
    samples: float
    seconds: float


def yardstick() -> ModuleType:
    """The script next to this one, which knows what the best fixed event could show."""
    spec = importlib.util.spec_from_file_location("reachable", HERE.parent / "reachable.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def audited(control: Control, pair: Any = None, **options: Any) -> tuple[AuditResult, float]:
    """An audit of a control on its pair, and its processor time."""
    settings: dict[str, Any] = {
        "epsilon": control.epsilon,
        "delta": control.delta,
        "adjacency": control.adjacency,
        **options,
    }
    start = time.process_time()
    result = audit_privacy(control.mechanism, [pair or control.pair], **settings)
    return result, time.process_time() - start


def rows(full: bool, seed: int) -> Iterator[Line]:
    """`epsilon_lower` of both methods as a fraction of reachable."""
    best = yardstick()
    repeats = 5 if full else 1
    for control in classical_rows():
        for samples in (10**4, 10**5, 10**6, 10**7) if full else (10**5,):
            reachable = best.reachable(control, float(samples))
            for method, asked in (("clopper-pearson", 0.98), ("sequential", 0.93)):
                found = [
                    audited(control, method=method, max_samples=samples, stop_early=False, seed=seed + i)
                    for i in range(repeats if samples < 10**7 else 1)
                ]
                share = float(np.mean([r.epsilon_lower for r, _ in found])) / reachable
                yield Line(
                    "rows",
                    control.name,
                    method,
                    f"{share:.3f} of {reachable:.3f} at {samples:.0e}",
                    f"≥ {asked} at 1e+06",
                    share >= asked if samples == 10**6 else None,
                    share,
                    samples,
                    float(np.mean([t for _, t in found])),
                )


def broken(full: bool, seed: int) -> Iterator[Line]:
    """Samples to refutation on the pair that exposes the flaw best, against five times the ideal number."""
    best = yardstick()
    repeats = 40 if full else 5
    # The first audit pays for imports.
    audited(laplace_control(), max_samples=2000)
    for control in classical_rows():
        if control.private:
            continue
        ideal = best.ideal_samples(control)
        found = [
            audited(control, control.exposing, seed=seed + i, max_samples=100 * ideal) for i in range(repeats)
        ]
        samples = np.array([r.samples if r.verdict == "refuted" else np.inf for r, _ in found])
        seconds = np.array([t for _, t in found])
        median, share = float(np.median(samples)), float(np.mean(samples <= 5 * ideal))
        yield Line(
            "broken",
            control.name,
            "sequential",
            f"median {median:.0f} = {median / ideal:.1f} × ideal {ideal}, {share:.0%} within 5 ×, "
            f"median {np.median(seconds):.2f} s, most {seconds.max():.2f} s",
            "≤ 5 × ideal, < 1 s",
            median <= 5 * ideal and float(np.median(seconds)) < 1.0,
            median / ideal,
            median,
            float(np.median(seconds)),
        )


def special_nulls() -> list[Control]:
    """The false alarms seen in other tools, each as a control whose claim is true."""

    def control(name: str, mechanism: Callable[..., Any], epsilon: float, delta: float, pair: Any) -> Control:
        return Control(
            name=name,
            mechanism=mechanism,
            pair=pair,
            adjacency=lambda a, b: True,
            epsilon=epsilon,
            delta=delta,
            true_epsilon=epsilon,
            private=True,
            outputs="real",
            law=None,
            source="",
        )

    def response(data: Any, size: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(size) < 1.0 / (1.0 + np.exp(-1.0)), data, 1 - data)

    def words(data: Any, size: int, rng: np.random.Generator) -> Any:
        kinds = np.array(["yes", "no", None], dtype=object)
        share = 1.0 / (1.0 + np.exp(-1.0)) * 0.8
        return rng.choice(kinds, size, p=[share, 0.8 - share, 0.2] if data else [0.8 - share, share, 0.2])

    return [
        control("identical, ε = 0", lambda d, n, rng: rng.normal(size=n), 0.0, 0.0, (0, 1)),
        control("identical atoms, ε = 0", lambda d, n, rng: rng.integers(3, size=n), 0.0, 0.0, (0, 1)),
        control("identical vectors, ε = 0", lambda d, n, rng: rng.normal(size=(n, 8)), 0.0, 0.0, (0, 1)),
        control("ties of randomised response", response, 1.0, 0.0, (0, 1)),
        control("words and None", words, 1.0, 0.0, (0, 1)),
    ]


def null_controls() -> list[Control]:
    """True claims, one for each kind of output first."""
    everything = {c.name: c for c in [*private_controls(), *special_nulls()]}
    first = ["laplace", "words and None", "geometric", "propose-test-release", "randomised-response"]
    first += ["ties of randomised response", "identical, ε = 0", "histogram", "gaussian"]
    return [everything.pop(name) for name in first] + list(everything.values())


def null(full: bool, seed: int) -> Iterator[Line]:
    """False alarms at α = 0.05 on claims that are true and tight, with a look after every batch.

    The audits are small, 10 looks each: that many of them are affordable, and few samples are where a bound
    that is only approximate would show.
    """
    repeats = 2000 if full else 40
    for control in null_controls():
        for method in ("sequential", "clopper-pearson", "gdp"):
            epsilon = control.true_epsilon if control.true_epsilon is not None else control.epsilon
            if method == "gdp" and control.name not in ("gaussian", "laplace"):
                continue
            # The Gaussian shape on a Laplace is a false alarm of its own: a true claim at a small δ.
            delta = 1e-5 if method == "gdp" and control.delta == 0.0 else control.delta
            start = time.process_time()
            alarms = sum(
                audited(
                    control,
                    method=method,
                    epsilon=epsilon,
                    delta=delta,
                    seed=seed + i,
                    max_samples=NULL_SAMPLES,
                )[0].refuted
                for i in range(repeats)
            )
            low, high = clopper_pearson(alarms, repeats, 0.025)
            yield Line(
                "null",
                control.name,
                method,
                f"{alarms} of {repeats}: {alarms / repeats:.4f} [{float(low):.4f}, {float(high):.4f}]",
                "≤ 0.05 within the interval",
                float(low) <= 0.05,
                alarms / repeats,
                NULL_SAMPLES,
                (time.process_time() - start) / repeats,
            )


def ladder(full: bool, seed: int) -> Iterator[Line]:
    """Laplace with too little noise, α = 0.01."""
    limits = {0.02: (2 * 10**6, 3.0), 0.05: (10**5, 0.5)}
    for off in (0.02, 0.05, 0.1, 0.2, 0.5):
        control = laplace_control(1.0 - off)
        found = [
            audited(control, alpha=0.01, max_samples=4 * 10**6, seed=seed + i)
            for i in range(20 if full else 3)
        ]
        samples = float(np.median([r.samples if r.refuted else np.inf for r, _ in found]))
        seconds = float(np.median([t for _, t in found]))
        most = limits.get(off)
        yield Line(
            "ladder",
            f"laplace, {off:.0%} too little",
            "sequential",
            f"median {samples:.0f} samples, {seconds:.2f} s; "
            f"most {max(r.samples for r, _ in found)}, {max(t for _, t in found):.2f} s",
            f"< {most[0]:.0e}, < {most[1]} s" if most else "",
            samples < most[0] and seconds < most[1] if most else None,
            samples,
            samples,
            seconds,
        )


def private(full: bool, seed: int) -> Iterator[Line]:
    """Claims that are true must not be refuted, however many samples."""
    samples = 10**7 if full else 3 * 10**5
    for control in private_controls():
        result, seconds = audited(control, max_samples=samples, seed=seed)
        yield Line(
            "private",
            control.name,
            "sequential",
            f"{result.verdict} at {result.samples:.0e}, ε ≥ {result.epsilon_lower:.3f}, "
            f"resolution {result.resolution.epsilon:.3f}",
            "not refuted",
            result.verdict == "not-refuted",
            result.epsilon_lower,
            result.samples,
            seconds,
        )


def speed(full: bool, seed: int) -> Iterator[Line]:
    """Against drawing as many samples and a histogram of 64 bins of each side in plain NumPy."""
    samples = 10**6
    edges = np.linspace(-8.0, 8.0, 65)
    for control in (laplace_control(), gaussian_control()):
        rng = np.random.default_rng(seed)
        plain = np.inf
        for _ in range(3):
            start = time.process_time()
            for side in control.pair:
                np.histogram(control.mechanism(side, samples, rng), edges)
            plain = min(plain, time.process_time() - start)
        for method in ("sequential", "clopper-pearson"):
            seconds = min(
                audited(control, method=method, max_samples=samples, seed=seed, stop_early=False)[1]
                for _ in range(3)
            )
            yield Line(
                "speed",
                control.name,
                method,
                f"{seconds:.3f} s = {seconds / plain:.1f} × {plain:.3f} s",
                "≤ 3 ×",
                seconds <= 3.0 * plain,
                seconds / plain,
                samples,
                seconds,
            )


def memory(full: bool, seed: int) -> Iterator[Line]:
    """Peak memory of this process after an audit of a Gaussian in 1,000 dimensions; run it alone to know."""
    samples = 10**5 if full else 10**4

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
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield Line(
        "memory",
        "gaussian in 1,000 dimensions",
        "sequential",
        f"{peak:.2f} GiB at the peak, {result.verdict}, {seconds:.1f} s",
        "≤ 4 GiB",
        peak <= 4.0,
        peak,
        samples,
        seconds,
    )


SECTIONS: dict[str, Callable[[bool, int], Iterator[Line]]] = {
    "rows": rows,
    "broken": broken,
    "ladder": ladder,
    "speed": speed,
    "memory": memory,
    "private": private,
    "null": null,
}


def write(lines: list[Line], out: Path, full: bool) -> None:
    """The table as Markdown and CSV, and a figure of the sharpness of both methods."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / "audit.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(Line.__slots__))
        writer.writeheader()
        writer.writerows(asdict(line) for line in lines)
    words = {True: "yes", False: "**no**", None: ""}
    text = [
        f"# Audit: measured ({'full' if full else 'quick'} run)",
        "",
        "| section | case | method | measured | asked | met |",
        "|---|---|---|---|---|---|",
        *(
            f"| {x.section} | {x.case} | {x.method} | {x.figure} | {x.asked} | {words[x.met]} |"
            for x in lines
        ),
    ]
    (out / "audit.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    found = [line for line in lines if line.section == "rows"]
    if found:
        _figure(found, out / "audit.png")


def _figure(lines: list[Line], path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, 2, sharey=True)
    for axis, method in zip(axes, ("clopper-pearson", "sequential"), strict=True):
        for case in dict.fromkeys(line.case for line in lines):
            points = [(x.samples, x.value) for x in lines if x.case == case and x.method == method]
            axis.plot(*zip(*points, strict=True), marker="o", label=case)
        axis.axhline(1.0, color="black", linestyle="--")
        axis.set(xscale="log", xlabel="samples a side", title=method)
    axes[0].set_ylabel("lower bound on ε / best fixed event")
    axes[1].legend(ncols=2, fontsize=8)
    figure.savefig(path, dpi=120)


def main(arguments: list[str] | None = None) -> int:
    """Run the sections, print their lines as they come, write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="all sizes and 2,000 null audits a case (hours)")
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), default=list(SECTIONS))
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "reports" / "benchmarks")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    lines: list[Line] = []
    for name in options.only:
        for line in SECTIONS[name](options.full, options.seed):
            print(f"{line.section:8} {line.case:32} {line.method:16} {line.figure}  {line.asked}", flush=True)
            lines.append(line)
        write(lines, options.out, options.full)
    return 0


if __name__ == "__main__":
    sys.exit(main())
