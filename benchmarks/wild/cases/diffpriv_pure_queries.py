"""diffpriv-pure 0.1.0: the noise of the count is never negative; that of sum and mean is Laplace."""

from diffpriv_pure import private_count, private_mean, private_sum

from audits import each

RELEASES = [{"library": "diffpriv-pure==0.1.0", "python": "3.11", "epsilon": 1.0, "max_samples": 8000}]
CASES = [
    {
        "function": "count",
        "of": "private_count",
        "released": "the count",
        "adjacency": "add-remove",
        "status": "finding",
        "expected": "refuted",
        "reference": "findings/diffpriv-pure-count.md",
        "line": "diffpriv_pure/__init__.py:74",
        "drawn": ["diffpriv_pure/__init__.py:70", "diffpriv_pure/__init__.py:102"],
    },
    {
        "function": "total",
        "of": "private_sum",
        "released": "the sum of 5 values in [0, 1]",
        "adjacency": "replace",
        "status": "presumed correct",
        "expected": "not-refuted",
    },
    {
        "function": "average",
        "of": "private_mean",
        "released": "the mean of 5 values in [0, 1]",
        "adjacency": "replace",
        "status": "presumed correct",
        "expected": "not-refuted",
    },
]

count = each(lambda data, rng: private_count(len(data), 1.0))
total = each(lambda data, rng: private_sum(data, (0.0, 1.0), 1.0))
average = each(lambda data, rng: private_mean(data, (0.0, 1.0), 1.0))
_PEOPLE = [1.0, 0.2, 0.4, 0.6, 0.8]
_MOVED = [(_PEOPLE, [0.0, *_PEOPLE[1:]])]
pairs = {"count": [(_PEOPLE, _PEOPLE[1:])], "total": _MOVED, "average": _MOVED}
