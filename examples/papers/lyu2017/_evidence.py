"""What several claims check: the worst answers against a claimed loss, the program against its law."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Point, at_least, at_most, equals, grid, mean_equals
from lyu2017._law import allowed_loss, probability, worst_transcript
from lyu2017._variants import BELOW, STOPPED, Variant, run

QUERIES = (0.5, -0.5, 1.0)
SLACK = 1.0 + 1e-9
"""Rounding."""


def substitution(variant: Variant, above: int, claimed: float, moves: float = 2.0) -> Iterator[Evidence]:
    """That the substitution allows no more than `claimed` proves it; that it allows more shows nothing."""
    allowed = allowed_loss(variant, above, moves)
    if allowed <= claimed * SLACK:
        yield at_most("loss that the substitution allows", allowed, claimed)


def worst_answers(
    variant: Variant, below: int, above: int, claimed: float | None, least: float | None = None
) -> Iterator[Evidence]:
    """The loss of `below` times ⊥ and `above` times ⊤ on neighbours that use up the substitution.

    It may not be larger than `claimed`, nor smaller than `least`; None is no limit.
    """
    first, second, answers = worst_transcript(below, above, variant.redraws)
    yield from loss_between(variant, answers, (first, second), claimed, least)


def loss_between(
    variant: Variant,
    answers: str,
    queries: tuple[Sequence[float], Sequence[float]],
    claimed: float | None,
    least: float | None = None,
) -> Iterator[Evidence]:
    """log of P(answers) on D over P(answers) on D′, for the queries on D and on D′."""
    first, second = queries
    loss, error = probability(variant, first, answers).loss(probability(variant, second, answers))
    if claimed is not None:
        yield at_most("loss of ⊥…⊥⊤…⊤", loss, claimed, error=error, decides=False)
    if least is not None:
        yield at_least("loss of ⊥…⊥⊤…⊤, least", loss, least, error=error)


def complete_runs(stop: int | None, length: int) -> list[str]:
    """All lists of answers of a run on `length` queries; a run that stops is shorter.

    >>> complete_runs(1, 2)
    ['⊤', '⊥⊤', '⊥⊥']
    """
    found, waiting = [], [""]
    while waiting:
        answers = waiting.pop()
        if len(answers) == length or (stop is not None and answers.count("⊤") == stop):
            found.append(answers)
        else:
            waiting += [answers + "⊥", answers + "⊤"]
    return found


def is_run(outputs: np.ndarray, answers: str) -> np.ndarray:
    """Which outputs (size, k) show these answers, and nothing after them: (size,) booleans."""
    hits = np.ones(len(outputs), dtype=bool)
    for i, column in enumerate(outputs.T):
        if i >= len(answers):
            hits &= column == STOPPED
        elif answers[i] == "⊥":
            hits &= column == BELOW
        else:
            hits &= (column != BELOW) & (column != STOPPED)
    return hits


def frequencies(variant: Variant, point: Point, alpha: float) -> Iterator[Evidence]:
    """The frequency of every run on three queries against its probability, known to 1e-5."""
    outputs = run(variant, QUERIES, point.samples, point.rng)
    runs = complete_runs(variant.stop, len(QUERIES))
    for answers in runs:
        law = probability(variant, QUERIES[: len(answers)], answers)
        hits = is_run(outputs, answers)
        if law.high == 0.0:
            yield equals(f"runs with {answers}, which cannot be", int(hits.sum()), 0)
            continue
        yield mean_equals(
            f"frequency of {answers}",
            hits.astype(float),
            (law.low + law.high) / 2.0,
            alpha=alpha / len(runs),
            method="clopper-pearson",
        )


def program(claim: Claim, check: Callable[[Point], Iterator[Evidence]], *, stops: bool = True) -> Claim:
    """The reading that the program of an algorithm has the law that is computed; some stop after c ⊤."""
    smoke = {"epsilon": 1.0, "c": (1, 2)} if stops else {"epsilon": 1.0}
    ci = {"epsilon": 1.0, "c": (1, 2, 3)} if stops else {"epsilon": (0.5, 1.0, 2.0)}
    return claim.reading(
        "program",
        title=f"The program of {claim.result} has the law that is computed",
        expected=CONSISTENT,
        largest_resolution=0.02,
        check=check,
        smoke=grid(**smoke, samples=50_000),
        ci=grid(**ci, samples=400_000),
        plots=(),
    )
