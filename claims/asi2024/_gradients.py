"""Users whose gradients are drawn on the unit sphere, the extreme points of what a Lipschitz loss allows."""

from __future__ import annotations

import numpy as np

from implementations.interfaces import Array


def sphere_means(users: int, m: int, d: int, law: str, rng: np.random.Generator) -> Array:
    """Means of m gradients of norm 1 and mean 0 of `users` users, (users, d).

    law  "sphere": uniform on the sphere;  "axes": ±e_j with a random j.
    """
    total = np.zeros((users, d))
    for _ in range(m):
        if law == "sphere":
            x = rng.standard_normal((users, d))
            total += x / np.linalg.norm(x, axis=1, keepdims=True)
        elif law == "axes":
            total[np.arange(users), rng.integers(d, size=users)] += rng.choice([-1.0, 1.0], size=users)
        else:
            raise ValueError(f"law must be 'sphere' or 'axes', got {law!r}")
    return total / m
