"""JAX Privacy 2.0: noise of a privatiser on a sum of clipped gradients, its own key."""

import jax.numpy as jnp
import numpy as np
from jax_privacy import noise_addition

from audits import each, unseeded


def privatised_of(data):
    rows = np.asarray(data, dtype=np.float32)
    clipped = rows / np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
    privatizer = noise_addition.gaussian_privatizer(stddev=3.8)
    state = privatizer.init(jnp.zeros(rows.shape[1]))
    noisy, _ = privatizer.update(jnp.asarray(clipped.sum(axis=0)), state)
    return np.asarray(noisy, dtype=float)


privatised = unseeded(each(privatised_of))
_ROWS = np.array([[2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.1, 0.1, 0.1], [0.0, 0.0, 3.0]])
pairs = [(_ROWS, _ROWS[1:])]
