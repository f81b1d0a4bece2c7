"""Which learners suit a kind of output, and what sets some of them apart."""

from __future__ import annotations

from audits.privacy.learners.cells import footprints, sets, value
from audits.privacy.learners.modes import modes
from audits.privacy.learners.parity import parity
from audits.privacy.learners.periods import period
from audits.privacy.learners.regressions import logistic, norm, repeated, smooth, sparse
from audits.privacy.learners.score import Learner
from audits.privacy.learners.summaries import summary
from audits.privacy.learners.symbols import symbols
from audits.privacy.learners.trees import tree
from audits.privacy.outputs import Encoded

PATIENT = (tree, period, modes, parity, summary, symbols)
"""Learners that find something in many samples only, and cost nothing until then."""
RARE = (modes, summary, symbols)
"""Learners of rare events: they go on learning when the others have enough."""
CROSS_FITTED = (logistic, smooth, repeated, tree)
"""Learners whose scores come with folds."""


def learners(sample: Encoded, user_score: bool, low_bits: bool) -> list[Learner]:
    """The learners that suit this kind of output; fixed before the first bet, as their weights must be.

    user_score  whether the outputs are scores of the user's own, whose tails and cells are all that counts.
    low_bits    whether the lowest bits of numbers count.
    """
    if sample.is_scalar:
        chosen: list[Learner] = [value, sets]
        if not user_score:
            chosen += [period, modes, tree]
        return [*chosen, footprints] if low_bits else chosen
    if sample.is_symbol:
        return [sets, period, modes]
    few = sample.shape[0] <= 6 and sample.shape[1] == 0
    chosen = [smooth] if few else [logistic, sparse, norm, repeated]
    return [sets, *chosen, *PATIENT]
