"""`check_map`: does the distance that an object states hold between two neighbours' outputs?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from audits.maps import from_opendp, from_tumult, own, sampled
from audits.maps.neighbours import distances
from audits.maps.program import program
from audits.maps.result import NOTHING, REFUTED, ROUNDING, UNDECIDED, MapResult
from audits.maps.search import Search
from audits.maps.subject import Found, Subject, Unknown
from implementations.checks import positive, probability, whole_number

BUDGET = 60.0
ALPHA = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The keywords of `check_map`; ValueError, which names it, for one that makes no sense."""

    d_in: Any = None
    domain: Any = None
    stability: Any = None
    metric: str | None = None
    output: str | None = None
    budget: float = BUDGET
    max_pairs: int | None = None
    seed: int = 0
    alpha: float = ALPHA
    made: Sequence[str] = ()
    progress: Callable[[Search], None] | None = None

    def __post_init__(self) -> None:
        positive(budget=self.budget)
        probability(alpha=self.alpha)
        whole_number(0, seed=self.seed)
        if self.max_pairs is not None:
            whole_number(max_pairs=self.max_pairs)
        if self.d_in is not None:
            positive(d_in=self.d_in)


def check_map(target: Any, **options: Any) -> MapResult:
    """Search for two neighbours whose outputs are farther apart than the object states.

    target    a transformation or measurement of OpenDP or Tumult Core, or what has its attributes;
              a function of your own.
    domain, stability, metric, output   of a function of your own, of one list of records: a Hypothesis
              strategy of such lists, closed under adding and removing records (for "change-one" and "hamming"
              under replacing them); d_in ↦ d_out, or a factor; names of the input metric, "symmetric" if
              None, and of the output metric, "l2" if None. An object with `sensitivity()` has the factor.
    d_in      the input distance to try; None for several.
    budget    seconds: 60.
    max_pairs stop after so many pairs, or some more; None for no limit.
    seed      of every draw of inputs, 0; a measurement has randomness of its own.
    alpha     the probability that a measurement which keeps its claim is refuted: 0.001.
    made      lines of Python that make the object under the name `checked`, for the printed program.
    progress  called with the search after each of its rounds.

    The outputs of a transformation are compared exactly: a pair that exceeds the stated distance is a proof.
    No pair found is no proof. Raises ValueError for bad input. Needs Hypothesis (``dpclaims[maps]``).

    >>> from hypothesis import strategies as st
    >>> lists = st.lists(st.integers(0, 9))
    >>> sorted(check_map(sum, domain=lists, stability=8, output="absolute").pair)
    [[], [9]]
    """
    try:
        asked = Options(**options)
    except TypeError as error:
        raise ValueError(f"check_map: {error}") from None
    try:
        import hypothesis as _  # noqa: F401
    except ImportError as error:
        raise ValueError("a map is checked with Hypothesis: pip install hypothesis") from error
    began = time.monotonic()
    try:
        subject = subject_of(target, asked)
    except Unknown as reason:
        return _undecided(" ".join(str(target).split()), f"{reason}.", asked.seed, began)
    wanted = (asked.d_in,) if asked.d_in is not None else distances(subject.metric, subject.domain)
    # A measurement's pairs cost hundreds of outputs each: the smallest distances, at which most is lost.
    choices, skipped = _claimed(subject, wanted if subject.claim is None else wanted[:2])
    if not choices:
        return _undecided(subject.name, "the map makes no finite claim.", asked.seed, began, skipped)
    # A map that raises may take long to say so, which the search does not pay for.
    search = Search(subject, choices, int(asked.seed), time.monotonic() + asked.budget, asked.max_pairs)
    search.run(asked.alpha, asked.progress)
    return _result(search, began, skipped, asked)


def subject_of(target: Any, given: Options) -> Subject:
    """The claim that an object carries. ValueError where it carries none that is known here."""
    if from_opendp.is_opendp(target):
        return from_opendp.read(target)
    if from_tumult.is_tumult(target):
        return from_tumult.read(target)
    if own.is_own(target, given):
        return own.read(target, given)
    raise ValueError(
        "target must be a transformation or measurement of OpenDP or Tumult Core, or a function with domain= "
        f"and stability=, got {type(target).__name__}: {target!r}"
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


def _undecided(name: str, words: str, seed: int, began: float, skipped: Sequence[str] = ()) -> MapResult:
    """The answer where nothing can be driven."""
    seconds = time.monotonic() - began
    return MapResult(
        verdict=UNDECIDED, name=name, found=words, skipped=tuple(skipped), seconds=seconds, seed=seed
    )


def _result(search: Search, began: float, skipped: Sequence[str], asked: Options) -> MapResult:
    subject, (found, verdict) = search.subject, _verdict(search)
    # How far something was searched, and what was not: sentences, where there is something to say.
    searched = {
        f"domain: {subject.domain}": True,
        f"neighbours: {subject.metric} at d_in = {', '.join(map(repr, search.choices))}; outputs: "
        f"{subject.output or 'audited by samples'}": True,
        f"inputs: {search.pairs:,} pairs": True,
        "all that the strategy draws": search.exhausted and verdict == NOTHING,
        f"audits of {sampled.PAIRS} pairs or fewer: {search.audits}, α = {asked.alpha:g}": search.audits,
    }
    words = "" if found is None else str(found.measured)
    if verdict == UNDECIDED:
        words = (
            f"one of two neighbours raises, the other does not: {words}. This tells the datasets apart, and "
            "no map speaks of it."
            if found
            else "no pair of outputs could be compared."
        )
    return MapResult(
        verdict=verdict,
        name=subject.name,
        pair=None if found is None else (found.first, found.second),
        d_in=None if found is None else found.d_in,
        stated=None if found is None else found.stated,
        found=words,
        program="" if found is None else program(subject, found, asked.made or subject.lines),
        certain=found is not None and found.certain and verdict == REFUTED,
        pairs=search.pairs,
        ratio=search.ratio,
        searched=tuple(words for words, said in searched.items() if said),
        skipped=(
            *skipped,
            *(f"{why} ({times:,} pairs): {first}" for why, (times, first) in search.skipped.items()),
        ),
        seconds=time.monotonic() - began,
        seed=search.seed,
        alpha=None if subject.claim is None else asked.alpha,
    )


def _verdict(search: Search) -> tuple[Found | None, str]:
    if search.violation is not None:
        return search.violation, REFUTED
    if search.raised is not None or not search.compared:
        return search.raised, UNDECIDED
    return search.rounding, NOTHING if search.rounding is None else ROUNDING
