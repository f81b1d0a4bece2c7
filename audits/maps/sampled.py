"""A measurement's stated loss, held against samples of its outputs, in the unit of its measure.

A round draws pairs and hands them to `audit_privacy`, which follows the most promising. The k-th audit of a
run has the share α·6/(π²·k²) of α, so that all of them err with probability α at most.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from audits.maps.distances import gap
from audits.maps.domains import Vector
from audits.maps.subject import Found, Raised
from audits.values import key

if TYPE_CHECKING:
    from audits.maps.search import Search

Pair = tuple[Any, Any]
PAIRS = 8
"""Pairs of a round, at most."""
SAMPLES = 100_000
"""Outputs of each dataset in a round, at most."""
LEAST = 10.0
"""Seconds of an audit, at least: a few are needed to decide."""


def audit(search: Search, number: int, alpha: float) -> None:
    """One round: what it finds goes to `search`. A violation is audited again on its smallest pair."""
    d_in = search.choices[number % len(search.choices)]
    pairs = _pairs(search, d_in, number)
    found = _audited(search, pairs, d_in, alpha) if pairs else None
    if found is not None:
        small, domain = _apart(found.first, found.second), search.subject.domain
        near = not gap(search.subject.metric, *small).exceeds(d_in)
        if isinstance(domain, Vector) and near and all(map(domain.holds, small)) and domain.together(*small):
            found = _audited(search, [small], d_in, alpha) or found
    search.violation = found


def _audited(search: Search, pairs: list[Pair], d_in: Any, alpha: float) -> Found | None:
    """The pair on which the stated loss is refuted, if there is one."""
    from audits.privacy import audit_privacy, each, unseeded

    subject, raised = search.subject, list[Raised]()
    assert subject.claim is not None

    def output(data: Any) -> Any:
        found = search.output(data)
        if isinstance(found, Raised):
            raised.append(found)
            raise ValueError(found)
        return found

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
        search.skip(f"an audit at d_in = {d_in}", error)
        return None
    if raised:
        search.skip("the function raises in an audit", raised[0])
        return None
    search.compared += len(pairs)
    if result.verdict == "refuted":
        words = f"{result.claim.unit} ≥ {result.lower:.6g} ({result.samples:,} samples)"
        return Found(*pairs[result.pair_index], d_in, stated, words, certain=False)
    if result.verdict == "undecided":
        search.skip("an audit was undecided", result.note)
    if claim.value > 0.0:
        search.ratio = max(search.ratio, min(1.0, result.lower / claim.value))
    return None


def _pairs(search: Search, d_in: Any, number: int) -> list[Pair]:
    """New pairs, with outputs on both datasets."""
    found: list[Pair] = []
    for first, second, _ in search.drawn(number, PAIRS, (d_in,)):
        tried = hash(repr((first, second, d_in)))
        if tried in search.seen or key(first) == key(second):
            continue
        search.seen[tried] = 0.0
        search.pairs += 1
        if not search.raises(first, second, d_in, (search.output(first), search.output(second))):
            found.append((first, second))
    return found


def _apart(first: Any, second: Any) -> Pair:
    """Two lists without the records that both have: as far apart as before."""
    if not isinstance(first, list):
        return first, second
    rest = [*second]
    kept: list[Any] = []
    for record in first:
        if record in rest:
            rest.remove(record)
        else:
            kept.append(record)
    return kept, rest
