"""What outputs tell beside their values: types, the order of keys, absent fields, the sign of zero.

The leaks have probability 1 on one dataset and 0 on the other unless said otherwise, so a refutation is no
matter of luck; what is private is refuted with probability 1e-6 at most.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audits.privacy import AuditResult, audit_privacy, each
from audits.values import digest

Rng = np.random.Generator


def audited(mechanism: Any, **options: Any) -> AuditResult:
    settings: dict[str, Any] = {
        "epsilon": 1.0,
        "alpha": 1e-6,
        "max_samples": 3000,
        "simplest": True,
        **options,
    }
    return audit_privacy(mechanism, [(0, 1)], adjacency=lambda a, b: True, **settings)


def in_lists(one: Callable[[int, Rng], Any]) -> Callable[[int, int, Rng], Any]:
    return lambda data, size, rng: [one(data, rng) for _ in range(size)]


def integer_or_float(data: int, rng: Rng) -> Any:
    return int(rng.integers(5)) if data else float(rng.integers(5))


TYPES = {
    "numbers": (in_lists(integer_or_float), "kind of number of output = "),
    "one a call": (each(integer_or_float), "kind of number of output = "),
    "fields": (
        in_lists(lambda data, rng: {"a": integer_or_float(data, rng), "b": rng.normal()}),
        "kind of number of output['a'] = ",
    ),
    "widths": (
        each(lambda data, rng: (np.float64, np.float32)[data](rng.integers(5))),
        "kind of number of output = ",
    ),
    "arrays in lists": (
        in_lists(lambda data, rng: rng.integers(0, 3, 2).astype((np.float16, np.float32)[data])),
        "kind of number of coordinate 0 = ",
    ),
    "texts": (in_lists(lambda data, rng: ("ab", b"ab")[data][: rng.integers(3)]), "type of output = "),
    "containers": (in_lists(lambda data, rng: ((1, 2), [1, 2])[data]), "type of output = "),
}


@pytest.mark.parametrize(("mechanism", "words"), TYPES.values(), ids=TYPES)
def test_a_type_that_depends_on_the_data_is_a_leak_that_is_named(mechanism: Any, words: str) -> None:
    result = audited(mechanism)
    assert result.verdict == "refuted"
    assert result.simplest is not None
    assert result.simplest.event.startswith(words)
    # The name of the type, not its number.
    assert not result.simplest.event.removeprefix(words)[0].isdigit() or "bit" in result.simplest.event


@pytest.mark.parametrize(
    ("first", "second"),
    [(np.int64, np.float64), (np.bool_, np.int64), (np.float32, np.float64)],
    ids=["integers", "booleans", "widths"],
)
def test_arrays_of_two_types_are_not_passed(first: Any, second: Any) -> None:
    def mechanism(data: int, size: int, rng: Rng) -> Any:
        return rng.integers(0, 2, size).astype(second if data else first)

    result = audited(mechanism)
    assert result.verdict == "undecided"
    assert f"{np.dtype(first)} on the first dataset of pair 0 and of {np.dtype(second)}" in result.note


def test_fields_of_records_of_two_types_are_not_passed() -> None:
    result = audited(lambda data, size, rng: np.zeros(size, [("a", "i4" if data else "f8")]))
    assert result.verdict == "undecided"
    assert "a: float64 on the first dataset of pair 0 and of a: int32" in result.note


def test_types_that_a_batch_decides_say_nothing() -> None:
    # NumPy makes floats of integers among which there is one float, and texts as long as the longest.
    def mixed(data: int, size: int, rng: Rng) -> Any:
        return np.array([float(x) if rng.random() < 0.01 else int(x) for x in rng.integers(0, 5, size)])

    def texts(data: int, size: int, rng: Rng) -> Any:
        return np.array(["a" * int(n) for n in rng.geometric(0.5, size)])

    def frame(data: int, size: int, rng: Rng) -> Any:
        return pd.DataFrame({"a": np.where(rng.random(size) < 0.01, np.nan, 1.0 * rng.integers(0, 5, size))})

    for mechanism, errors in ((mixed, "raise"), (texts, "raise"), (frame, "symbol")):
        result = audited(mechanism, errors=errors, max_samples=2000)
        assert result.verdict == "not-refuted"
        assert result.note == ""


ORDERS = {
    "noise": lambda data, rng: [("a", 1.0 + rng.laplace()), ("b", 2)],
    "noises": lambda data, rng: [("a", 5.0 + rng.laplace()), ("b", rng.laplace()), ("c", 1)],
    "constants": lambda data, rng: [("a", 1), ("b", 2)],
}


@pytest.mark.parametrize("fields", ORDERS.values(), ids=ORDERS)
def test_the_order_of_keys_is_named_where_it_tells_the_datasets_apart(fields: Any) -> None:
    # All outputs on one dataset have their keys in one order, so the other order comes as a surprise.
    result = audited(in_lists(lambda data, rng: dict(fields(data, rng)[:: 1 if data else -1])))
    assert result.verdict == "refuted"
    assert result.simplest is not None
    assert result.simplest.event.startswith("output in the order of keys[0] = ")


def test_a_key_that_is_missing_is_absent() -> None:
    result = audited(in_lists(lambda data, rng: {"a": rng.normal(), **({"b": 1} if data else {})}))
    assert result.simplest is not None
    assert result.simplest.event == "output['b'] is absent"
    # Where the field may be a container, that it is no value of its own says no more than that.
    result = audited(in_lists(lambda data, rng: {"a": rng.normal(), "b": [1, 2] if data else 1}))
    assert result.simplest is not None
    assert "absent" not in result.simplest.event or "container" in result.simplest.event


def test_records_whose_texts_have_other_lengths_have_a_witness() -> None:
    def mechanism(data: int, size: int, rng: Rng) -> Any:
        outputs = np.zeros(size, [("name", "U5" if data else "U3"), ("value", float)])
        outputs["value"] = 4.0 * data + rng.laplace(size=size)
        return outputs

    result = audited(mechanism)
    assert result.verdict == "refuted"
    assert result.simplest is not None
    assert result.simplest.event.startswith("output.value ")


@pytest.mark.parametrize("method", ["sequential", "clopper-pearson"])
def test_the_sign_of_zero_counts_where_bits_do(method: str) -> None:
    # −0.0 with probability 0.95 or 0.05: log 19 = 2.9 for 1; 3,000 samples miss it with probability < 1e-9.
    def mechanism(data: int, size: int, rng: Rng) -> Any:
        return np.where(rng.random(size) < (0.95 if data else 0.05), -0.0, 0.0)

    assert audited(mechanism, method=method, footprints=True).verdict == "refuted"
    assert audited(mechanism, method=method).verdict != "refuted"


def test_a_score_is_called_a_score_and_is_not_the_mechanism() -> None:
    def mechanism(data: int, size: int, rng: Rng) -> Any:
        return [{"a": 4.0 * data + rng.laplace()} for _ in range(size)]

    result = audited(mechanism, score=lambda outputs: [output["a"] for output in outputs])
    assert result.simplest is not None
    assert result.simplest.event.startswith("the score ")
    with pytest.raises(ValueError, match=r"^score raised KeyError\("):
        audited(mechanism, score=lambda outputs: [output["b"] for output in outputs])
    with pytest.raises(ValueError, match=r"^score must return a number for each output, got NaN"):
        audited(mechanism, score=lambda outputs: np.full(len(outputs), np.nan))


def test_a_fixed_number_of_samples_says_what_a_coin_would_have_shown() -> None:
    # Q(S) = 0.38 leaves no room for a violation of ε = 1, but an event with Q(S) = 0.38·e^−1 does.
    result = audited(
        lambda data, size, rng: rng.random(size) < (0.62 if data else 0.38), method="clopper-pearson"
    )
    assert result.verdict == "not-refuted"
    assert 1.0 < result.resolution.epsilon < 1.6


def test_views_are_told_apart_by_what_they_hold() -> None:
    for view in (lambda x: memoryview(bytes([x])), lambda x: types.MappingProxyType({"a": x})):
        assert digest(view(1)) == digest(view(1))
        assert digest(view(1)) != digest(view(2))
    result = audited(
        lambda data, size, rng: [memoryview(bytes([int(x)])) for x in rng.random(size) < 0.4 + 0.2 * data]
    )
    assert result.verdict == "not-refuted"
    assert result.replayable
    assert result.note == ""


@pytest.mark.parametrize(
    ("outputs", "remedy"),
    [
        ({"a": [1, 2]}, "one dict for each output, in a list"),
        ({1, 2}, "one set for each output, in a list"),
    ],
    ids=["dict", "set"],
)
def test_a_container_in_place_of_a_list_is_told_what_would_do(outputs: Any, remedy: str) -> None:
    with pytest.raises(ValueError, match=remedy):
        audited(lambda data, size, rng: outputs)
