"""diffprivlib 0.6.6, KMeans: the centre of a cluster without records stays where it is, without noise.

A centre starts within [1/8, 7/8]. With 1000 records at 0 the far centre keeps that place; one more record,
at 1, makes it noisy in each iteration, and then it is often above 7/8.
"""

import numpy as np
from diffprivlib import models

from audits import each


def centres(data, rng):
    seed = int(rng.integers(2**31))
    fit = models.KMeans(n_clusters=2, epsilon=1.0, bounds=(0.0, 1.0), random_state=seed).fit(data)
    return np.sort(fit.cluster_centers_.ravel())


empty_cluster = each(centres)
_FLAT = np.zeros((1000, 1))
pairs = [(np.vstack([_FLAT, [[1.0]]]), _FLAT)]
