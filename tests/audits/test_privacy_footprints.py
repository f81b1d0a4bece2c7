"""Low-order bits: naive noise shows itself, rounded noise does not, and the verdict stays what it was."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest

from audits.privacy import each, show
from audits.privacy.after.footprints import LEAST_ROWS, cells, look
from audits.privacy.claims import Pure
from tests.audits.privacy_runs import audited

RNG = np.random.default_rng


def naive(data: float, size: int, rng: np.random.Generator) -> Any:
    """Laplace noise from a uniform draw, as textbooks have it."""
    uniform = rng.random(size) - 0.5
    return data - np.sign(uniform) * np.log1p(-2.0 * np.abs(uniform))


def snapped(data: float, size: int, rng: np.random.Generator) -> Any:
    """Laplace noise rounded to a grid on which both datasets lie: (1, 0)-private, bits and all."""
    sums = rng.geometric(1.0 - np.exp(-(2.0**-6)), (size, 2))
    return data + (sums[:, 0] - sums[:, 1]) * 2.0**-6


def test_cells_by_the_bits_themselves() -> None:
    values = np.concatenate([RNG(0).laplace(size=500), [0.0, -0.0, 1.0, 3.0, -0.375, 5e-324]])
    zeros, low = cells(values)
    for value, cell, three in zip(values, zeros, low, strict=True):
        bits = struct.unpack("<q", struct.pack("<d", value))[0] & (2**52 - 1)
        assert cell % 64 == (52 if bits == 0 else (bits & -bits).bit_length() - 1)
        assert three == (bits & 7 if value else 8 + (str(value) == "-0.0"))


def test_the_sign_of_a_zero_shows_itself() -> None:
    # The sign tells the dataset in nine cases of ten: its ε is 2.2.
    signs = [np.where(RNG(seed).random(2000) < right, 1.0, -1.0) for seed, right in ((7, 0.9), (8, 0.1))]
    found = look(np.copysign(0.0, signs[0]), np.copysign(0.0, signs[1]), Pure(1.0), 0.001)
    assert found is not None
    assert 1.5 < found.epsilon_lower < math.log(9.0) + 1e-9
    assert "sign of zero" in found.event


@pytest.mark.parametrize("bit", [4, 11, 30])
def test_any_one_bit_of_the_significand_shows_itself(bit: int) -> None:
    # It tells the dataset in nine cases of ten: its ε is 2.2. False-alarm probability 1e-6 each.
    sides: list[Any] = []
    for seed, right in ((7, 0.9), (8, 0.1)):
        rng = RNG(seed)
        bits = rng.normal(3.0, 1.0, 2000).view(np.int64) & ~(1 << bit)
        sides.append((bits | (rng.random(2000) < right).astype(np.int64) << bit).view(np.float64))
    found = look(sides[0], sides[1], Pure(1.0), 1e-6)
    assert found is not None
    assert 1.0 < found.epsilon_lower < math.log(9.0)
    assert f"bit {bit} of" in found.event


def test_one_column_of_a_vector_shows_itself() -> None:
    sides = [RNG(seed).normal(size=(4000, 5)).round(3) for seed in (3, 4)]
    sides[0][:, 3], sides[1][:, 3] = naive(0.0, 4000, RNG(5)), naive(1.0, 4000, RNG(6))
    found = look(sides[0], sides[1], Pure(1.0), 0.001)
    assert found is not None
    assert found.epsilon_lower > 1.0
    assert "coordinate 3" in found.event


def test_private_doubles_are_not_said_to_leak() -> None:
    # The bound is exact: above the true ε of 1 with probability at most 1e-3, so 200 looks at α = 1e-9 agree.
    for seed in range(200):
        rng = RNG(seed)
        found = look(snapped(0.0, 2000, rng), snapped(1.0, 2000, rng), Pure(1.0), 1e-9)
        assert found is not None
        assert found.epsilon_lower <= 1.0


def test_what_holds_no_doubles_or_too_few_is_left_alone() -> None:
    few = np.zeros(LEAST_ROWS - 1)
    assert look(few, few, Pure(1.0), 0.001) is None
    integers = np.arange(1000)
    assert look(integers, integers, Pure(1.0), 0.001) is None


def test_bits_are_a_line_of_their_own_and_no_part_of_the_verdict() -> None:
    result = audited(naive, epsilon=1.05, alpha=1e-6, max_samples=20_000)
    assert result.verdict == "not-refuted"
    assert result.footprints is not None
    assert result.footprints.epsilon_lower > 1.05
    assert "the program leaks" in result.low_bits
    # What people see is a line with a link, and no second verdict.
    assert dict(show.facts(result))["low-order bits"] == show.LOW_BITS
    assert "the program leaks" in dict(show.facts(result, verbose=True))["low-order bits"]
    assert "leaks" not in result.summary()
    assert result.to_dict()["footprints"]["epsilon_lower"] > 1.05


def test_nothing_is_said_of_bits_where_the_numbers_themselves_leak() -> None:
    result = audited(naive, [(0.0, 9.0)], alpha=1e-6, max_samples=20_000)
    assert result.verdict == "refuted"
    assert result.low_bits == ""


def test_what_floats_of_a_record_tell_by_their_bits_is_reported_apart() -> None:
    # A mean and its interval keep ε = 1 as real numbers; naive noise shows its bits in each of the floats.
    def release(data: float, rng: np.random.Generator) -> Any:
        mean = data + rng.laplace()
        return {"mean": mean, "ci": (mean - 1.96, mean + 1.96)}

    result = audited(each(release), alpha=1e-6, max_samples=4000)
    assert result.verdict == "not-refuted"
    assert result.low_bits
