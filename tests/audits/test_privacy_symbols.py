"""Symbols, values and rows beside other columns and in lists of any order; the telling event is planted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from audits import audit_privacy, each
from audits.privacy.learn.cells import partition
from audits.privacy.learn.choice import SYMBOLS
from audits.privacy.learn.families import members
from audits.privacy.learn.search import best_of
from audits.privacy.outputs.describe import Interval, rendered
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.outputs import Encoded, columns_of

Rng = np.random.Generator
WORDS = [
    f"{colour} {tree}" for colour in ("red", "blue", "pink", "grey") for tree in ("oak", "elm", "fir", "ash")
]


def encoded(*sides: Any) -> list[Encoded]:
    encoder = Encoder()
    found = [encoder.encode(side, "a dataset") for side in sides]
    return [encoder.widen(side) for side in found]


def audited(mechanism: Callable[..., Any], **options: Any) -> Any:
    settings = {"epsilon": 1.0, "adjacency": lambda a, b: True, "alpha": 1e-6, "max_samples": 20_000}
    return audit_privacy(mechanism, [(1, 0)], **(settings | options))


def told(data: int, rng: Rng, chance: float = 0.6) -> bool:
    """What happens with this probability on the dataset 1 and never on the dataset 0."""
    return bool(data == 1 and rng.random() < chance)


def other(rng: Rng) -> str:
    return WORDS[int(rng.integers(0, len(WORDS) - 1))]


def late_word_beside_a_number(data: int, size: int, rng: Rng) -> Any:
    # NumPy's strings are numbered in the order of the alphabet, so that "red oak" comes last.
    found = np.zeros(size, dtype=[("word", "U9"), ("number", "f8")])
    last = sorted(WORDS)[-1]
    found["word"] = rng.choice(sorted(WORDS)[:-1], size)
    found["word"][(rng.random(size) < 0.05) & (data == 1)] = last
    found["number"] = rng.laplace(size=size)
    return found


def none_beside_words(data: int, rng: Rng) -> Any:
    return rng.laplace(), None if told(data, rng, 0.05) else other(rng)


def member_of_a_list(data: int, rng: Rng) -> Any:
    found = rng.permutation(WORDS[:-1]).tolist()[:6]
    if told(data, rng):
        found[int(rng.integers(0, 6))] = WORDS[-1]
    return found


def member_of_a_list_of_any_length(data: int, rng: Rng) -> Any:
    found = [word for word in WORDS[:-1] if rng.random() < 0.4] + [WORDS[-1]] * told(data, rng)
    return rng.permutation(found).tolist()


def number_in_a_list(data: int, rng: Rng) -> Any:
    found = [7919 * int(i) for i in np.flatnonzero(rng.random(60) < 0.3) if i != 20]
    return rng.permutation(found + [7919 * 20] * told(data, rng)).tolist()


def interval_in_a_list(data: int, rng: Rng) -> Any:
    found = rng.normal(0.0, 5.0, 12)
    if told(data, rng):
        found[int(rng.integers(0, 12))] = 11.0 + 0.1 * rng.normal()
    return found


def edge_of_a_graph(data: int, rng: Rng) -> Any:
    edges = [(i, j) for i in range(12) for j in range(i) if rng.random() < 0.2 and (i, j) != (9, 4)]
    return edges + [(9, 4)] * (rng.random() < (0.7 if data else 0.1))


def record_in_a_list(data: int, rng: Rng) -> Any:
    found = [{"age": int(rng.integers(0, 4)), "word": WORDS[int(rng.integers(0, 3))]} for _ in range(5)]
    if rng.random() < (0.9 if data else 0.1):
        found[int(rng.integers(0, 5))] = {"age": 1, "word": WORDS[2]}
    return found


def words_that_agree(data: int, rng: Rng) -> Any:
    first, middle, last = (other(rng) for _ in range(3))
    return first, middle, first if told(data, rng) else last


@pytest.mark.parametrize(
    ("mechanism", "most", "words"),
    [
        (late_word_beside_a_number, 4_000, "red oak"),
        (each(none_beside_words), 4_000, "None"),
        (each(member_of_a_list), 600, WORDS[-1]),
        (each(member_of_a_list_of_any_length), 600, WORDS[-1]),
        (each(number_in_a_list), 600, "158380"),
        (each(interval_in_a_list), 1_500, "numbers in output"),
        (each(edge_of_a_graph), 600, "(9, 4)"),
        (each(record_in_a_list), 2_000, ""),
        (each(words_that_agree), 1_500, ""),
    ],
)
def test_what_no_single_column_shows_early_is_found(mechanism: Any, most: int, words: str) -> None:
    # Power, not level: a test that knows the event needs 40 to 440 samples at α = 0.001.
    result = audited(mechanism)
    assert result.refuted
    assert result.samples < most
    assert words in f"{result.event} {result.simplest}"


def test_equal_lists_are_told_apart_as_often_as_alpha_says() -> None:
    # α = 1e-6 each: one refutation of these audits has probability below 1e-5.
    for mechanism in (
        member_of_a_list,
        member_of_a_list_of_any_length,
        number_in_a_list,
        edge_of_a_graph,
        record_in_a_list,
        words_that_agree,
    ):
        same = each(lambda data, rng, f=mechanism: f(1, rng))
        assert not audited(same, epsilon=0.0, max_samples=400).refuted


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
    assert {place for place, _ in columns_of(a, b).marks} == {1}


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
    assert rendered(cells.words(int(cells.of(np.array([0.5]))[0]))) == "{0.5}"
    for cell in np.unique(place):
        np.testing.assert_array_equal(cells.holds(int(cell), values), place == cell)
        inside, words = values[place == cell], cells.words(int(cell))
        if isinstance(words, Interval):
            ends = words.low, words.high
            low, high = (float(end.replace("−", "-").replace("∞", "inf")) for end in ends)
            # Ends are written with six digits.
            assert low - 1e-5 <= inside.min()
            assert inside.max() <= high + 1e-5
        else:
            assert rendered(words) == f"{{{inside[0]:g}}}"


def test_numbers_of_a_list_are_counted_wherever_they_stand() -> None:
    rng = np.random.default_rng(6)
    lists = rng.integers(0, 20, size=(2, 800, 7)).astype(float)
    lists[0][lists[0] == 13.0] = 20.0
    a, b = encoded(*lists)
    view = best_of([members], a, b)
    assert view is not None
    value = float(rendered(view.words).split("{")[1].split("}")[0])
    assert value in (13.0, 20.0)
    np.testing.assert_array_equal(view.of(b), (lists[1] == value).sum(axis=1))


def test_lists_of_any_length_are_the_same_columns_as_their_items_one_by_one() -> None:
    # Floats alone go a faster way than floats with a symbol among them: the columns must be the same.
    rng = np.random.default_rng(2)
    lists: list[Any] = [rng.laplace(size=int(n)).tolist() for n in rng.integers(0, 6, 40)]
    lists[0] = [1.0] * 6
    fast = Encoder().encode(np.array([*lists, [2.0]], dtype=object)[:-1], "a dataset")
    slow = Encoder()
    whole = slow.encode(np.array([*lists, ["x"]], dtype=object), "a dataset").take(slice(0, 40))
    np.testing.assert_array_equal(fast.values[:, :7], whole.values[:, :7])
    np.testing.assert_array_equal(fast.codes > 0, whole.codes > 0)
