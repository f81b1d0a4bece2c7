"""pure-ldp 1.2.0: the reports of one user; adjacent are any two items of 4."""

import numpy as np
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.hadamard_mechanism import HadamardMechClient
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
from pure_ldp.frequency_oracles.histogram_encoding import HEClient
from pure_ldp.frequency_oracles.local_hashing import LHClient


def same(item):
    return item


def flat(report):
    """A report as numbers: nested tuples, pairs and arrays in a row."""
    if isinstance(report, (tuple, list, zip, np.ndarray)):
        return [number for part in report for number in flat(part)]
    return [report.item() if isinstance(report, np.generic) else report]


def reports(make):
    def mechanism(data, size, rng):
        client = make()
        return [tuple(flat(client.privatise(data[0]))) for _ in range(size)]

    return mechanism


def hadamard_response_client():
    server = HadamardResponseServer(1.0, 4, index_mapper=same)
    return HadamardResponseClient(1.0, 4, server.get_hash_funcs(), index_mapper=same)


direct = reports(lambda: DEClient(1.0, 4, index_mapper=same))
histogram = reports(lambda: HEClient(1.0, 4, index_mapper=same))
local_hashing = reports(lambda: LHClient(1.0, 4, index_mapper=same))
optimal_hashing = reports(lambda: LHClient(1.0, 4, use_olh=True, index_mapper=same))
hadamard_response = reports(hadamard_response_client)
hadamard = reports(lambda: HadamardMechClient(1.0, 4, 1, index_mapper=same))
pairs = [([0], [1]), ([2], [3])]
