"""Symbols, values and rows beside other columns and in lists of any order; the telling event is planted."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.privacy.learn.cells import partition
from audits.privacy.learn.choice import SYMBOLS
from audits.privacy.learn.families import members
from audits.privacy.learn.search import best_of
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.outputs import Encoded, columns_of

Rng = np.random.Generator
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


def test_shares_of_places_lists_and_agreement_are_those_of_brute_force() -> None:
    rng = np.random.default_rng(8)
    lists = [rng.choice(WORDS[:6], size=(600, 4)) for _ in range(2)]
    # The word of the third place is that of the first in half of the lists of one dataset.
    lists[1][:300, 2] = lists[1][:300, 0]
    a, b = encoded(*lists)
    score = SYMBOLS.fit(a, b)
    assert score is not None
    agree = [side[:, 0] == side[:, 2] for side in lists]
    for side, values in zip((a, b), agree, strict=True):
        found = score.evaluate(side)
        assert len({*found[values].tolist()}) == len({*found[~values].tolist()}) == 1
        assert found[values][0] != found[~values][0]


def test_a_partition_has_a_cell_for_every_number_and_names_it() -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=3000), np.full(200, 0.5), np.full(50, -2.0)])
    cells = partition(values)
    place = cells.of(values)
    assert place.min() >= 0
    assert place.max() == len(cells) - 1
    assert cells.words(int(cells.of(np.array([0.5]))[0])) == "{0.5}"
    for cell in np.unique(place):
        np.testing.assert_array_equal(cells.holds(int(cell), values), place == cell)
        inside, words = values[place == cell], cells.words(int(cell))
        if words.startswith("["):
            ends = words[1:-1].split(", ")
            low, high = (float(end.replace("−", "-").replace("∞", "inf")) for end in ends)
            # Ends are written with six digits.
            assert low - 1e-5 <= inside.min()
            assert inside.max() <= high + 1e-5
        else:
            assert words == f"{{{inside[0]:g}}}"


def test_numbers_of_a_list_are_counted_wherever_they_stand() -> None:
    rng = np.random.default_rng(6)
    lists = rng.integers(0, 20, size=(2, 800, 7)).astype(float)
    lists[0][lists[0] == 13.0] = 20.0
    a, b = encoded(*lists)
    view = best_of([members], a, b)
    assert view is not None
    value = float(view.words.split("{")[1].split("}")[0])
    assert value in (13.0, 20.0)
    np.testing.assert_array_equal(view.of(b), (lists[1] == value).sum(axis=1))
