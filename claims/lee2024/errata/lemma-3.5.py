"""Lemma 3.5 of Lee, Liu and Lu (2024): a Q with one sample complexity, and what 1/eps runs do to n.

Q: "the answer is within 1/2 of the mean of the bits". The constant 1/2 meets it from one record on. For
the half that Theorem 3.7 uses: eps = 1/10, Laplace noise of scale 1/(n eps) on the mean of n bits,
accuracy 0.1."""

import numpy as np

for epsilon in (1.0, 0.1, 0.001):
    print(f"eps = {epsilon:g}: a constant needs 1 record, {1.0 / epsilon:g} are stated up to a constant")
    stated = 1.0 / epsilon
epsilon, accuracy, rng = 0.1, 0.1, np.random.default_rng(0)
noise = np.abs(rng.laplace(size=(100_000, 10)))


def least(scale, runs):
    """The least n at which the answer (the mean of the runs) is accurate with probability 0.9."""
    error = np.abs(rng.laplace(size=(100_000, runs)).mean(axis=1))
    return int(np.ceil(scale * np.quantile(error, 0.9) / accuracy))


once, together, copied = least(1.0 / epsilon, 1), least(1.0 / epsilon, 10), least(1.0, 1)
print(f"records needed at eps = {epsilon}: {once}; by 10 of these runs together (eps = 1): {together};")
print(f"with each record copied 10 times (eps = 1): {copied}, a tenth of {once}")
assert stated > 100.0
assert together > 2 * copied
