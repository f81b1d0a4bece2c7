"""mostlyai-engine 2.7.3: which categories are frequent, and bounded quantiles.

The package imports Transformers on the way to this module, which is loaded without it.
"""

import importlib
import os
import sys
import sysconfig
import types

import numpy as np
import pandas as pd

from audits import each


def _module():
    package = types.ModuleType("mostlyai.engine")
    package.__path__ = [os.path.join(sysconfig.get_paths()["purelib"], "mostlyai", "engine")]
    sys.modules["mostlyai.engine"] = package
    return importlib.import_module("mostlyai.engine._common")


_COMMON = _module()


def _frequent(data, rng):
    # As `analyze_reduce_categorical` counts and calls it.
    counts = pd.Series(data).value_counts().sort_index().to_dict()
    return _COMMON.dp_non_rare(counts, 1.0, threshold=5)[0]


def _quantile(q):
    def release(data, rng):
        return float(_COMMON._dp_bounded_quantiles(data, [q], 1.0, 0.0, 1.0)[0])

    return each(release)


def _frequent_known(data, rng):
    counts = {name: data.count(name) for name in ("absinthe", "milk", "tea")}
    return _COMMON.dp_non_rare(counts, 1.0, threshold=5)[0]


frequent, frequent_known = each(_frequent), each(_frequent_known)
top_percent, median = _quantile(0.99), _quantile(0.5)
_COLUMN = ["tea"] * 20 + ["milk"] * 9 + ["absinthe"]
_TOP = np.array([0.0] * 99 + [0.1, 0.1, 1.0])
_SIX = np.array([0.1, 0.2, 0.4, 0.6, 0.8, 1.0])
pairs = {
    "frequent": [(_COLUMN, _COLUMN[:-1])],
    "top_percent": [(_TOP, _TOP[:-1])],
    "frequent_known": [(_COLUMN, _COLUMN[:-1])],
    "median": [(_SIX, _SIX[:-1])],
}
