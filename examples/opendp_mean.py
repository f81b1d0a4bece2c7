"""A private mean built from OpenDP's parts, as shipped: `dpclaims audit examples/opendp_mean.py`.

The claimed ε is what OpenDP's own privacy map says of replacing one record (symmetric distance 2). OpenDP
draws from the operating system's entropy, so the audit cannot be replayed, and says so.
"""

import opendp.prelude as dp

from audits import each, unseeded

dp.enable_features("contrib")

DATA = [0.0, 0.25, 0.5, 0.75, 1.0]
OTHER = [0.0, 0.25, 0.5, 0.75, 0.0]

RECORDS = (
    dp.vector_domain(dp.atom_domain(T=float, bounds=(0.0, 1.0), nan=False), size=5),
    dp.symmetric_distance(),
)
MEAN = dp.binary_search_chain(
    lambda scale: RECORDS >> dp.t.then_mean() >> dp.m.then_laplace(scale=scale), d_in=2, d_out=1.0
)

mechanism = unseeded(each(MEAN))
pairs = [(DATA, OTHER)]
adjacency = "replace"
epsilon = MEAN.map(2)
