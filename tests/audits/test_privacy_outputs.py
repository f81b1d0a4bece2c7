"""Outputs of any kind: each kind is audited, a violation in it found, a private one left alone."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from audits.privacy import audit_privacy, each, unseeded
from audits.privacy.outputs import leaves
from audits.privacy.outputs.describe import NUMBERS, OUTPUT, Column, Symbol
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.leaves import objects

PAIR = [(0, 1)]


def anything(a: Any, b: Any) -> bool:
    return True


def words(data: int, size: int, rng: np.random.Generator) -> Any:
    return rng.choice(["a", "b", "c"], size, p=[0.7, 0.2, 0.1] if data else [0.1, 0.2, 0.7])


def failure(data: int, size: int, rng: np.random.Generator) -> Any:
    out = rng.normal(size=size).astype(object)
    out[rng.random(size) < (0.3 if data else 0.02)] = None
    return out


def structured(data: int, size: int, rng: np.random.Generator) -> Any:
    out = np.zeros(size, dtype=[("name", "U3"), ("value", float), ("flag", bool)])
    out["name"] = rng.choice(["x", "y"], size)
    out["value"] = rng.normal(size=size) + 2.0 * data * (out["name"] == "x")
    return out


def bits(data: int, size: int, rng: np.random.Generator) -> Any:
    return rng.random((size, 12)) < (0.35 if data else 0.65)


def spread(data: int, size: int, rng: np.random.Generator) -> Any:
    return rng.normal(scale=1.0 + 2.0 * data, size=size)


def atom(data: int, size: int, rng: np.random.Generator) -> Any:
    return np.where(rng.random(size) < (0.2 if data else 0.02), 0.5, rng.normal(size=size))


def rounded(data: int, size: int, rng: np.random.Generator) -> Any:
    noise = rng.laplace(scale=50.0, size=size)
    return np.round(noise, 3) + 0.0005 * data


def vectors(data: int, size: int, rng: np.random.Generator) -> Any:
    return rng.normal(size=(size, 20)) + 0.5 * data


def wider_vectors(data: int, size: int, rng: np.random.Generator) -> Any:
    return rng.normal(scale=1.0 + 0.5 * data, size=(size, 10))


def rare_mode(data: int, size: int, rng: np.random.Generator) -> Any:
    out = rng.normal(size=(size, 10))
    if data:
        out[rng.random(size) < 0.01] += 20.0
    return out


def ragged(data: int, size: int, rng: np.random.Generator) -> Any:
    out = np.empty(size, dtype=object)
    for i, length in enumerate(rng.poisson(3.0 if data else 1.0, size)):
        out[i] = [True] * int(length)
    return out


def infinite(data: int, size: int, rng: np.random.Generator) -> Any:
    return np.where(rng.random(size) < (0.3 if data else 0.02), np.inf, rng.normal(size=size))


@pytest.mark.parametrize(
    "mechanism",
    [
        words,
        failure,
        structured,
        bits,
        spread,
        atom,
        rounded,
        vectors,
        wider_vectors,
        rare_mode,
        ragged,
        infinite,
    ],
)
def test_violation_is_found(mechanism: Any) -> None:
    result = audit_privacy(mechanism, PAIR, epsilon=0.5, adjacency=anything, max_samples=20_000)
    assert result.verdict == "refuted"
    assert result.epsilon_lower >= 0.5
    assert result.e_value >= 20.0


@pytest.mark.parametrize(
    "mechanism", [words, failure, structured, bits, atom, rounded, vectors, rare_mode, ragged]
)
def test_identical_laws_with_epsilon_zero_are_not_refuted(mechanism: Any) -> None:
    # One dataset twice, ε = δ = 0, α = 1e-6: false alarm probability 1e-6 each.
    result = audit_privacy(
        lambda data, size, rng: mechanism(1, size, rng),
        PAIR,
        epsilon=0.0,
        adjacency=anything,
        alpha=1e-6,
        max_samples=4000,
    )
    assert result.verdict == "not-refuted"
    assert result.epsilon_lower == 0.0


def test_each_and_unseeded() -> None:
    one = each(lambda data, rng: data + rng.normal())
    result = audit_privacy(one, PAIR, epsilon=0.1, adjacency=anything, max_samples=5000)
    assert result.verdict == "refuted"
    assert result.replayable
    rng = np.random.default_rng(0)
    for wrapped in (
        each(unseeded(lambda data: data + rng.normal())),
        unseeded(each(lambda data: data + rng.normal())),
    ):
        result = audit_privacy(wrapped, PAIR, epsilon=0.1, adjacency=anything, max_samples=5000)
        assert not result.replayable
        assert result.seed is None
        assert "cannot be replayed" in result.summary()


def test_each_with_failures_and_records() -> None:
    def f(data: int, rng: np.random.Generator) -> Any:
        return None if rng.random() < (0.5 if data else 0.02) else "answer"

    assert (
        audit_privacy(each(f), PAIR, epsilon=1.0, adjacency=anything, max_samples=5000).verdict == "refuted"
    )


def test_users_score_is_used() -> None:
    def mechanism(data: int, size: int, rng: np.random.Generator) -> Any:
        return rng.normal(size=(size, 50)) + data * 0.2

    result = audit_privacy(
        mechanism, PAIR, epsilon=0.5, adjacency=anything, score=lambda v: v.sum(axis=1), max_samples=20_000
    )
    assert result.verdict == "refuted"
    assert result.event.startswith("the score ")


def test_thousand_dimensions() -> None:
    def mechanism(data: int, size: int, rng: np.random.Generator) -> Any:
        out = rng.normal(size=(size, 1000))
        out[:, 7] += 3.0 * data
        return out

    assert (
        audit_privacy(mechanism, PAIR, epsilon=1.0, adjacency=anything, max_samples=3000).verdict == "refuted"
    )


def test_footprints_of_floating_point_noise_are_found_on_request_only() -> None:
    # Naive floating-point Laplace: ε = 1 in real numbers, broken in its last bits (Mironov 2012).
    def mechanism(data: int, size: int, rng: np.random.Generator) -> Any:
        return data + rng.laplace(size=size)

    options: dict[str, Any] = {"epsilon": 1.0, "adjacency": anything, "max_samples": 40_000, "alpha": 1e-6}
    assert audit_privacy(mechanism, PAIR, footprints=True, **options).verdict == "refuted"
    assert audit_privacy(mechanism, PAIR, **options).verdict == "not-refuted"


def test_encoder_keeps_symbols_and_numbers_apart() -> None:
    encoder = Encoder()
    outputs = np.array([1.5, None, "fail", 2.0, None], dtype=object)
    encoded = encoder.encode(outputs, "here")
    assert encoded.values[:, 0].tolist() == [1.5, 0.0, 0.0, 2.0, 0.0]
    assert encoded.codes[:, 0].tolist() == [0, 1, 2, 0, 1]
    assert encoder.said(("{", Symbol(1), "} ∪ {", Symbol(2), "}")) == "{None} ∪ {'fail'}"
    again = encoder.encode(np.array([3.0, 4.0]), "there")
    assert again.values.shape == (2, 1)
    assert again.codes.tolist() == [[0], [0]]


def test_equal_keys_that_are_written_differently_are_fields_of_their_own() -> None:
    encoder = Encoder()
    keys: list[Any] = [True, 1, 0.0, -0.0, "1"]
    encoder.encode(objects([{key: float(j)} for j, key in enumerate(keys)] * 2), "here")
    names = {encoder.said(Column(j)) for j in range(encoder.shape[0])}
    assert {f"output[{key!r}]" for key in keys} <= names


def test_what_looks_at_everything_says_where_lengths_are_numbers_too() -> None:
    encoder = Encoder()
    encoder.encode(np.zeros((3, 2)), "here")
    assert encoder.said((OUTPUT, " by the sum of all numbers", NUMBERS)) == "output by the sum of all numbers"
    encoder.encode(objects([[1.0, 2.0], [1.0]]), "here")
    said = encoder.said((OUTPUT, " by the sum of all numbers", NUMBERS))
    assert said.startswith("columns of output by the sum of all numbers (where lengths")


def test_the_type_of_a_number_is_part_of_the_output_where_one_dataset_shows_several() -> None:
    def mechanism(data: int, rng: np.random.Generator) -> Any:
        value = int(rng.integers(5))
        return value if rng.random() < (0.9 if data else 0.3) else float(value)

    found = audit_privacy(each(mechanism), [(0, 1)], epsilon=0.5, adjacency=lambda a, b: True, seed=1)
    assert found.verdict == "refuted"


def test_arrays_of_another_type_are_the_same_numbers() -> None:
    def mechanism(data: int, size: int, rng: np.random.Generator) -> Any:
        return rng.integers(0, 5, size).astype(np.int64 if data else np.float64)

    found = audit_privacy(mechanism, [(0, 1)], epsilon=0.5, adjacency=lambda a, b: True, max_samples=2000)
    assert found.verdict != "refuted"


def test_the_order_of_keys_is_part_of_a_dictionary() -> None:
    def mechanism(data: int, rng: np.random.Generator) -> Any:
        usual = rng.random() < (0.9 if data else 0.2)
        return {"a": 1.0, "b": 2.0} if usual else {"b": 2.0, "a": 1.0}

    found = audit_privacy(each(mechanism), [(0, 1)], epsilon=0.5, adjacency=lambda a, b: True, seed=1)
    assert found.verdict == "refuted"


SETS = """
import numpy as np
from audits import audit_privacy, each

def mechanism(data, rng):
    chosen = {w for w in ("apple", "pear", "fig", "plum", "kiwi") if rng.random() < 0.3 + 0.2 * data}
    return {frozenset(chosen), frozenset(w[0] for w in chosen)}, {frozenset(chosen): 1.0}, chosen

found = audit_privacy(each(mechanism), [(0, 1)], epsilon=0.5, adjacency=lambda a, b: True, max_samples=300)
print(found.event, found.epsilon_lower, [look.log_e_value for look in found.trace])
"""


def test_sets_are_read_alike_in_every_process() -> None:
    # Python gives the elements of a set of strings in an order that changes from process to process.
    seen = {
        subprocess.run(
            [sys.executable, "-c", SETS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1
    assert "share" in seen.pop()


def test_what_a_short_list_lacks_is_no_string_of_the_users() -> None:
    def mechanism(data: int, rng: np.random.Generator) -> Any:
        return ["a", "(absent)"] if rng.random() < (0.9 if data else 0.1) else ["a"]

    encoder = Encoder()
    found = encoder.encode(objects([["a", "(absent)"], ["a"]]), "the first dataset")
    assert found.codes[0, 1] != found.codes[1, 1]
    audited = audit_privacy(each(mechanism), [(0, 1)], epsilon=0.5, adjacency=lambda a, b: True, seed=1)
    assert audited.verdict == "refuted"


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "25us", "10ns"])
def test_times_of_any_unit_count_microseconds(unit: str) -> None:
    moment = np.datetime64("2024-05-06T07:08:09.123456", unit)
    same = moment.astype("M8[us]").astype(datetime.datetime)
    assert leaves.number(moment) == (*leaves.number(same)[:3], 0.0)  # type: ignore[index]
    whole, rest = leaves.microseconds(np.array([moment, np.datetime64("NaT")], dtype=moment.dtype))
    assert whole.tolist() == [moment.astype("M8[us]").astype(int), 0]
    assert rest.tolist() == [0.0, 0.0]


def test_parts_of_microseconds_are_kept_apart() -> None:
    found = leaves.number(np.timedelta64(5_000_250, "ps"))
    assert found is not None
    assert found[:2] == (5.0, pytest.approx(250e-6))
    far = leaves.number(np.datetime64(10**15, "D"))
    assert far is not None
    assert far[0] == pytest.approx(2.0**63, rel=1e-6)
