"""The mechanisms of `benchmarks/encodings.py` follow the laws that are written beside them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmarks import reachable
from benchmarks.encodings import BELOW, UNANSWERED, encodings
from implementations.controls import Control, classical_rows


@pytest.mark.parametrize("control", encodings(), ids=lambda control: control.name)
def test_outputs_follow_the_law(control: Control) -> None:
    # χ² tests at level 1e-7 on both datasets; neighbouring cells are joined until each is expected to hold
    # about twenty outputs.
    assert control.law is not None
    for seed, data in enumerate(control.pair):
        law, size = control.law(data), 20_000
        assert law.mass.sum() == pytest.approx(1.0, abs=1e-9)
        cells = law.cell(control.mechanism(data, size, np.random.default_rng([seed, len(control.name)])))
        seen, expected = np.bincount(cells, minlength=len(law.mass)), size * law.mass
        joined = (np.cumsum(expected) / 20.0).astype(np.int64)
        seen, expected = (np.bincount(joined, side) for side in (seen, expected))
        seen, expected = (side[expected > 0.0] for side in (seen, expected))
        statistic = np.sum((seen - expected) ** 2 / np.maximum(expected, 10.0))
        assert stats.chi2.sf(statistic, len(seen) - 1) > 1e-7


def test_what_is_written_otherwise_shows_as_much() -> None:
    rows = {control.name: control for control in [*classical_rows(), *encodings()]}
    for one, other in (
        ("svt1", "svt1 in ten columns"),
        ("svt3", "svt3 in ten columns"),
        ("gaussian", "3 steps of DP-SGD in 20 columns"),
    ):
        for samples in (1e4, 1e6):
            shown = reachable.reachable(rows[other], samples)
            assert shown == pytest.approx(reachable.reachable(rows[one], samples), rel=1e-2)


def test_laws_that_are_tight_have_the_claimed_loss() -> None:
    for control in encodings():
        if control.name in ("Cauchy noise on a median", "Laplace in 5 columns", "truncated geometric"):
            p, q = (control.law(data).mass for data in control.pair)  # type: ignore[misc]
            assert np.abs(np.log(p / q)).max() == pytest.approx(1.0, abs=2e-3)


def test_answers_stand_among_sentinels() -> None:
    control = next(c for c in encodings() if c.name == "svt3 in ten columns")
    found = control.mechanism(control.pair[0], 500, np.random.default_rng(1))
    answers = ~np.isin(found, (BELOW, UNANSWERED))
    assert set(answers.sum(axis=1)) <= {0, 1}
    after = np.cumsum(answers, axis=1) - answers > 0
    np.testing.assert_array_equal(found == UNANSWERED, after)
