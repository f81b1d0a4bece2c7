"""`check_map`: does the distance that an object states hold between two neighbours' outputs?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from audits.maps import from_opendp
from audits.maps.neighbours import distances
from audits.maps.program import program
from audits.maps.result import NOTHING, REFUTED, ROUNDING, UNDECIDED, MapResult
from audits.maps.search import Found, Search
from audits.maps.subject import Subject

BUDGET = 60.0
ALPHA = 0.001


def check_map(
    target: Any,
    *,
    d_in: Any = None,
    budget: float = BUDGET,
    seed: int = 0,
    alpha: float = ALPHA,
    made: Sequence[str] = (),
    progress: Callable[[Search], None] | None = None,
) -> MapResult:
    """Search for two neighbours whose outputs are farther apart than the object states.

    target    an OpenDP Transformation or Measurement, or what has its attributes.
    d_in      the input distance to try; None for several.
    budget    seconds.
    alpha     the probability that a measurement which keeps its claim is refuted.
    made      lines of Python that make the object under the name `checked`, for the printed program.
    progress  called with the search after each of its rounds.

    The outputs of a transformation are compared exactly: a pair that exceeds the stated distance is a proof.
    No pair found is no proof. Raises ValueError for bad input. Needs Hypothesis (``dpclaims[maps]``).
    """
    if not (isinstance(budget, int | float) and 0.0 < budget < math.inf):
        raise ValueError(f"budget must be a positive number of seconds, got {budget!r}")
    if not (isinstance(alpha, int | float) and 0.0 < alpha < 1.0):
        raise ValueError(f"alpha must be in (0, 1), got {alpha!r}")
    if not (isinstance(seed, int) and seed >= 0):
        raise ValueError(f"seed must be an integer ≥ 0, got {seed!r}")
    try:
        import hypothesis as _  # noqa: F401
    except ImportError as error:
        raise ValueError("a map is checked with Hypothesis: pip install 'dpclaims[maps]'") from error
    subject = subject_of(target)
    began = time.monotonic()
    if subject.refusal:
        return _nothing(subject, f"{subject.refusal}.", seed, began)
    wanted = (d_in,) if d_in is not None else distances(subject.metric, subject.domain)
    choices, skipped = _claimed(subject, wanted)
    if not choices:
        return _nothing(subject, "the map makes no finite claim.", seed, began, skipped)
    search = Search(subject, choices, seed, began + budget).run(alpha, progress)
    return _result(search, began, skipped, made, alpha)


def subject_of(target: Any) -> Subject:
    """The claim that an object carries. ValueError where it carries none that is known here."""
    if from_opendp.is_opendp(target):
        return from_opendp.read(target)
    raise ValueError(
        f"target must be an OpenDP transformation or measurement, got {type(target).__name__}: {target!r}"
    )


def _claimed(subject: Subject, wanted: Sequence[Any]) -> tuple[tuple[Any, ...], list[str]]:
    """The input distances at which the map makes a claim, and a sentence on each other."""
    choices: list[Any] = []
    skipped: list[str] = []
    for one in wanted:
        try:
            stated = subject.stated(one)
            number = _loss(stated if subject.claim is None else subject.claim(stated).value)
        except Exception as error:
            words = " ".join(str(error).split())[-160:]
            skipped.append(f"d_in = {one!r}: the map raises {type(error).__name__}: {words}")
            continue
        if math.isnan(number) or number == math.inf:
            skipped.append(f"d_in = {one!r}: the map returns {stated}, which is no claim")
        else:
            choices.append(one)
    return tuple(choices), skipped


def _loss(stated: Any) -> float:
    """A stated distance, or the largest of several, as a number."""
    return max(map(float, stated)) if isinstance(stated, tuple) else float(stated)


def _nothing(subject: Subject, words: str, seed: int, began: float, skipped: Sequence[str] = ()) -> MapResult:
    return MapResult(
        verdict=UNDECIDED,
        name=subject.name,
        found=words,
        skipped=tuple(skipped),
        seconds=time.monotonic() - began,
        seed=seed,
    )


def _result(
    search: Search, began: float, skipped: Sequence[str], made: Sequence[str], alpha: float
) -> MapResult:
    subject = search.subject
    found, verdict = _verdict(search)
    searched = [
        f"domain: {subject.domain}",
        f"neighbours: {subject.metric} at d_in = {', '.join(map(repr, search.choices))}; outputs: "
        f"{subject.output or 'audited by samples'}",
        f"inputs: {search.pairs:,} pairs"
        + (", all that the strategy draws" if search.exhausted and verdict == NOTHING else ""),
    ]
    if search.random:
        searched.append(
            "the function is random: outputs were compared by how often each occurs"
            + (f"; {search.undecided:,} pairs were not told apart" if search.undecided else "")
        )
    if search.audits:
        searched.append(f"audits of proposed pairs: {search.audits}, at α_k = 6α/(π²k²), α = {alpha:g}")
    if search.failed:
        skipped = [*skipped, f"{search.failed:,} pairs on which the function raises: {search.failure}"]
    if search.slow:
        skipped = [*skipped, f"{search.slow:,} pairs on which an output takes too long to sample"]
    skipped = [*skipped, *sorted(search.unclear)]
    raised = search.raised
    if raised is not None and verdict != UNDECIDED:
        searched.append(
            f"one of two neighbours raises {raised.measured}: {raised.first!r}, {raised.second!r}"
        )
    return MapResult(
        verdict=verdict,
        name=subject.name,
        pair=None if found is None else (found.first, found.second),
        d_in=None if found is None else found.d_in,
        stated=None if found is None else found.stated,
        found=_words(found, verdict),
        program="" if found is None else program(subject, found, made or subject.lines),
        certain=found is not None and found.certain and verdict == REFUTED,
        pairs=search.pairs,
        ratio=search.ratio,
        searched=tuple(searched),
        skipped=tuple(skipped),
        seconds=time.monotonic() - began,
        seed=search.seed,
        alpha=None if subject.claim is None else alpha,
    )


def _verdict(search: Search) -> tuple[Found | None, str]:
    if search.violation is not None:
        return search.violation, REFUTED
    if search.raised is not None or search.pairs <= search.failed:
        return search.raised, UNDECIDED
    return search.rounding, NOTHING if search.rounding is None else ROUNDING


def _words(found: Found | None, verdict: str) -> str:
    if found is None:
        return "" if verdict != UNDECIDED else "the function raises on every pair, or none could be drawn."
    if verdict == UNDECIDED:
        return (
            f"one of two neighbours raises, the other does not: {found.measured}. This tells the "
            f"datasets apart, and no map speaks of it. D = {found.first!r}, D′ = {found.second!r}, "
            f"d_in = {found.d_in}."
        )
    return str(found.measured)
