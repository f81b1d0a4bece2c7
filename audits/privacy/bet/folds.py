"""Cross-fitting: a score learned from all samples, judged by all of them.

Samples that a score was fitted to would flatter it. Fitted again without each of a few parts of them, every
sample is judged by the fit that has not seen it (Chernozhukov et al., 2018); what is betted on is the fit to
all.
"""

from __future__ import annotations

import numpy as np

from audits.privacy.bet import events
from audits.privacy.learn.choice import Learner
from audits.privacy.outputs.outputs import Encoded, Floats
from audits.privacy.outputs.score import Folds, Score, fold_of


def fitted(learner: Learner, first: Encoded, second: Encoded) -> Score | None:
    """The score of a learner from the first half of the samples; from all of them where it has folds."""
    part = slice(len(first) if learner.folds else len(first) // 2)
    score = learner.fit(first.take(part), second.take(part))
    assert score is None or (score.folds is not None) == learner.folds
    return score


def judged(fits: Folds, first: Encoded, second: Encoded, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Scores of the samples of both datasets by the fold that has not seen them, in the units of x, y.

    x, y are the scores of the samples by the fit to all of them. The `fits` without a part differ from it in
    spread, so the ranks of a part's scores are given the values of x and y of these ranks.
    """
    fold = fold_of(len(first), len(fits))
    found = np.empty_like(x), np.empty_like(y)
    for k, evaluate in enumerate(fits):
        part = slice(*np.searchsorted(fold, [k, k + 1]))
        u, v = evaluate(first.take(part)), evaluate(second.take(part))
        # Equal outputs have equal ranks, whichever dataset they are of.
        unit = events.rounding(u, v)
        u, v = events.rounded(u, unit), events.rounded(v, unit)
        ordered, values = np.sort(np.concatenate([u, v])), np.sort(np.concatenate([x[part], y[part]]))
        for side, ranked in zip(found, (u, v), strict=True):
            side[part] = values[np.searchsorted(ordered, ranked, side="right") - 1]
    return found
