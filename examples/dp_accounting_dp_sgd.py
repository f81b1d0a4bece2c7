"""Three steps of DP-SGD with the noise that dp-accounting calibrates.

Run: `dpclaims audit examples/dp_accounting_dp_sgd.py`.

Every step keeps each record with probability RATE, adds up the kept gradients (numbers in [−1, 1] here) and
adds Gaussian noise. An attacker who knows every other record sees all three noisy sums. What is audited
is the exact log-likelihood ratio of the canary's presence, so that nothing has to be learned.
"""

import dp_accounting
import numpy as np
from dp_accounting.pld import PLDAccountant

RATE, STEPS = 0.25, 3
epsilon, delta = 1.0, 1e-3


def steps(sigma):
    """What the mechanism does, in dp-accounting's words."""
    step = dp_accounting.PoissonSampledDpEvent(RATE, dp_accounting.GaussianDpEvent(sigma))
    return dp_accounting.SelfComposedDpEvent(step, STEPS)


SIGMA = dp_accounting.calibrate_dp_mechanism(PLDAccountant, steps, epsilon, delta)


def mechanism(data, size, rng):
    """`size` runs on the gradients `data`; output (size,)."""
    return score(noisy_sums(data, size, rng, SIGMA))


def too_little_noise(data, size, rng):
    """The slip: the noise of one step is shared out over the steps, as if only their sum were seen."""
    return score(noisy_sums(data, size, rng, SIGMA / STEPS**0.5))


def noisy_sums(data, size, rng, sigma):
    """Poisson-sampled sums plus N(0, sigma²), one for each step."""
    gradients = np.asarray(data, float)
    kept = rng.random((size, STEPS, len(gradients))) < RATE
    return kept @ gradients + rng.normal(0.0, sigma, (size, STEPS))


def score(outputs):
    """Log-likelihood ratio of a canary with gradient 1 against none, the other gradients being 0."""
    ratio = np.exp((2.0 * outputs - 1.0) / (2.0 * SIGMA**2))
    return np.log1p(RATE * (ratio - 1.0)).sum(axis=1)


pairs = [((0.0, 0.0, 1.0), (0.0, 0.0))]
adjacency = "add-remove"
