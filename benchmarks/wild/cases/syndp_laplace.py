"""syndp 0.5.2: mechanisms set NumPy's seed to 0 in each call.

The package lists a dependency that cannot be installed, sklearn, so that its dependencies are listed here.
"""

from syndp import boundedlaplacemechanism, laplace_mechanism

from audits import each

RELEASES = [
    {
        "library": "syndp==0.5.2",
        "python": "3.11",
        "requirements": [
            "numpy",
            "scipy",
            "pandas",
            "scikit-learn==1.6.1",
            "joblib<1.5",
            "threadpoolctl",
            "python-dateutil",
            "six",
            "pytz",
            "tzdata",
        ],
        "dependencies": False,
        "adjacency": "own",
        "epsilon": 1.0,
    }
]
CASES = [
    {
        "function": "laplace",
        "of": "laplace_mechanism",
        "released": "the value, the default seed",
        "status": "finding",
        "expected": "refuted",
        "reference": "findings/syndp-seed.md",
        "line": "syndp/laplace_mechanism.py:6",
        "drawn": [
            "syndp/laplace_mechanism.py:6",
            "syndp/laplace_mechanism.py:8",
            "syndp/laplace_mechanism.py:9",
        ],
    },
    {
        "function": "bounded",
        "of": "boundedlaplacemechanism",
        "released": "the value in [0, 1], δ = 0.1, the default seed",
        "delta": 0.1,
        "status": "finding",
        "expected": "refuted",
        "reference": "findings/syndp-seed.md",
        "line": "syndp/bounded_laplace_mechanism.py:51",
        "drawn": [
            "syndp/bounded_laplace_mechanism.py:51",
            "syndp/bounded_laplace_mechanism.py:52",
            "syndp/bounded_laplace_mechanism.py:54",
        ],
    },
]

laplace = each(lambda data, rng: laplace_mechanism(data, 1.0, 1.0))
bounded = each(lambda data, rng: boundedlaplacemechanism(data, (0.0, 1.0), 1.0, 1.0, 0.1))
pairs = [(0.2, 0.9)]


def adjacency(first, second):
    return abs(first - second) <= 1
