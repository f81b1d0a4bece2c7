"""diffprivlib's `tools.mean`, as shipped: `dpclaims audit examples/diffprivlib_mean.py -j 2`.

The number of records is public and one of them is replaced; the mean of five numbers in [0, 1] then moves by
at most 1/5. Needs diffprivlib and a scikit-learn before 1.9 (diffprivlib 0.6.6 cannot be imported with later
ones).
"""

import diffprivlib
import numpy as np

from audits import each

DATA = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
OTHER = np.array([0.0, 0.25, 0.5, 0.75, 0.0])


def private_mean(data, rng):
    """One call of the library, which draws from a generator of the legacy kind, seeded from ours."""
    legacy = np.random.RandomState(int(rng.integers(2**32)))
    return diffprivlib.tools.mean(data, epsilon=1.0, bounds=(0.0, 1.0), random_state=legacy)


mechanism = each(private_mean)
pairs = [(DATA, OTHER)]
adjacency = "replace"
epsilon = 1.0
