"""Measures the error of the mechanism at seven sizes: `python measure.py > risks.csv`.

One line a trial, the mean error of 200 releases on one dataset. Seeds are fixed, so that the same code gives
the same figures, and differ from size to size, so that the cells are independent.
"""

import numpy as np
from mechanism import mechanism

RELEASES, TRIALS = 200, 25


def error(n, rng):
    """Mean distance of a release from the mean of n records."""
    data = rng.random(n)
    return np.abs(mechanism(data, RELEASES, rng) - data.mean()).mean()


if __name__ == "__main__":
    print("n,risk")
    for n in (100, 200, 400, 800, 1600, 3200, 6400):
        for trial in range(TRIALS):
            print(f"{n},{error(n, np.random.default_rng([n, trial])):.6g}")
