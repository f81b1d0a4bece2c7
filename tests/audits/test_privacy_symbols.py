"""Symbols, values and rows beside other columns and in lists of any order; the telling event is planted."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.privacy.learn.cells import members, partition
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.outputs import Encoded, columns_of

WORDS = [
    f"{colour} {tree}" for colour in ("red", "blue", "pink", "grey") for tree in ("oak", "elm", "fir", "ash")
]


def encoded(*sides: Any) -> list[Encoded]:
    encoder = Encoder()
    return [encoder.encode(side, "a dataset") for side in sides]


def test_the_commonest_symbols_have_columns_in_their_places() -> None:
    rng = np.random.default_rng(3)
    some = WORDS[:12]
    words = rng.choice(some, p=np.arange(1, 13) / 78.0, size=(2, 3000))
    a, b = encoded(*(np.array(list(zip(side, side[::-1], strict=True))) for side in words))
    columns = columns_of(a, b)
    assert len(columns.marks) == 24
    table = columns(a)
    assert table.shape == (3000, 2 + 24)
    for place, values in enumerate((words[0], words[0][::-1])):
        for word in some:
            share = np.mean(values == word)
            assert np.isclose(table[:, 2:].mean(axis=0), share).any(), (place, word)
    # A symbol that is always there has none.
    a, b = encoded(*(np.array([("x", word) for word in side[:500]]) for side in words))
    assert {place for place, _ in columns_of(a, b).marks} == {2}


def test_a_partition_has_a_cell_for_every_number_and_names_it() -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=3000), np.full(200, 0.5), np.full(50, -2.0)])
    cells = partition(values)
    place = cells.of(values)
    assert place.min() >= 0
    assert place.max() == len(cells) - 1
    assert cells.words(int(cells.of(np.array([0.5]))[0])) == "{0.5}"
    for cell in np.unique(place):
        inside, words = values[place == cell], cells.words(int(cell))
        if words.startswith("["):
            ends = words[1:-1].split(", ")
            low, high = (float(end.replace("−", "-").replace("∞", "inf")) for end in ends)
            # Ends are written with six digits.
            assert low - 1e-5 <= inside.min()
            assert inside.max() <= high + 1e-5
        else:
            assert words == f"{{{inside[0]:g}}}"


def test_a_number_or_a_symbol_of_a_list_is_counted_wherever_it_stands() -> None:
    rng = np.random.default_rng(6)
    numbers = rng.integers(0, 20, size=(2, 800, 7)).astype(float)
    numbers[0][numbers[0] == 13.0] = 20.0
    words = rng.choice(WORDS[:8], size=(2, 800, 5))
    words[1][words[1] == WORDS[3]] = WORDS[9]
    for lists, values in ((numbers, (13.0, 20.0)), (words, (WORDS[3], WORDS[9]))):
        a, b = encoded(*lists)
        score = members(a, b)
        assert score is not None
        # One of the two values that only one of the datasets has.
        counts = [(lists[1] == value).sum(axis=1).tolist() for value in values]
        assert score.evaluate(b).tolist() in counts


def test_lists_that_hold_alike_have_no_member_that_tells() -> None:
    # The largest of some 300 surprises passes log(cells) + 3 with probability 0.05; fixed seed.
    a, b = encoded(*np.random.default_rng(7).normal(size=(2, 2000, 6)))
    assert members(a, b) is None
