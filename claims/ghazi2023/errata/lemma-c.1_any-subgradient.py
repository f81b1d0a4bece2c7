"""Lemma C.1 of Ghazi et al. (2023) with sign(0) = 0 for the gradient of a kink.

One user has the loss 2|t| + t^2/2, 19 users have -t/10 + t^2/2, all on [-1, 1]: mu = 1, n = 20."""

import numpy as np

t = np.linspace(-1.0, 1.0, 2_000_001)
steep, other = 2.0 * np.abs(t) + t**2 / 2.0, -t / 10.0 + t**2 / 2.0
best = t[np.argmin(steep + 19.0 * other)]
without = t[np.argmin(19.0 * other)]
gradients = [2.0 * np.sign(round(best, 9)) + best] + [-0.1 + best] * 19
gamma = np.abs(gradients).max()
print(f"optimum {best:.3f}, largest gradient {gamma:.3f}; the gradients add up to {sum(gradients):.2f}")
moved, stated = abs(without - best), 8.0 * gamma / 20.0
print(f"deleting the first user moves the optimum by {moved:.3f}; 8 r gamma/(mu n) = {stated:.3f}")
assert moved > 2.0 * stated
