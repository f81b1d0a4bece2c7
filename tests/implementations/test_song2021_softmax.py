"""The softmax fields of song2021 against numerical derivatives and loop integrals."""

from fractions import Fraction as F

import numpy as np
import pytest

from implementations.song2021 import softmax_fields


def softmax_coefficients(logits):
    p = np.exp(logits - logits.max())
    p /= p.sum()
    p[0] -= 1.0
    return p


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("point", [(1, 2, 5), (3, 1, 9), (1, 7, 7, 2)])
def test_exact_curl_is_the_numerical_one(point, per_class):
    b, step = F(11, 20), 1e-6
    logits = np.log(np.array(point, dtype=float))

    def clipped(z):
        c = softmax_coefficients(z)
        return np.clip(c, -0.55, 0.55) if per_class else c * min(1.0, 0.55 / np.linalg.norm(c))

    assert np.allclose(clipped(logits), softmax_fields.field(logits, 0.55, per_class=per_class))
    exact = [F(e) for e in point]
    curl = softmax_fields.per_class_curl if per_class else softmax_fields.clipped_curl
    for j in range(len(point)):
        for k in range(j + 1, len(point)):
            ej, ek = np.eye(len(point))[[j, k]] * step
            numerical = (
                clipped(logits + ek)[j]
                - clipped(logits - ek)[j]
                - clipped(logits + ej)[k]
                + clipped(logits - ej)[k]
            ) / (2 * step)
            assert curl(exact, b, j, k).value == pytest.approx(numerical, abs=1e-7)


def test_loop_integral_of_a_gradient_field_is_zero_and_that_of_a_clipped_one_is_the_curl_times_the_area():
    corner = np.array([-2.0, 0.0, 1.0])
    free, error = softmax_fields.loop_integral(corner, 0, 1, 0.3, 1e9, per_class=False)
    assert abs(free) <= error + 1e-13
    side = 1e-3
    value, _ = softmax_fields.loop_integral(corner, 0, 1, side, 0.5, per_class=False)
    exact = [F(float(e)) for e in np.exp(corner)]
    # Green: ∮ = ∫∫ ∂G_1/∂z_0 − ∂G_0/∂z_1 = −curl(0, 1)·area up to side³.
    assert value == pytest.approx(
        -softmax_fields.clipped_curl(exact, F(1, 2), 0, 1).value * side**2, rel=1e-2
    )
