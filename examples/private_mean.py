"""The error of a user-level private mean, measured: `python examples/private_mean.py > cells.csv`.

Each of n users has m signs. The mean of a user lies within 4/√m of 0 with high probability and
is clipped there, so that one user moves the mean by at most 8/(n√m), and Laplace noise of that
scale over ε makes it private. The noise falls like n⁻¹m^(−1/2); at ε = 0.1 it is larger than
the error of the sample.
"""

import numpy as np

EPSILON, TRIALS = 0.1, 4000


def mean_error(n, m, rng):
    """Mean absolute error over TRIALS datasets; the mean that is looked for is 0."""
    users = (2.0 * rng.binomial(m, 0.5, size=(TRIALS, n)) - m) / m
    radius = 4.0 / np.sqrt(m)
    noise = rng.laplace(scale=2.0 * radius / (n * EPSILON), size=TRIALS)
    return np.abs(np.clip(users, -radius, radius).mean(axis=1) + noise).mean()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    print("n,m,risk")
    for n in (25, 50, 100, 200, 400, 800):
        for m in (100, 400, 1600):
            print(f"{n},{m},{mean_error(n, m, rng):.6g}")
