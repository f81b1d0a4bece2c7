"""Section 6: 10 passes over 59,535 records in batches of exactly 250, a new random order each pass, σ = 0.63.

All other gradients are +1 and that of the replaced record is +1 or -1, so its batch has the sum 250 or 248.
Event: in at least k of the 10 passes the noisy sum of some batch lies t·σ or more below 250.
"""

from math import log

import numpy as np
from scipy.special import bdtrc, ndtr

n, batch, passes, sigma, delta = 59_535, 250, 10, 0.63, 1e-5
full = n // batch  # 238 full batches a pass, and a rest, which is left out
share = full * batch / n  # probability that the record is in a full batch
best = 0.0
for t in np.linspace(3, 7, 81):
    quiet = 1 - ndtr(t) ** full  # all batches have the sum 250
    moved = 1 - ndtr(t) ** (full - 1) * ndtr(t - 2 / sigma)  # one of them has 248
    moved = share * moved + (1 - share) * quiet
    for k in range(1, passes + 1):
        p, q = bdtrc(k - 1, passes, moved), bdtrc(k - 1, passes, quiet)
        if p > delta:
            best = max(best, log((p - delta) / q))
print(f"stated: ε ≈ 5.0 at δ = {delta:g}")
print(f"found:  ε ≥ {best:.1f} for the noisy gradients of batches of exactly 250, one record replaced")
assert best > 30
