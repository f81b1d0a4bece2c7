"""OpenDP 0.4.0, randomized_response_bool: a lie is drawn from both answers, and is the truth half the time.

The claim is the measurement's own map, log(p/(1 − p)) with p = 3/4.
"""

import numpy as np

from audits import unseeded


def _measurement():
    from opendp.mod import enable_features

    enable_features("contrib")
    try:
        from opendp.meas import make_randomized_response_bool
    except ImportError:
        from opendp.measurements import make_randomized_response_bool
    return make_randomized_response_bool(0.75)


MEASUREMENT = _measurement()
assert abs(MEASUREMENT.map(1) - 1.0986122886681098) < 1e-9 if hasattr(MEASUREMENT, "map") else True
response = unseeded(lambda data, size: np.array([MEASUREMENT(data[0]) for _ in range(size)]))
pairs = [([True], [False])]
