"""Where two outputs differ: infinities and NaN are values like others."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from audits.trace import trace_privacy
from audits.trace.record.noise import NoiseFloat, fresh
from audits.trace.record.session import Session
from audits.trace.record.values import alike, differences


@pytest.mark.parametrize("tolerance", [0.0, 1e-9, 0.5])
@pytest.mark.parametrize("other", [0.0, 1e308, -math.inf, math.nan])
def test_infinity_is_like_infinity_alone(tolerance, other):
    assert alike(math.inf, math.inf, tolerance)
    assert not alike(math.inf, other, tolerance)
    assert differences([1.0, math.inf], [1.0, other], tolerance)[0][0] == "[1]"


def test_a_scale_that_is_infinite_on_one_dataset_alone_is_a_leak():
    def program(data, rng):
        with np.errstate(divide="ignore"):
            return sum(data) + rng.laplace(0.0, np.divide(1.0, sum(data)))

    result = trace_privacy(program, [([0.0], [1.0])], epsilon=1.0, adjacency="replace", black_box=False)
    assert result.verdict == "leak"
    assert "scale" in result.summary()


@pytest.mark.parametrize("kind", [float, int, np.float64, np.float32, np.int64])
@pytest.mark.parametrize("compute", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_noise_is_followed_where_a_number_of_any_kind_stands_before_it(kind, compute):
    session = Session(np.random.default_rng(0))
    value = session.draw("laplace", {"scale": 1.0}, 0.5)
    assert isinstance(compute(kind(2), fresh(session, value)), NoiseFloat)
