"""diffprivlib's `tools.histogram`, as shipped: `dpclaims audit examples/diffprivlib_histogram.py -j 2`.

Each bin gets geometric noise for a count that moves by one: that is ε-DP where a record is added or removed.
Where a record is replaced two bins move and the guarantee is 2ε, which the same audit shows with
`adjacency = "replace"` and `pairs = [(DATA, REPLACED)]`. Needs diffprivlib and a scikit-learn before 1.9.
"""

import diffprivlib
import numpy as np

from audits import each

DATA = np.array([0.1, 0.2, 0.4, 0.5, 0.9])
REMOVED = DATA[:-1]
REPLACED = np.array([0.1, 0.2, 0.4, 0.5, 0.0])


def private_histogram(data, rng):
    """A histogram of three bins: integers (3,)."""
    legacy = np.random.RandomState(int(rng.integers(2**32)))
    return diffprivlib.tools.histogram(data, epsilon=1.0, bins=3, range=(0.0, 1.0), random_state=legacy)[0]


mechanism = each(private_histogram)
pairs = [(DATA, REMOVED)]
adjacency = "add-remove"
epsilon = 1.0
