"""A test at a fixed number of samples: one event, learned on a part of them, counted once on the rest.

The sequential test learns on the first part, as if it had no more. Pair, direction and event are chosen on
that part alone, so the whole of α goes to the two Clopper–Pearson bounds of a single event.
"""

from __future__ import annotations

from dataclasses import replace

from scipy.special import ndtri

from audits.privacy.bet import binomial, nulls
from audits.privacy.bet.events import ThresholdFamily
from audits.privacy.bet.method import Finding, Job, nothing, with_shares
from audits.privacy.bet.power import QUANTILE, on_either_dataset, smallest_violation
from audits.privacy.bet.sequential import Sequential
from audits.privacy.options import MIN_SAMPLES, Options
from audits.privacy.outputs.outputs import Floats
from audits.privacy.result import Look
from audits.privacy.tuning import TUNING


def run_fixed(job: Job) -> Finding:
    """Learn one event, test it."""
    asked = job.options
    some = max(MIN_SAMPLES, int(TUNING.fixed_learning * asked.max_samples))
    half = None if asked.time_limit is None else 0.5 * asked.time_limit
    options = Options(
        claim=asked.claim, alpha=asked.alpha, max_samples=some, time_limit=half, stop_early=False
    )
    learned = Sequential(replace(job, options=options))
    learned.run()
    rest = min(asked.max_samples - learned.samples, learned.affordable(job.left()))
    if rest < 1:
        return nothing(learned.samples, "No samples were left to count the event that was learned.")
    z = -float(ndtri(asked.alpha / 2.0))

    def expected(family: ThresholdFamily) -> Floats:
        more, less = family.all_hits()
        p = binomial.limit(more, family.size, rest, -z, TUNING.hope)
        q = binomial.limit(less, family.size, rest, z, TUNING.hope)
        return binomial.shown(p, q, asked.claim)

    known = [(expected(family), state, family) for state in learned.states for family in state.families()]
    if not known:
        return nothing(learned.samples)
    found, state, family = max(known, key=lambda one: float(one[0].max()))
    event = int(found.argmax())
    first, second = state.fresh_counts(family, rest)
    family = replace(family, first=first, second=second, size=rest)
    more, less = (int(side[event]) for side in family.all_hits())
    lower = binomial.two_bounds(more, less, rest, asked.claim, asked.alpha)
    direction, words = family.words(event)
    # The events that were tried are those of the family: the learning part would have chosen another one.
    tried = on_either_dataset(family.shares()[1], nulls.pivot(asked.claim))
    growth = (QUANTILE - float(ndtri(asked.alpha))) ** 2 / (2.0 * rest)
    samples = learned.samples + rest
    return Finding(
        refuted=lower > asked.claim.value,
        lower=lower,
        samples=samples,
        pair_index=state.index,
        direction=direction,
        event=with_shares(state.encoder.said(words), direction, more / rest, less / rest),
        resolution=smallest_violation(tried, growth, asked.claim),
        trace=(Look(samples, 0.0, lower, unit=asked.claim.unit),),
        curve=state.curve(family),
        estimate=max(float(binomial.shown(more / rest, less / rest, asked.claim)), lower),
        encoder=state.encoder,
        view=family.score.view,
    )
