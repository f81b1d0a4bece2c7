"""smartnoise-synth 1.0.5, DPcovariance: the data are clipped, and then the unclipped ones are used.

The package imports PyTorch on the way to this module, so the module is loaded by its file.
"""

import importlib.util
import os
import sysconfig

import numpy as np
import pandas as pd

from audits import each


def _module():
    path = os.path.join(sysconfig.get_paths()["purelib"], "snsynth", "models", "dp_covariance.py")
    spec = importlib.util.spec_from_file_location("dp_covariance", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DPcovariance = _module().DPcovariance


def release(data, rng):
    bounds = pd.DataFrame({0: [0.0, 1.0], 1: [0.0, 1.0]})
    covariance = DPcovariance(len(data), [0, 1], bounds, 1.0)
    return np.array(covariance.release(pd.DataFrame(data, columns=[0, 1])))


covariance = each(release)
_D = np.array([[0.2, 0.3], [0.8, 0.6], [0.4, 0.9], [0.5, 0.1]])
_FAR = _D.copy()
_FAR[0] = [50.0, 50.0]
pairs = [(_FAR, _D)]
