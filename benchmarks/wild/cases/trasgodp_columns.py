"""trasgoDP 2.1.0: categorical mechanisms choose among the categories that the column has."""

import numpy as np
from trasgodp.categorical import dp_exponential_array, dp_randomized_response_kary_array
from trasgodp.numerical import dp_clip_laplace_array

from audits import each

exponential = each(lambda data, rng: dp_exponential_array(data, 1.0).tolist())
response = each(lambda data, rng: dp_randomized_response_kary_array(data, 1.0).tolist())
exponential_common, response_common = exponential, response
numbers = each(lambda data, rng: dp_clip_laplace_array(data, 1.0, 0.0, 1.0))


def _moved(text):
    """The column of the letters of a text, and that with its last letter replaced by its first."""
    return [(list(text), [*text[:-1], text[0]])]


pairs = {
    "exponential": _moved("abac"),
    "response": _moved("abcabd"),
    "exponential_common": _moved("abcbc"),
    "response_common": _moved("abcbcac"),
    "numbers": [(np.array([0.2, 0.5, 1.0]), np.array([0.2, 0.5, 0.0]))],
}
