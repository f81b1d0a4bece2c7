"""A measurement's stated loss, held against samples of its outputs, in the unit of its measure.

A round draws pairs and hands them to `audit_privacy`, which follows the most promising. The k-th round of a
run has the share α·6/(π²·k²) of α, so that all of them err with probability α at most.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audits.maps.search import Search

PAIRS = 24
"""Pairs of a round, at most."""
SLOW = 0.05
"""Seconds of one output; a pair on which it takes longer is left out."""
SAMPLES = 100_000
"""Outputs of each dataset in a round, at most."""
LEAST = 10.0
"""Seconds of a round, at least: a few are needed to decide."""


def audit(search: Search, number: int, alpha: float) -> None:
    """One round: what it finds goes to `search`."""
    from audits.maps.search import Found
    from audits.privacy import audit_privacy, each, unseeded

    subject, d_in = search.subject, search.choices[number % len(search.choices)]
    assert subject.claim is not None
    pairs = _pairs(search, d_in, number)
    if not pairs:
        return
    raised: list[str] = []

    def output(data: Any) -> Any:
        try:
            return subject.invoke(subject.made(data))
        except Exception as error:
            raised.append(f"{type(error).__name__}: {error}")
            raise

    stated = subject.stated(d_in)
    claim = subject.claim(stated)
    search.audits += 1
    try:
        result = audit_privacy(
            each(unseeded(output)),
            pairs,
            claim=claim,
            adjacency=lambda first, second: True,
            alpha=6.0 * alpha / (math.pi * search.audits) ** 2,
            seed=search.seed,
            max_samples=SAMPLES,
            time_limit=max(LEAST, search.deadline - time.monotonic()),
            confirm=True,
        )
    except ValueError as error:
        search.unclear.add(f"an audit at d_in = {d_in}: {error}")
        return
    first, second = pairs[result.pair_index]
    if raised:
        search.failed, search.failure = search.failed + 1, raised[0]
    elif result.verdict == "refuted":
        words = result.summary().splitlines()[0]
        search.violation = Found(first, second, d_in, stated, words, certain=False)
    elif result.verdict == "undecided":
        search.unclear.add(result.note or "an audit was undecided")
    if claim.value > 0.0 and not search.violation:
        search.ratio = max(search.ratio, min(1.0, result.lower / claim.value))


def _pairs(search: Search, d_in: Any, number: int) -> list[tuple[Any, Any]]:
    """New pairs with outputs on both datasets, which are not too slow."""
    from audits.maps.search import Found, Raised
    from audits.privacy.draw.datasets import digest

    found: list[tuple[Any, Any]] = []
    for first, second, _ in search.drawn(number, PAIRS, (d_in,)):
        key = hash(repr((first, second, d_in)))
        if key in search.seen or digest(first) == digest(second):
            continue
        search.seen[key] = 0.0
        search.pairs += 1
        began = time.perf_counter()
        both = [search.output(first), search.output(second)]
        failed = [str(one) for one in both if isinstance(one, Raised)]
        if failed:
            search.note_raised(Found(first, second, d_in, None, failed[0]), both=len(failed) == 2)
        elif time.perf_counter() - began > 2.0 * SLOW:
            search.unclear.add(f"pairs on which an output takes longer than {SLOW} s")
        else:
            found.append((first, second))
    return found
