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
        if not (_is_number(self.budget) and 0.0 < self.budget < math.inf):
            raise ValueError(f"budget must be a positive number of seconds, got {self.budget!r}")
        if not (_is_number(self.alpha) and 0.0 < self.alpha < 1.0):
            raise ValueError(f"alpha must be in (0, 1), got {self.alpha!r}")
        for name, least in ("seed", 0), ("max_pairs", 1):
            value: Any = getattr(self, name)
            if not (value is None and least) and not (isinstance(value, int) and value >= least):
                raise ValueError(f"{name} must be an integer ≥ {least}, got {value!r}")
        if self.d_in is not None and not (_is_number(self.d_in) and 0 < self.d_in < math.inf):
            raise ValueError(f"d_in must be a positive number, got {self.d_in!r}")


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
        return _nothing(" ".join(str(target).split()), f"{reason}.", asked.seed, began)
    wanted = (asked.d_in,) if asked.d_in is not None else distances(subject.metric, subject.domain)
    # A measurement's pairs cost hundreds of outputs each: the smallest distances, at which most is lost.
    choices, skipped = _claimed(subject, wanted if subject.claim is None else wanted[:2])
    if not choices:
        return _nothing(subject.name, "the map makes no finite claim.", asked.seed, began, skipped)
    # A map that raises may take long to say so, which the search does not pay for.
    search = Search(subject, choices, asked.seed, time.monotonic() + asked.budget, asked.max_pairs)
    search.run(asked.alpha, asked.progress)
    return _result(search, began, skipped, asked)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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


def _nothing(name: str, words: str, seed: int, began: float, skipped: Sequence[str] = ()) -> MapResult:
    return MapResult(
        verdict=UNDECIDED,
        name=name,
        found=words,
        skipped=tuple(skipped),
        seconds=time.monotonic() - began,
        seed=seed,
    )


def _result(search: Search, began: float, skipped: Sequence[str], asked: Options) -> MapResult:
    subject = search.subject
    found, verdict = _verdict(search)
    # How far something was searched, and what was not: sentences, where there is something to say.
    searched = {
        f"domain: {subject.domain}": True,
        f"neighbours: {subject.metric} at d_in = {', '.join(map(repr, search.choices))}; outputs: "
        f"{subject.output or 'audited by samples'}": True,
        f"inputs: {search.pairs:,} pairs": True,
        "all that the strategy draws": search.exhausted and verdict == NOTHING,
        "the function is random: outputs were compared by how often each occurs": search.random,
        f"{search.undecided:,} pairs of random outputs were not told apart": search.undecided,
        f"audits of {sampled.PAIRS} pairs or fewer: {search.audits}, α = {asked.alpha:g}": search.audits,
    }
    failed = (
        [f"{search.failed:,} pairs on which the function raises: {search.failure}"] if search.failed else []
    )
    if search.raised is not None:
        failed.append(
            f"{search.raised.first!r} and {search.raised.second!r}, where one raises {search.raised.measured}"
        )
    return MapResult(
        verdict=verdict,
        name=subject.name,
        pair=None if found is None else (found.first, found.second),
        d_in=None if found is None else found.d_in,
        stated=None if found is None else found.stated,
        found=_words(found, verdict),
        program="" if found is None else program(subject, found, asked.made or subject.lines),
        certain=found is not None and found.certain and verdict == REFUTED,
        pairs=search.pairs,
        ratio=search.ratio,
        searched=tuple(words for words, said in searched.items() if said),
        skipped=(*skipped, *failed, *sorted(search.unclear)),
        seconds=time.monotonic() - began,
        seed=search.seed,
        alpha=None if subject.claim is None else asked.alpha,
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
            f"one of two neighbours raises, the other does not: {found.measured}. This tells the datasets "
            "apart, and no map speaks of it."
        )
    return str(found.measured)
