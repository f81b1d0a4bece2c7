"""A score of the symbols of outputs that hold more: which one is in a place, how often one occurs anywhere,
and whether two places hold the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from audits.privacy.learners.cells import of_cells
from audits.privacy.learners.score import Score, beyond_chance, cells_apart, shares_apart
from audits.privacy.outputs import Encoded, Floats, Ints
from audits.privacy.tuning import TUNING

Cells = tuple[str, Callable[[Encoded], Ints], Callable[[int], str]]
"""What is looked at, in words; the cell that each output lies in; and the cells in words."""
Found = tuple[Floats, Callable[[int], Cells]]
"""How well some choices tell the datasets apart, in standard errors; the number of a choice → its cells."""


def symbols(first: Encoded, second: Encoded) -> Score | None:
    """What tells the datasets apart best of all places and all symbols; None where chance explains it."""
    if first.shape[1] == 0 or len(first) < TUNING.hidden_least:
        return None
    found = [some for look in (_in_place, _anywhere, _agreeing) for some in look(first, second)]
    telling, cells = max(found, key=lambda some: some[0].max(initial=0.0))
    if telling.max(initial=0.0) < beyond_chance(max(sum(len(some) for some, _ in found), 1)):
        return None
    what, cell, words = cells(int(telling.argmax()))
    return of_cells("symbols", cell, words, first, second, what)


def _in_place(first: Encoded, second: Encoded) -> Iterator[Found]:
    """Each symbol in each place, or none there; the cells are all symbols of the place."""
    for place in range(first.shape[1]):
        here = slice(place, place + 1)

        def cells(_: int, place: int = place) -> Cells:
            return f"code {place}", lambda e: e.codes[:, place], _words

        yield _apart(first.codes[:, here], second.codes[:, here]), cells


def _words(symbol: int) -> str:
    return f"{{symbol {symbol}}}" if symbol else "{a number}"


def _anywhere(first: Encoded, second: Encoded) -> Iterator[Found]:
    """Each symbol in any place; the cells are how often it occurs."""
    places = first.shape[1]
    if places < 2:
        return
    rows = slice(0, max(TUNING.hidden_least, TUNING.most_numbers // places))
    telling = _apart(first.codes[rows], second.codes[rows])
    telling[0] = 0.0  # a number is no symbol

    def cells(symbol: int) -> Cells:
        most = TUNING.few_cells - 1
        return (
            f"how often symbol {symbol} occurs",
            lambda e: np.minimum((e.codes == symbol).sum(axis=1), most),
            lambda times: f"{{{times}{' or more' if times == most else ''}}}",
        )

    yield telling, cells


def _agreeing(first: Encoded, second: Encoded) -> Iterator[Found]:
    """Two places with the same symbol."""
    left, right = np.triu_indices(first.shape[1], 1)
    if not 0 < len(left) <= TUNING.most_tripled**2:
        return
    rows = slice(0, max(TUNING.hidden_least, TUNING.most_numbers // len(left)))

    def agree(codes: Ints, i: Ints, j: Ints) -> Ints:
        return ((codes[:, i] == codes[:, j]) & (codes[:, i] > 0)).astype(np.int64)

    def cells(pair: int) -> Cells:
        i, j = left[pair], right[pair]
        what = f"whether code {i} and code {j} are the same symbol"
        return what, lambda e: agree(e.codes, i, j), lambda c: ("{no}", "{yes}")[c]

    some = [e.codes[rows] for e in (first, second)]
    p, q = (agree(codes, left, right).mean(axis=0) for codes in some)
    yield shares_apart(p, q, len(some[0])), cells


def _apart(first: Ints, second: Ints) -> Floats:
    """For each symbol from 0 on how well its presence in an output tells the datasets apart."""
    return cells_apart(first, second, 1 + int(max(first.max(initial=0), second.max(initial=0))))
