"""Tumult Core 0.20: a clipped sum and a count with its noise mechanisms.

The geometric noise is drawn from NumPy and followed. Laplace noise is computed by inverting its distribution
function in ball arithmetic, bit by bit: its class is named.
"""

import numpy as np
from tmlt.core.domains.numpy_domains import NumpyFloatDomain
from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise, AddLaplaceNoise

from audits import each, unseeded


def number_of(data):
    return int(AddGeometricNoise(1)(np.int64(len(data))))


def total_of(data):
    return float(AddLaplaceNoise(NumpyFloatDomain(), 1)(float(np.clip(data, 0.0, 1.0).sum())))


number, total = unseeded(each(number_of)), unseeded(each(total_of))
_FIVE = np.array([1.0, 0.2, 0.4, 0.6, 0.8])
pairs = [(_FIVE, _FIVE[1:])]
