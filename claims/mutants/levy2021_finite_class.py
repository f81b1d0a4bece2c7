"""The pure learner of levy2021 with planted bugs."""

from __future__ import annotations

import numpy as np

from claims.mutants.mutant import Mutant
from implementations.interfaces import Array


def best_of_geometric(probabilities: Array, stop: float) -> Array:
    """Law of the best of exactly ⌈1/stop⌉ draws."""
    draws = np.ceil(1.0 / stop)
    tail = np.concatenate((np.cumsum(np.asarray(probabilities)[::-1])[::-1], [0.0]))
    return tail[:-1] ** draws - tail[1:] ** draws


MUTANTS = [
    Mutant(
        name="levy2021-geometric-budget",
        bug="Draws a fixed number of candidates for a geometric one: privacy is lost with their number.",
        replaces="implementations.levy2021.finite_class:best_of_geometric",
        by=best_of_geometric,
        caught_by=("levy2021/pure-learner",),
    ),
    Mutant(
        name="levy2021-selection-full-budget",
        bug="Gives each candidate all of ε: the selection spends 3ε.",
        replaces="implementations.levy2021.finite_class:learn_finite_class",
        swap=("epsilon / 3.0", "epsilon"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-largest-score",
        bug="Returns the candidate with the largest estimate of the risk.",
        replaces="implementations.levy2021.finite_class:learn_finite_class",
        swap=("np.lexsort((score, run))", "np.lexsort((-score, run))"),
        caught_by=(
            "levy2021/pure-learner-utility",
            "levy2021/sampler-laws",
        ),
    ),
    Mutant(
        name="levy2021-selection-half-budget",
        bug="Gives each candidate ε/2: the selection spends 3ε/2.",
        replaces="implementations.levy2021.finite_class:learn_finite_class",
        swap=("epsilon / 3.0", "epsilon / 2.0"),
        caught_by=("levy2021/sampler-laws",),
    ),
]
