"""dp-mobility-report 0.2.11: `bounds_dp` and `quartiles_dp` choose a rank with noise, and release its record.

The exponential mechanism makes the rank private; the value at that rank is a record as it is. A count with
Laplace noise from the same module is beside them.
"""

import numpy as np
import pandas as pd
from dp_mobility_report.privacy import diff_privacy

from audits import each, unseeded


def bounds_of(data):
    return np.array(diff_privacy.bounds_dp(data, 1.0, 1), dtype=float)


def quartiles_of(data):
    found, _ = diff_privacy.quartiles_dp(pd.Series(data), 1.0, 1, bounds=(0.0, 1.0))
    return found.to_numpy(dtype=float)


def count_of(data):
    return float(diff_privacy.count_dp(int((data > 0.5).sum()), 1.0, 1))


bounds, quartiles, count = (unseeded(each(f)) for f in (bounds_of, quartiles_of, count_of))
_DATA = np.array([0.11, 0.32, 0.53, 0.74, 0.95])
_MOVED = np.array([0.11, 0.32, 0.58, 0.74, 0.95])
pairs = [(_DATA, _MOVED)]
