"""Claims small enough to see through, for the tests of the machinery."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Measure, Source, Tier

SOURCE = Source(paper="demo", result="Theorem 1", place="section 1", reference="Nobody (2000)")


def measure_mean(point: Any, rng: Any) -> dict[str, Any]:
    """`trials` normal draws around n."""
    return {"value": point["n"] + rng.standard_normal(point.trials)}


def judge_mean(rows: Any, alpha: float) -> Sequence[Evidence]:
    """The mean of each grid point, as context, and one exact fact that confirms."""
    means = rows.groupby("n")["value"].mean()
    found = [exact_evidence("mean", float(v), point={"n": int(n)}) for n, v in means.items()]
    return [*found, exact_evidence("fact", 1.0, bound=1.0, verdict=Verdict.CONFIRMED)]


def claim(
    name: str = "theorem-1",
    *,
    measure: Measure = measure_mean,
    judge: Callable[[Any, float], Sequence[Evidence]] = judge_mean,
    expected: Verdict = Verdict.CONFIRMED,
    trials: int = 50,
    chunk: int = 20,
    points: Sequence[dict[str, Any]] = ({"n": 1}, {"n": 2}),
    **more: Any,
) -> Claim:
    """A claim of the paper "demo" with the same work in every tier."""
    tier = Tier(points=points, trials=trials, chunk=chunk)
    return Claim(
        id=f"demo/{name}",
        kind=Kind.IDENTITY,
        title="A demonstration",
        statement="For all $n$, $1 = 1$.",
        how="By looking.",
        source=SOURCE,
        bound=Bound.TIGHT,
        expected=expected,
        tiers={"smoke": tier, "ci": tier, "full": tier},
        measure=measure,
        judge=judge,
        **more,
    )
