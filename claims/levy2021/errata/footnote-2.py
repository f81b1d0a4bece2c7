"""Footnote 2: the Moreau envelope of losses whose gradients are σ²-sub-Gaussian, σ = 1.

ℓ_z = h + <z, ·> with prox_h(y) = 0.1·y + 0.15·(y₁ + |y|)·(e₁ + y/|y|), a 1-Lipschitz gradient;
z is 0 or N(0, I), with probability 1/2 each. ℓ_z has the gradient ∇h + z, its envelope has -prox_h(-z) at 0.
"""

import numpy as np

rng = np.random.default_rng(0)


def prox(y):
    length = np.linalg.norm(y, axis=-1, keepdims=True)
    unit = y / np.maximum(length, 1e-300)
    first = np.eye(y.shape[-1])[0]
    return 0.1 * y + 0.15 * (y[..., :1] + length) * (first + unit)


a, b = rng.standard_normal((2, 20_000, 3))
ratio = np.linalg.norm(prox(a) - prox(b), axis=1) / np.linalg.norm(a - b, axis=1)
print(f"prox_h is 1-Lipschitz: largest ratio of 20,000 pairs {ratio.max():.2f}")
for d in (100, 1_000, 10_000):
    z = rng.standard_normal((1_000, d)) * (np.arange(1_000) % 2)[:, None]
    gradient = -prox(-z)
    print(f"d = {d}: stated standard deviation of a coordinate ≤ 1; found {gradient[:, 0].std():.2f}")
