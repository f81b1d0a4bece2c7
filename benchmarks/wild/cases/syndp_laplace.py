"""syndp 0.5.2: mechanisms set NumPy's seed to 0 in each call.

The package lists a dependency that cannot be installed, sklearn, so that its dependencies are listed here.
"""

from syndp import boundedlaplacemechanism, laplace_mechanism

from audits import each

laplace = each(lambda data, rng: laplace_mechanism(data, 1.0, 1.0))
bounded = each(lambda data, rng: boundedlaplacemechanism(data, (0.0, 1.0), 1.0, 1.0, 0.1))
pairs = [(0.2, 0.9)]


def adjacency(first, second):
    return abs(first - second) <= 1
