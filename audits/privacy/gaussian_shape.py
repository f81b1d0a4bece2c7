"""Outputs of Gaussian shape: an estimate of μ, the distance of the means in standard deviations, and of ε.

It never refutes. It rests on the shape: that a score of the outputs is N(m, s²) on one dataset and N(m′, s²)
on the other. No number of samples can show that: Huber noise, Gaussian in its middle with exponential tails,
keeps an ε of its own at δ = 0 and passes every test of shape. Scores that the samples speak against are
refused all the same.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, cast

import numpy as np

from audits.privacy.learners.cells import value
from audits.privacy.learners.regressions import logistic
from audits.privacy.learners.score import Score
from audits.privacy.outputs import Floats
from audits.privacy.pair_state import PairState
from audits.privacy.request import Finding, Request, nothing
from audits.privacy.tuning import TUNING


def run_shape(request: Request) -> Finding:
    """The pair whose means lie farthest apart, its outputs' shape, and the least μ that agrees with them."""
    states = [PairState(request, pair, i) for i, pair in enumerate(request.pairs)]
    budget = request.max_samples
    learning = max(32, int(TUNING.fixed_learning * budget) // len(states))
    found: list[tuple[float, PairState, Score]] = []
    for state in states:
        state.collect(learning)
        first, second = state.samples()
        # Symbols have no shape.
        score = (value if first.is_scalar else logistic)(first, second)
        if first.codes.shape[1] == 0:
            x, y = _scaled(score.evaluate(first), score.evaluate(second))
            found.append(
                (abs(float(x.mean() - y.mean())) / (float(np.hypot(x.std(), y.std())) or 1.0), state, score)
            )
    drawn = learning * len(states)
    if not found:
        return nothing(drawn, "The method is for numbers: outputs with symbols or gaps have no shape.")
    if drawn >= budget:
        return nothing(drawn)
    _, state, score = max(found, key=lambda candidate: candidate[0])
    x, y = _scaled(
        *(
            np.concatenate(
                [score.evaluate(state.known(state.sample(n, side))) for n in state.chunks(budget - drawn)]
            )
            for side in (0, 1)
        )
    )
    note = complaint(x, y)
    if note:
        return nothing(budget, note)
    estimate, note = epsilon_estimate(x, y, request.delta, request.alpha)
    return replace(
        nothing(budget, note),
        pair_index=state.index,
        event=f"none: {score.name} scores",
        epsilon_estimate=estimate,
    )


def _scaled(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Scores of both datasets in units of the largest: the squares of very large ones would overflow."""
    largest = max(np.abs(first).max(initial=0.0), np.abs(second).max(initial=0.0)) or 1.0
    return first / largest, second / largest


def epsilon_estimate(first: Floats, second: Floats, delta: float, alpha: float) -> tuple[float, str]:
    """The least ε of Gaussian noise that agrees with the scores of both datasets, and its condition in words.

    μ̂ = |x̄ − ȳ|/s has variance 2/n + μ²/(4n) for large n; its lower confidence bound at level α becomes ε.
    """
    from scipy.special import ndtri

    from implementations.privacy import gaussian_epsilon

    n = len(first)
    found = abs(float(first.mean() - second.mean())) / math.sqrt(0.5 * float(first.var() + second.var()))
    mu = max(found + float(ndtri(alpha)) * math.sqrt((2.0 + found**2 / 4.0) / n), 0.0)
    condition = f"An estimate, which can refute nothing: were the noise Gaussian, μ ≥ {mu:.4g}"
    if delta <= 0.0:
        return 0.0, f"{condition}. At δ = 0 no Gaussian mechanism has a finite ε: claim a δ > 0."
    lower = float(gaussian_epsilon(delta, mu)) if mu > 0.0 else 0.0
    return lower, f"{condition} and ε ≥ {lower:.4g} at δ = {delta:g}."


def complaint(first: Floats, second: Floats) -> str:
    """Why the scores of both datasets are not Gaussians of one variance; empty where nothing speaks against
    it."""
    from scipy import stats

    if len(first) < TUNING.shape_least:
        least = TUNING.shape_least
        return f"Gaussian shape needs at least {least} testing samples to be checked, got {len(first)}."
    for name, values in (("first", first), ("second", second)):
        spread = float(values.std())
        if not spread > 0.0:
            return f"Outputs on the {name} dataset are constant: no Gaussian shape."
        z = (values - values.mean()) / spread
        p_moments = float(cast(Any, stats.jarque_bera(z))[1])
        # The Kolmogorov distance to a fitted Gaussian is smaller than to a fixed one, so this level is
        # conservative.
        p_distance = float(cast(Any, stats.kstest(z, "norm"))[1])
        if min(p_moments, p_distance) < TUNING.shape_level / 4.0:
            return f"Outputs on the {name} dataset have no Gaussian shape: a bound on μ would mean nothing."
    if abs(math.log(float(first.var() / second.var()))) > 4.0 * math.sqrt(4.0 / len(first)):
        return "The two datasets' outputs have different variances: a bound on μ would mean nothing."
    return ""
