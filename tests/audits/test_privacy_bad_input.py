"""Bad input ends in one clear sentence, before or at the first draw."""

from __future__ import annotations

import collections.abc
import datetime
import decimal
import enum
import itertools
import json
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audits.privacy import audit_privacy
from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.draws import Drawer

ROWS = [(np.zeros((3, 2)), np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))]


def laplace(data: Any, size: int, rng: np.random.Generator) -> Any:
    return np.sum(data) + rng.laplace(size=size)


def raises(data: Any, size: int, rng: np.random.Generator) -> Any:
    raise RuntimeError("out of luck")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"epsilon": -1.0},
            "epsilon must be a number in .0, 200.; samples cannot speak against more, got -1.0",
        ),
        ({"epsilon": float("nan")}, "epsilon must be .* got nan"),
        ({"epsilon": float("inf")}, "epsilon must be .* got inf"),
        ({"epsilon": "one"}, "epsilon must be .* got 'one'"),
        ({"delta": 1.0}, r"delta must be in \[0, 1\), got 1.0"),
        ({"delta": -1e-9}, "delta must be"),
        ({"delta": float("nan")}, "delta must be .* got nan"),
        ({"alpha": 0.0}, "alpha must be"),
        ({"max_samples": 10}, "max_samples must be a whole number of samples ≥ 64, got 10"),
        ({"max_samples": 100.5}, "max_samples must be .* got 100.5"),
        ({"max_samples": math.inf}, "max_samples must be .* got inf"),
        ({"epsilon": "1"}, "epsilon must be .* got '1'"),
        ({"epsilon": True}, "epsilon must be .* got True"),
        ({"delta": 10**400}, "delta must be .* got 1000"),
        ({"alpha": "0.05"}, "alpha must be .* got '0.05'"),
        ({"resolution": "3"}, "resolution must be .* got '3'"),
        ({"seed": 1.5}, "seed must be a whole number ≥ 0, got 1.5"),
        ({"seed": -1}, "seed must be a whole number ≥ 0, got -1"),
        ({"rng": 5}, "rng must be a numpy.random.Generator or None, got 5"),
        ({"rng": np.random.default_rng}, "rng must be a numpy.random.Generator or None"),
        ({"progress": 3}, "progress must be a function or None, got 3"),
        ({"confirm": "no"}, "confirm must be True or False, got 'no'"),
        ({"planting": np.ones(2)}, "planting must be True or False"),
        ({"method": np.ones(2)}, "method must be one of"),
        ({"adjacency": lambda a, b: "no"}, "the adjacency function must return True or False, got 'no'"),
        ({"adjacency": lambda a, b: sys.exit(3)}, r"the adjacency function called exit\(3\)"),
        ({"time_limit": 0.0}, "time_limit must be"),
        ({"method": "guess"}, "method must be one of .* got 'guess'"),
        ({"method": "gdp"}, "method must be one of .*, got 'gdp'"),
        ({"resolution": 0.5}, "resolution must be an ε above the claimed one"),
        ({"adjacency": "swap"}, "adjacency must be one of .* got 'swap'"),
        ({"mechanism": 3}, "mechanism must be a function"),
        (
            {"mechanism": raises},
            r"mechanism raised RuntimeError\(out of luck\) on the first dataset of pair 0",
        ),
        ({"mechanism": lambda d, n, rng: sys.exit(3)}, r"mechanism called exit\(3\) on the first dataset"),
        (
            {"mechanism": lambda d, n, rng: 1.0},
            "mechanism must return an array or a list of outputs, got 1.0",
        ),
        ({"mechanism": lambda d, n, rng: np.zeros(n - 1)}, "mechanism must return 32 outputs .* got 31"),
        ({"mechanism": lambda d, n, rng: np.zeros((2, n))}, "mechanism must return 32 outputs"),
        ({"mechanism": lambda d, n, rng: np.full(n, np.nan)}, "mechanism must not return NaN"),
        ({"mechanism": lambda d, n, rng: [None, float("nan")] * (n // 2)}, "mechanism must not return NaN"),
        ({"pairs": []}, "pairs must hold at least one pair"),
        ({"pairs": [(1, 2, 3)]}, "pairs must hold tuples"),
        ({"pairs": lambda rng: iter([])}, "pairs must hold at least one pair"),
        (
            {"pairs": [(np.zeros(3), np.ones(3))]},
            r'pairs\[0\] is not a neighbouring pair: "replace" allows one different record, got 3',
        ),
        ({"pairs": [([1, 2], [1, 2, 3])]}, '"replace" needs as many records in both, got 2 and 3'),
        ({"pairs": [(iter([1.0]), iter([0.0]))]}, r"pairs\[0\] must hold datasets that can be read again"),
        ({"pairs": [(1.0, 2.0)]}, "a dataset must be a sequence of records, got 1.0"),
        ({"pairs": [([1, 2], [3])], "adjacency": "add-remove"}, '"add-remove" allows one added record'),
        ({"pairs": [([1, 2], [1, 3])], "adjacency": "add-remove"}, '"add-remove" needs one record more'),
        (
            {"pairs": [([[1, 2]], [[3, 4]])], "adjacency": "replace-item"},
            '"replace-item" allows one different item, got 2',
        ),
        ({"pairs": [([1, 2, 3], [3, 1, 2])]}, "the same records, only in another order"),
        (
            {"pairs": [([[1, 2], [3]], [[2, 1], [3]])], "adjacency": "replace-item"},
            "the same records, only in another order",
        ),
        ({"adjacency": lambda a, b: False}, "the adjacency function says no"),
    ],
)
def test_bad_input_is_one_sentence(options: dict[str, Any], message: str) -> None:
    settings: dict[str, Any] = {
        "mechanism": laplace,
        "pairs": ROWS,
        "epsilon": 1.0,
        "adjacency": "replace",
        **options,
    }
    with pytest.raises(ValueError, match=message) as caught:
        audit_privacy(settings.pop("mechanism"), settings.pop("pairs"), **settings)
    assert "\n" not in str(caught.value)


class Endless(collections.abc.Sequence):
    """Says that it has so many items, and has no last one."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, place: Any) -> float:
        return 1.0


def _made(base: type, **methods: Any) -> Any:
    """An object of a class that raises, or lies, in its methods."""
    return type("Hostile", (base,), methods)()


def _raise(*arguments: Any) -> Any:
    raise RuntimeError("not \x1b[31m me")


LIES = (
    float, int, bool, str, bytes, list, dict, frozenset, complex, decimal.Decimal, datetime.date, enum.Enum,
    np.ndarray, np.float64, np.ma.MaskedArray,
)  # fmt: skip
HOSTILE = {
    **{f"says it is {k.__name__}": _made(object, __class__=property(lambda self, k=k: k)) for k in LIES},
    "raises in __class__": _made(object, __class__=property(_raise)),
    **{f"raises in {name}": _made(object, **{name: _raise}) for name in ("__array__", "__getattr__")},
    "raises in __str__": _made(object, __repr__=_raise, __str__=_raise),
    "a number that raises": _made(int, __int__=_raise, __index__=_raise, __abs__=_raise),
    "a text that raises": _made(str, __hash__=_raise),
    "a mapping that raises": _made(dict, items=_raise, values=_raise, __iter__=_raise),
    "no fields": _made(object, __dataclass_fields__=None),
    "every attribute": _made(object, __getattr__=lambda self, name: self),
    "nearly a table": _made(object, to_dict=1, iloc=None),
    "a table of what raises": pd.Series([_made(object, __array__=_raise, __repr__=_raise)]),
    "an empty table": pd.DataFrame(),
    "what is masked": np.ma.masked,
    "a negative length": Endless(-1),
    "a length beyond memory": Endless(2**62),
    "no end": Endless(3),
    "a range beyond memory": range(10**12),
    "what holds itself": (lambda held: held.append(held) or held)([]),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_value_whose_methods_raise_is_one_sentence(name: str) -> None:
    """As an output, in outputs, and in place of them; each is read, or refused in a sentence."""
    value = HOSTILE[name]
    shapes: list[Callable[[int], Any]] = [
        lambda n: [value] * n, lambda n: [value, 1.0] * (n // 2), lambda n: [[value, 1.0]] * n,
        lambda n: value,
    ]  # fmt: skip
    for shape in shapes:
        drawer = Drawer(lambda data, size, rng, shape=shape: shape(size))
        said = "mechanism must be read on D"  # where it is
        try:
            drawer.encoder().encode(drawer.draw(Dataset(0), 4, np.random.default_rng(0), "D"), "D")
        except ValueError as error:
            said = str(error)
        assert said.startswith("mechanism must ")
        assert said.endswith("on D")
        assert said.isprintable()


def test_pairs_are_checked_before_a_sample_is_drawn() -> None:
    pairs = [*ROWS, (np.zeros(3), np.ones(3))]
    with pytest.raises(ValueError, match=r"pairs\[1\]"):
        audit_privacy(raises, pairs, epsilon=1.0, adjacency="replace")


def test_adjacency_has_no_default() -> None:
    with pytest.raises(TypeError, match="adjacency"):
        audit_privacy(laplace, ROWS, epsilon=1.0)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("keyword", "words"),
    [
        ("max_sample", "'max_sample'. Did you mean 'max_samples'?"),
        ("adjacancy", "'adjacancy'. Did you mean 'adjacency'?"),
        ("samples", "'samples'. Did you mean 'max_samples'?"),
        ("zzz", "'zzz'"),
    ],
)
def test_a_keyword_that_is_not_known_names_the_function_and_the_nearest_one(keyword: str, words: str) -> None:
    with pytest.raises(TypeError) as caught:
        audit_privacy(laplace, ROWS, epsilon=1.0, adjacency="replace", **{keyword: 1})
    assert str(caught.value) == f"audit_privacy() got an unexpected keyword argument {words}"


def test_neighbours_are_accepted_in_any_order_of_records() -> None:
    pairs = [([1, 2, 3], [3, 1, 4])]
    assert audit_privacy(laplace, pairs, epsilon=3.0, adjacency="replace", max_samples=200).samples == 200
    grown = [([1, 2], [2, 1, 5])]
    assert audit_privacy(laplace, grown, epsilon=9.0, adjacency="add-remove", max_samples=200).samples == 200


def test_an_endless_generator_of_pairs_is_cut() -> None:
    endless = (([0.0, float(i)], [0.0, float(i) + 1.0]) for i in itertools.count())
    result = audit_privacy(laplace, endless, epsilon=1.0, adjacency="replace", max_samples=6400)
    assert "only the first 64 were audited" in result.note


@pytest.mark.parametrize(
    "options", [{"seed": np.int64(3)}, {"alpha": np.float32(0.05)}, {"epsilon": np.float64(1.0)}]
)
def test_numbers_of_numpy_are_numbers(options: Any) -> None:
    settings = {"epsilon": 1.0, "adjacency": "replace", "max_samples": 500, **options}
    result = audit_privacy(laplace, [([0.0], [1.0])], **settings)
    assert json.loads(json.dumps(result.to_dict()))["verdict"] == result.verdict


@pytest.mark.parametrize("word", ["add", "remove", "add-remove"])
def test_the_words_of_the_command_line_name_the_same_adjacency(word: str) -> None:
    options: dict[str, Any] = {"epsilon": 1.0, "adjacency": word, "max_samples": 200, "alpha": 1e-6}
    found = audit_privacy(lambda d, n, rng: sum(d) + rng.laplace(size=n), [((0, 1), (0,))], **options)
    # False alarm at α = 1e-6.
    assert not found.refuted
    with pytest.raises(ValueError, match="one record more"):
        audit_privacy(lambda d, n, rng: rng.laplace(size=n), [((0, 1), (0, 0))], **options)
