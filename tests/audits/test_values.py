"""One walk over Python values: what is told apart, and that all who look at values agree on it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

from audits.trace import trace_privacy

UNLIKE = {
    "keys 1 and '1'": lambda total: {1: total, "1": 0},
    "columns 1 and '1'": lambda total: pd.DataFrame([[total, 0.0]], columns=pd.Index([1, "1"], dtype=object)),
    "a Decimal of 21 digits": lambda total: Decimal(10**20) + Decimal(int(total)),
    "a Fraction of 21 digits": lambda total: Fraction(10**20) + Fraction(int(total)),
    "a set of 1 or of '1'": lambda total: {1} if total > 0 else {"1"},
    "a list or a tuple": lambda total: [1.0] if total > 0 else (1.0,),
    "True or 1": lambda total: True if total > 0 else 1,
}
"""Outputs without noise that two neighbouring datasets give: total = 1 and total = 0."""


@pytest.mark.xfail(strict=True, reason="trace says that nothing differs")
@pytest.mark.parametrize("name", UNLIKE)
def test_trace_tells_outputs_without_noise_apart(name):
    result = trace_privacy(
        lambda data, rng: UNLIKE[name](sum(data)),
        [([0.0], [1.0])],
        epsilon=1.0,
        adjacency="replace",
        black_box=False,
    )
    assert result.verdict == "leak"
