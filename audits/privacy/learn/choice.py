"""Which learners suit a kind of output."""

from __future__ import annotations

from dataclasses import dataclass

from audits.privacy.learn.cells import members, sets, value
from audits.privacy.learn.regressions import logistic, smooth
from audits.privacy.outputs.outputs import Encoded
from audits.privacy.outputs.score import Fit
from audits.privacy.tuning import TUNING


@dataclass(frozen=True, slots=True)
class Learner:
    """A way to learn scores, and how it is used.

    rare     it learns rare events: it goes on learning when the others have enough samples.
    folds    its scores come with folds, so that all samples judge them.
    few      it is of use where only few outputs occur, every event of which is a set of them.
    table    where outputs repeat, its cells are these outputs, ordered by all counts so far.
    """

    name: str
    fit: Fit
    rare: bool = False
    folds: bool = False
    few: bool = False
    table: bool = False


VALUE = Learner("value", value, few=True)
SETS = Learner("sets", sets, few=True, table=True)
SMOOTH = Learner("smooth", smooth, folds=True, rare=True)
LOGISTIC = Learner("logistic", logistic, folds=True)
MEMBERS = Learner("members", members)


def learners(sample: Encoded) -> list[Learner]:
    """The learners that suit an output; their weights are fixed before the first bet."""
    if sample.is_single:
        return [VALUE, SETS]
    few = sample.shape[0] <= TUNING.few_columns and not sample.codes.any()
    return [SETS, SMOOTH if few else LOGISTIC, MEMBERS]
