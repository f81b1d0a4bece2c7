"""Neighbouring pairs: what is checked before a sample is drawn."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from audits.foreign.calls import Failed, called
from audits.privacy.draw.datasets import Records, readings, records
from audits.values import brief, digest
from implementations.interfaces import Adjacency

Pair = tuple[Any, Any]
Pairs = Iterable[Pair] | Callable[[np.random.Generator], Iterable[Pair]]
AdjacencyLike = str | Adjacency | Callable[[Any, Any], bool]

REORDERED = (
    "both hold the same records, only in another order: replace one of them, or pass a function "
    "(D, D′) -> bool as adjacency"
)
ADD_REMOVE = {"add": "add-remove", "remove": "add-remove"}
"""The words of `dpclaims audit --adjacency`: a pair is audited in both directions, so they mean the same."""
MAX_PAIRS = 64
"""A generator of pairs may be endless: no more than this many are taken from it."""


def take_pairs(pairs: Pairs, rng: np.random.Generator, adjacency: AdjacencyLike) -> tuple[list[Pair], bool]:
    """The pairs to audit, each checked to be neighbouring; and whether pairs(rng) had more than were taken.

    Raises ValueError naming the first pair that is not.
    """

    def listed() -> list[Any]:
        source: Any = pairs(rng) if callable(pairs) else pairs
        endless = callable(pairs) or isinstance(pairs, Iterator)
        return list(itertools.islice(source, MAX_PAIRS + 1) if endless else source)

    found = called(listed)
    if type(found) is Failed:
        what = f"pairs(rng) {found.sentence}" if callable(pairs) else f"got {brief(pairs)}"
        raise ValueError(
            f"pairs must hold or yield pairs (D, D′) of neighbouring datasets: {what}"
        ) from found.error
    more = len(found) > MAX_PAIRS and (callable(pairs) or isinstance(pairs, Iterator))
    found = found[:MAX_PAIRS] if more else found
    if not found:
        raise ValueError("pairs must hold at least one pair of neighbouring datasets, got none")
    relation = adjacency_relation(adjacency)
    for i, pair in enumerate(found):
        # An array that stands for a pair of rows, or a dictionary, would unpack into something meaningless.
        if not isinstance(pair, (tuple, list)) or len(cast(Sequence[Any], pair)) != 2:
            raise ValueError(f"pairs must hold tuples (D, D′), got {brief(pair)} at place {i}")
        first, second = pair
        for data in pair:
            if isinstance(data, Iterator):
                raise ValueError(
                    f"pairs[{i}] must hold datasets that can be read again, got {brief(data)}: pass a list"
                )
        if digest(first) == digest(second):
            raise ValueError(
                f"pairs[{i}] is not a neighbouring pair: nothing differs between D and D′, {brief(first)}"
            )
        reason = relation(first, second)
        if reason is not None:
            raise ValueError(f"pairs[{i}] is not a neighbouring pair: {reason}")
    return [(first, second) for first, second in found], more


def adjacency_relation(adjacency: AdjacencyLike) -> Callable[[Any, Any], str | None]:
    """The relation as a function (D, D′) → None where they are neighbours, else the reason why not."""
    if callable(adjacency) and not isinstance(adjacency, str):
        return partial(_by_function, adjacency)
    try:
        kind = Adjacency(ADD_REMOVE.get(adjacency, adjacency))
    except (ValueError, TypeError):
        known = [*map(str, Adjacency), *ADD_REMOVE]
        raise ValueError(
            f"adjacency must be one of {known} or a function (D, D′) -> bool, got {adjacency!r}"
        ) from None
    return {
        Adjacency.REPLACE: partial(_in_every_reading, _one_replaced),
        Adjacency.REPLACE_ITEM: _replace_item,
        Adjacency.ADD_REMOVE: partial(_in_every_reading, _one_added),
    }[kind]


def _by_function(test: Callable[[Any, Any], bool], first: Any, second: Any) -> str | None:
    answer: Any = called(test, first, second)
    if type(answer) is Failed:
        return f"the adjacency function {answer.sentence}"
    if not isinstance(answer, (int, np.bool_)):
        return f"the adjacency function must return True or False, got {brief(answer)}"
    return None if answer else f"the adjacency function says no to {brief(first)} and {brief(second)}"


def _in_every_reading(
    relation: Callable[[Records, Records], str | None], first: Any, second: Any
) -> str | None:
    found = readings(first, second)
    if isinstance(found, str):
        return found
    reasons = [relation(a, b) for a, b in found]
    if len({reason is None for reason in reasons}) > 1:
        (rows, _), (columns, _) = found
        return (
            f"{brief(first)} may hold {len(rows)} records or {len(columns)} of {len(rows)} columns each, and "
            "only one of these makes it a neighbour: pass one array of records, a tuple (X, y) of arrays, or "
            "a function (D, D′) -> bool as adjacency"
        )
    return reasons[0]


def _lost(a: Records, b: Records) -> int:
    """How many records of the first dataset are not in the second."""
    return (Counter(a) - Counter(b)).total()


def _one_replaced(a: Records, b: Records) -> str | None:
    if len(a) != len(b):
        return f'"replace" needs as many records in both, got {len(a)} and {len(b)}'
    if a == b:
        return "nothing differs between D and D′"
    changed = _lost(a, b)
    if changed == 0:
        return REORDERED
    return None if changed == 1 else f'"replace" allows one different record, got {changed}'


def _one_added(a: Records, b: Records) -> str | None:
    if abs(len(a) - len(b)) != 1:
        return f'"add-remove" needs one record more in one of them, got {len(a)} and {len(b)} records'
    missing = _lost(*sorted((a, b), key=len))
    return None if missing == 0 else f'"add-remove" allows one added record, got {missing} more that differ'


def _replace_item(first: Any, second: Any) -> str | None:
    try:
        users = list(first), list(second)
    except TypeError:
        return f"a dataset must be a sequence of users, got {brief(first)}"
    if len(users[0]) != len(users[1]):
        return f'"replace-item" needs as many users in both, got {len(users[0])} and {len(users[1])}'
    changed = 0
    for user, other in zip(*users, strict=True):
        a, b = records(user), records(other)
        if isinstance(a, str) or isinstance(b, str):
            return 'a user must be a sequence of items under "replace-item"'
        if len(a) != len(b):
            return f'"replace-item" keeps the number of items of a user, got {len(a)} and {len(b)}'
        changed += _lost(a, b)
    if changed == 0:
        return REORDERED
    return None if changed == 1 else f'"replace-item" allows one different item, got {changed}'
