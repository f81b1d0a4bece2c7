"""The worst pair of neighbouring datasets: where a mechanism leaks most.

Pairs are proposed by a function of the user's, by the patterns of StatDP for vectors of query answers (Ding,
Wang,
Wang, Zhang, Kifer 2018, section 5.1), and by local search around the best pair so far. The samples that rank
pairs are never test samples: the audit of the winner draws afresh, so its error level is what it says,
however many pairs were tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from audits.privacy.audit import audit_privacy
from audits.privacy.fixed_size import expected_bound
from audits.privacy.pairs import AdjacencyLike, Pair, adjacency_relation
from audits.privacy.result import AuditResult


@dataclass(frozen=True, slots=True)
class Ranked:
    """A pair with the lower bound on ε that the search expects of it; the bound proves nothing."""

    pair: Pair
    expected: float


def query_patterns(size: int) -> list[Pair]:
    """Pairs of vectors of `size` query answers that differ by at most 1 in each: the patterns of StatDP.

    One above, one below, one above and the rest below, one below and the rest above, half and half, all
    above and
    all below, and an X shape.

    >>> query_patterns(3)[0]
    ((1.0, 1.0, 1.0), (2.0, 1.0, 1.0))
    """
    if size < 1:
        raise ValueError(f"size must be a number of queries ≥ 1, got {size}")
    ones = np.ones(size)
    first = np.arange(size) == 0
    half = np.arange(size) < (size + 1) // 2
    others = [
        np.where(first, 2.0, 1.0),
        np.where(first, 0.0, 1.0),
        np.where(first, 2.0, 0.0),
        np.where(first, 0.0, 2.0),
        np.where(half, 2.0, 0.0),
        2.0 * ones,
        0.0 * ones,
    ]
    pairs = [(_plain(ones), _plain(other)) for other in others]
    if size > 1:
        pairs.append((_plain(half * 1.0), _plain(~half * 1.0)))
    return pairs


def _plain(vector: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in vector)


def neighbours_of(pair: Pair, rng: np.random.Generator) -> Iterator[Pair]:
    """Endless small changes of a pair of numeric datasets: one record moved in both, or copied or swapped."""
    first, second = (np.array(side, dtype=np.float64) for side in pair)
    as_tuple = isinstance(pair[0], tuple)
    while True:
        a, b = first.copy(), second.copy()
        move = int(rng.integers(4))
        if a.ndim == 0 or a.shape != b.shape or len(a) == 0:
            shift = rng.choice([-1.0, -0.5, 0.5, 1.0])
            a, b = a + shift, b + shift
        elif move == 0:
            place = int(rng.integers(len(a)))
            shift = rng.choice([-1.0, -0.5, 0.5, 1.0])
            a[place] += shift
            b[place] += shift
        elif move == 1:
            i, j = rng.integers(len(a), size=2)
            a[i], b[i] = a[j], b[j]
        elif move == 2:
            place = int(rng.integers(len(a)))
            a[place], b[place] = b[place].copy(), a[place].copy()
        else:
            place = int(rng.integers(len(a)))
            b[place] = a[place] + rng.choice([-1.0, 0.0, 1.0])
        yield (_restore(a, as_tuple), _restore(b, as_tuple))


def _restore(array: Any, as_tuple: bool) -> Any:
    return tuple(array.tolist()) if as_tuple else array


def rank_pairs(
    mechanism: Callable[..., Any],
    pairs: Iterable[Pair],
    *,
    epsilon: float,
    delta: float = 0.0,
    adjacency: AdjacencyLike,
    samples: int,
    rng: np.random.Generator,
) -> list[Ranked]:
    """Pairs in order of the lower bound on ε that ten times `samples` a side are expected to give, best
    first.

    `samples` are drawn from each side of each pair. Raises ValueError where a pair is not neighbouring.
    """
    relation = adjacency_relation(adjacency)
    ranked: list[Ranked] = []
    for pair in pairs:
        reason = relation(*pair)
        if reason is not None:
            raise ValueError(f"pairs must be neighbouring: {reason}")
        bound = expected_bound(mechanism, pair, epsilon, delta, samples, 10 * samples, rng)
        ranked.append(Ranked(pair, bound))
    return sorted(ranked, key=lambda r: -r.expected)


def search_pair(
    mechanism: Callable[..., Any],
    pairs: Sequence[Pair] | Callable[[np.random.Generator], Iterable[Pair]],
    *,
    epsilon: float,
    delta: float = 0.0,
    adjacency: AdjacencyLike,
    rng: np.random.Generator,
    samples: int = 4000,
    rounds: int = 3,
    tries: int = 8,
    local: Callable[[Pair, np.random.Generator], Iterable[Pair]] = neighbours_of,
    limit: int = 64,
) -> list[Ranked]:
    """Look for the pair with the largest lower bound on ε; all pairs tried, best first.

    pairs    where to start: a list, or ``pairs(rng)``, of which `limit` are taken.
    samples  a side and pair in the first round; the best quarter of the pairs is ranked again with four
             times as many.
    rounds   rounds of local search around the best pair, `tries` changes each; changes that are not
             neighbouring under `adjacency` are thrown away.
    local    ``local(pair, rng)`` → changed pairs.
    """
    if samples < 64:
        raise ValueError(f"samples must be ≥ 64 to rank a pair, got {samples}")
    found = list(pairs(rng)) if callable(pairs) else list(pairs)
    found = found[:limit]
    if not found:
        raise ValueError("pairs must hold at least one pair to start from, got none")
    relation = adjacency_relation(adjacency)

    def rank(some: Iterable[Pair], size: int) -> list[Ranked]:
        return rank_pairs(
            mechanism, some, epsilon=epsilon, delta=delta, adjacency=adjacency, samples=size, rng=rng
        )

    ranked = rank(found, samples)
    best = rank([r.pair for r in ranked[: max(1, len(ranked) // 4)]], 4 * samples)
    for _ in range(rounds):
        changed: list[Pair] = []
        for attempt, pair in enumerate(local(best[0].pair, rng)):
            if relation(*pair) is None:
                changed.append(pair)
            if len(changed) >= tries or attempt >= 50 * tries:
                break
        best = sorted(best + rank(changed, 4 * samples), key=lambda r: -r.expected)
    seen = {id(r.pair) for r in best}
    return best + [r for r in ranked if id(r.pair) not in seen]


def audit_worst_pair(
    mechanism: Callable[..., Any],
    pairs: Sequence[Pair] | Callable[[np.random.Generator], Iterable[Pair]],
    *,
    epsilon: float,
    delta: float = 0.0,
    adjacency: AdjacencyLike,
    seed: int = 0,
    top: int = 1,
    samples: int = 4000,
    rounds: int = 3,
    **options: Any,
) -> AuditResult:
    """Search for the worst pair, then audit the `top` best on fresh samples; `options` go to `audit_privacy`.

    The search spends samples, not error probability: the audit's α holds given whatever pairs it is handed.
    """
    rng = np.random.default_rng(seed)
    ranked = search_pair(
        mechanism,
        pairs,
        epsilon=epsilon,
        delta=delta,
        adjacency=adjacency,
        rng=rng,
        samples=samples,
        rounds=rounds,
    )
    chosen = [r.pair for r in ranked[: max(1, top)] if math.isfinite(r.expected)] or [ranked[0].pair]
    return audit_privacy(
        mechanism,
        cast(Sequence[Pair], chosen),
        epsilon=epsilon,
        delta=delta,
        adjacency=adjacency,
        rng=rng,
        **options,
    )
