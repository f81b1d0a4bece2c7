"""pure-ldp 1.1.2, unary encoding: the bit of the user's own item is drawn twice and is 1 if either draw is.

The bit is 1 with probability p + (1 − p)q instead of p.
"""

import numpy as np
from pure_ldp.frequency_oracles.unary_encoding import UEClient


def reports(oue):
    def mechanism(data, size, rng):
        client = UEClient(1.0, 4, use_oue=oue, index_mapper=lambda item: item)
        return np.array([client.privatise(data[0]) for _ in range(size)])

    return mechanism


optimised, symmetric = reports(True), reports(False)
pairs = [([0], [1])]
