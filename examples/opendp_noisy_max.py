"""OpenDP's report-noisy-max, as shipped: `dpclaims audit examples/opendp_noisy_max.py --max-samples 5000`.

Datasets are vectors of counts of which each moves by at most one, in any direction: the claimed ε is what
OpenDP's own privacy map says of that distance.
"""

import opendp.prelude as dp

from audits import each, unseeded

dp.enable_features("contrib")

NOISY_MAX = dp.m.make_noisy_max(
    dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int), dp.max_divergence(), scale=2.0
)

mechanism = unseeded(each(NOISY_MAX))
pairs = [([1, 1, 1, 1, 1], [0, 2, 2, 2, 2])]
epsilon = NOISY_MAX.map(1)


def adjacency(first, second):
    """Whether each count moves by at most one."""
    return len(first) == len(second) and all(abs(a - b) <= 1 for a, b in zip(first, second, strict=True))
