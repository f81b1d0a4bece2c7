"""Projections: nearest point, by the variational inequality ⟨v − Πv, w − Πv⟩ ≤ 0 for all w of the set."""

import numpy as np
import pytest

from implementations import domains


@pytest.mark.parametrize(
    "domain",
    [
        domains.ball(1.5),
        domains.ball(0.5, np.array([1.0, -1.0, 0.0])),
        domains.box(np.array([-1.0, 0.0, 0.0]), np.array([1.0, 0.5, 0.0])),
    ],
    ids=lambda domain: domain.name,
)
def test_projection_is_the_nearest_point(domain):
    rng = np.random.default_rng(5)
    points = 3.0 * rng.standard_normal((200, 3))
    projected = domain.project(points)
    assert np.allclose(domain.project(projected), projected)
    inside = domain.project(3.0 * rng.standard_normal((300, 3)))
    products = np.einsum("ai,abi->ab", points - projected, inside[None] - projected[:, None])
    assert products.max() < 1e-12
    distances = np.linalg.norm(inside[:, None] - inside[None], axis=-1)
    assert distances.max() <= domain.diameter + 1e-12
