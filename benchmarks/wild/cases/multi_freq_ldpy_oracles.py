"""multi-freq-ldpy: the reports of one user; adjacent are any two items of 4.

The functions are compiled and draw from a generator of their own, so that runs cannot be replayed.
"""

import numpy as np
from multi_freq_ldpy.pure_frequency_oracles.ADP import ADP_Client
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.HE import HE_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

from audits import unseeded


def reports(client, *options):
    def mechanism(data, size):
        found = (client(data[0], 4, 1.0, *options) for _ in range(size))
        return [tuple(np.ravel(np.sort(r) if client is SS_Client else r).tolist()) for r in found]

    return unseeded(mechanism)


response, subset, histogram = reports(GRR_Client), reports(SS_Client), reports(HE_Client)
optimised_unary, symmetric_unary = reports(UE_Client, True), reports(UE_Client, False)
local_hashing, adaptive = reports(LH_Client, True), reports(ADP_Client, True)
pairs = [([0], [1]), ([2], [3])]
