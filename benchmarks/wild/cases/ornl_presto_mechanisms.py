"""ornl_presto 0.1.29: the Gaussian and the sparse vector technique.

The package imports GPyTorch and Opacus on the way to this module, which is loaded without it.
"""

import importlib.util
import os
import sys
import sysconfig
import types

import numpy as np

from audits import each


def _module():
    package = types.ModuleType("ornl_presto")
    package.__path__ = [os.path.join(sysconfig.get_paths()["purelib"], "ornl_presto")]
    sys.modules["ornl_presto"] = package
    return importlib.import_module("ornl_presto.privacy_mechanisms")


_PRESTO = _module()
svt = each(lambda data, rng: _PRESTO.applySVTAboveThreshold_full(data, 1.0))
gaussian = each(lambda data, rng: _PRESTO.applyDPGaussian([data], sensitivity=10, delta=1e-5, epsilon=1)[0])
laplace = each(lambda data, rng: _PRESTO.applyDPLaplace([data], sensitivity=10, epsilon=1)[0])
_DATA = np.array([0.11, 0.32, 0.53, 0.74, 0.95])
_MOVED = np.array([0.11, 0.32, 0.58, 0.74, 0.95])
pairs = {"svt": [(_DATA.tolist(), _MOVED.tolist())], "gaussian": [(0.0, 10.0)], "laplace": [(0.0, 10.0)]}


def adjacency(first, second):
    return abs(first - second) <= 10
