"""trasgoDP 2.1.0: categorical mechanisms choose among the categories that the column has."""

import numpy as np
from trasgodp.categorical import dp_exponential_array, dp_randomized_response_kary_array
from trasgodp.numerical import dp_clip_laplace_array

from audits import each

RELEASES = [
    {
        "library": "trasgoDP==2.1.0",
        "python": "3.11",
        "requirements": ["numpy==2.0.2", "pandas==2.3.3"],
        "adjacency": "replace",
        "epsilon": 1.0,
        "max_samples": 8000,
    }
]
CASES = [
    {
        "function": "exponential",
        "of": "categorical.dp_exponential_array",
        "released": "a column of 4, a category has one record",
        "status": "finding",
        "expected": "refuted",
        "reference": "findings/trasgodp-categories.md",
        "line": "trasgodp/categorical/_exponential.py:99",
        "drawn": [
            "trasgodp/categorical/_exponential.py:127",
            "trasgodp/categorical/_exponential.py:135",
            "trasgodp/categorical/_exponential.py:138",
        ],
    },
    {
        "function": "response",
        "of": "categorical.dp_randomized_response_kary_array",
        "released": "a column of 6, a category has one record",
        "status": "finding",
        "expected": "refuted",
        "reference": "findings/trasgodp-categories.md",
        "line": "trasgodp/categorical/_randomized_response.py:225",
        "drawn": [
            "trasgodp/categorical/_randomized_response.py:234",
            "trasgodp/categorical/_randomized_response.py:235",
            "trasgodp/categorical/_randomized_response.py:236",
        ],
    },
    {
        "function": "exponential_common",
        "of": "categorical.dp_exponential_array",
        "released": "a column of 5, all categories in both",
        "status": "presumed correct",
        "expected": "not-refuted",
    },
    {
        "function": "response_common",
        "of": "categorical.dp_randomized_response_kary_array",
        "released": "a column of 7, all categories in both",
        "status": "presumed correct",
        "expected": "not-refuted",
    },
    {
        "function": "numbers",
        "of": "numerical.dp_clip_laplace_array",
        "released": "a column of 3 numbers in [0, 1]",
        "status": "presumed correct",
        "expected": "not-refuted",
    },
]

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
