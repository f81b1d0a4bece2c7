"""Which learners suit a kind of output."""

from __future__ import annotations

from audits.privacy.learners import derived, families, hidden
from audits.privacy.learners.cells import footprints, sets, value
from audits.privacy.learners.regressions import logistic, repeated, smooth, sparse
from audits.privacy.learners.score import Learner
from audits.privacy.learners.search import search
from audits.privacy.learners.trees import tree
from audits.privacy.outputs.outputs import Encoded
from audits.privacy.tuning import TUNING

SUMS = (
    derived.summed_up,
    derived.looked_into,
    derived.compared,
    derived.orders,
    families.signed_sums,
    families.listed_orders,
    families.members,
    families.windows,
)
"""What several numbers of an output tell together."""
SYMBOLS = families.in_place, families.anywhere, families.agreeing

VALUE = Learner("value", value, few=True)
SETS = Learner("sets", sets, few=True, table=True)
FOOTPRINTS = Learner("footprints", footprints)
PERIOD = Learner("period", search("period", [hidden.periods]), patient=True, folds=True, costly=True)
MODES = Learner("modes", search("modes", [hidden.crowds], folded=False), patient=True, rare=True)
TREE = Learner("tree", tree, patient=True, folds=True)
SMOOTH = Learner("smooth", smooth, folds=True, rare=True)
LINEAR = (
    Learner("logistic", logistic, folds=True),
    Learner("sparse", sparse, patient=True, costly=True),
    Learner("repeated", repeated, folds=True, rare=True),
)
DIGITS = Learner("digits", search("digits", [derived.looked_into]), patient=True, folds=True, costly=True)
SEARCHES = (
    Learner("parity", search("parity", [families.parities]), patient=True, folds=True, costly=True),
    Learner("summary", search("summary", SUMS), patient=True, folds=True, rare=True, costly=True),
    Learner("directions", search("directions", [families.spreads], folded=False), patient=True, costly=True),
    Learner("symbols", search("symbols", SYMBOLS), patient=True, folds=True, rare=True),
)


def learners(sample: Encoded, user_score: bool, low_bits: bool) -> list[Learner]:
    """The learners that suit an output, costly learners last; their weights are fixed before the first bet.

    user_score  whether the outputs are scores of the user's own, whose tails and cells are all that counts.
    low_bits    whether the lowest bits of numbers count.
    """
    few = sample.shape[0] <= TUNING.most_signed and sample.shape[1] == 0
    if sample.is_scalar:
        hidden_ones = [] if user_score else [MODES, TREE, PERIOD, DIGITS]
        return [VALUE, SETS, *([FOOTPRINTS] if low_bits else []), *hidden_ones]
    if sample.is_symbol:
        return [SETS, MODES, PERIOD]
    every = [SETS, *([SMOOTH] if few else LINEAR), TREE, MODES, PERIOD, *SEARCHES]
    return sorted(every, key=lambda one: one.costly)
