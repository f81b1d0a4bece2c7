"""Tests at a fixed number of samples: one event learned on a part of them, one exact bound on the rest.

Pair, direction and event are chosen on the learning part alone, so the whole of α goes to a single test. The
bound on (p − δ)/q is `binomial.order_bound` where scores do not tie, and `binomial.two_bounds` where they
do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from audits.privacy.bet import binomial, calibration, events, folds
from audits.privacy.bet.atoms import count_atoms, family_of_sets, find_atoms, scorer
from audits.privacy.bet.method import Finding, Job, nothing, with_shares
from audits.privacy.bet.pair_state import PairState
from audits.privacy.bet.power import QUANTILE, on_either_dataset, smallest_violation
from audits.privacy.learn.choice import Learner
from audits.privacy.options import Options
from audits.privacy.outputs.outputs import Floats
from audits.privacy.outputs.score import Score
from audits.privacy.result import Look
from audits.privacy.tuning import BOUND, TUNING


@dataclass(frozen=True, slots=True)
class Candidate:
    """An event of a family with the bound that it is expected to give on the testing part.

    share       of the lesser dataset's outputs that is expected in the event.
    continuous  the score hardly ever ties: the testing part's own order statistics can set the threshold.
    """

    family: events.ThresholdFamily
    event: int
    expected: float
    share: float
    continuous: bool


def run_fixed(job: Job) -> Finding:
    """Learn one event, test it."""
    states = [PairState(job, pair, i) for i, pair in enumerate(job.pairs)]
    learning = max(32, int(TUNING.fixed_learning * job.options.max_samples) // len(states))
    rest = job.options.max_samples - learning * len(states)
    if rest < 1:
        return nothing(0, f"max_samples = {job.options.max_samples} is too small for {len(states)} pairs.")
    best: tuple[PairState, Candidate] | None = None
    for state in states:
        state.collect(learning)
        with job.threads.limit(limits=1):
            found = _learn(state, rest)
        if found is not None and (best is None or found.expected > best[1].expected):
            best = state, found
        # The learning samples of a pair that was not chosen are not needed any more.
        if best is not None and best[0] is not state:
            state.kept = [[], []]
    if best is None:
        return nothing(learning * len(states))
    return _tested(*best, _count(*best, rest), learning * len(states))


def _learn(state: PairState, rest: int) -> Candidate | None:
    """The event with the largest bound expected on `rest` samples of each dataset."""
    first, second = state.samples()
    half = len(first) // 2
    state.atoms = find_atoms(first, second)
    scorers = scorer(first, state.atoms), scorer(second, state.atoms)
    best: Candidate | None = None
    kinds = state.learners()
    if state.few():
        # With so few different outputs every event is a set of them.
        kinds = [kind for kind in kinds if kind.few]
    for learner in kinds:
        score = _fitted(state, learner)
        if score is None:
            continue
        # A score that was fitted to the first half is judged by the second half; a score with folds is judged
        # on each fold by the fit that has not seen it.
        start = half if score.learned and score.folds is None else 0
        x, y = (evaluate(score, start) for evaluate in scorers)
        every = np.sort(np.concatenate([x, y]))
        cuts = events.thresholds(every)
        if len(cuts) == 0:
            continue
        if score.folds is not None:
            x, y = folds.judged(score.folds, first, second, x, y)
        family = events.ThresholdFamily(score, cuts, events.count(x, cuts), events.count(y, cuts), len(x))
        ties = not _all_differ(every)
        expected, q = _expected(family, (x, y), rest, state.job.options, ties=ties)
        event = int(np.argmax(expected))
        if best is None or expected[event] > best.expected:
            place = int(np.searchsorted(every, cuts[event % len(cuts)]))
            around = every[max(place - TUNING.parts, 0) : place + TUNING.parts]
            best = Candidate(family, event, float(expected[event]), float(q[event]), _all_differ(around))
    return best


def _all_differ(ordered: Floats) -> bool:
    """Whether hardly any of the scores, which are in order, are equal."""
    return bool(np.count_nonzero(ordered[1:] == ordered[:-1]) < TUNING.little * len(ordered))


def _fitted(state: PairState, learner: Learner) -> Score | None:
    """The score of a learner. For vectors that repeat `sets` orders them by their likelihood ratios."""
    first, second = state.samples()
    if not learner.table or state.atoms is None or first.is_single:
        return folds.fitted(learner, first, second)
    few = len(state.atoms) <= TUNING.parts
    part = slice(len(first) if few else len(first) // 2)
    counts = count_atoms(state.atoms, first.take(part), second.take(part))
    family = family_of_sets(state.atoms, counts, counts)
    return None if family is None else replace(family.score, learned=not few)


def _expected(
    family: events.ThresholdFamily, scores: tuple[Floats, Floats], rest: int, asked: Options, *, ties: bool
) -> tuple[Floats, Floats]:
    """The bound on ε that each event is expected to give on the testing part, and its probability on the
    lesser dataset."""
    z = _quantile(asked.alpha)
    p, _ = family.shares()
    more, less = family.all_hits()
    if family.score.monotone:
        means = calibration.bin_means(family.thresholds, *scores)
        q, noise = calibration.lesser_shares(family, means)
    else:
        # The best of many events that were rarely hit is a lucky one. Where scores do not tie, the testing
        # part will set the threshold, so that an event that was never hit may be taken for a rare one.
        unseen = (less == 0) & (more >= TUNING.unseen_from) & (not ties)
        q = np.where(unseen, TUNING.little, less + 1.0) / (family.size + 1.0)
        # Counts vary freely from event to event, the shares of a model do not.
        noise = np.sqrt(1.0 / (less + 1.0) + 1.0 / (more + 1.0))
    # A model says little of events that lie beyond nearly all samples.
    least = TUNING.unseen_from if family.score.monotone else TUNING.least
    noise = np.where(more >= least, noise, np.inf)
    # log((p − δ)/q), less the distances to the bounds of p and of q at level α, which are added in squares.
    hits = np.maximum(q * rest, 1.0)
    q_gap = np.log((hits + 1.0 + z * np.sqrt(hits + 1.0)) / hits)
    caution = 1.0 if family.score.monotone else TUNING.hope
    with np.errstate(divide="ignore", invalid="ignore"):
        p_gap = z * np.sqrt((1.0 - p) / (p * rest))
        # log(p·e^−x − δ) = log(p − δ·e^x) − x, x being the error of log p in both parts.
        error = np.minimum(p_gap + caution / np.sqrt(more + 1.0), math.log(BOUND))
        excess = np.maximum(p - asked.delta * np.exp(error), 0.0)
        bound = np.log(excess * rest / hits) - np.hypot(p_gap, q_gap)
    return np.where(np.isfinite(bound), bound, -np.inf) - caution * noise, q


@dataclass(frozen=True, slots=True)
class Counted:
    """The testing part: the event among a dozen others of its family, with counts of fresh samples. Where
    scores do not tie, also the samples' scores, on the dataset that should have more and on the other."""

    family: events.ThresholdFamily
    event: int
    scores: tuple[Floats, Floats] | None


def _count(state: PairState, candidate: Candidate, rest: int) -> Counted:
    """Draw the testing part and count."""
    job, family = state.job, candidate.family
    kind, cut = divmod(candidate.event, len(family.thresholds))
    shown = np.unique(np.append(np.linspace(0, len(family.thresholds) - 1, 12).astype(np.int64), cut))
    family = family.keep(shown)
    atoms = None if candidate.continuous else state.atoms
    counts, done = family.nothing(), 0
    kept: tuple[list[Floats], list[Floats]] = ([], [])
    for both in state.draw(rest):
        for outputs, count, keep in zip(both, counts, kept, strict=True):
            with job.threads.limit(limits=1):
                found = scorer(outputs, atoms)(family.score, 0)
            count += events.count(found, family.thresholds)
            if candidate.continuous:
                keep.append(found)
        done += len(both[0])
        if job.left() < 0.0:
            break
    family = replace(family, first=counts[0], second=counts[1], size=done)
    event = kind * len(shown) + int(np.searchsorted(shown, cut))
    if not candidate.continuous:
        return Counted(family, event, None)
    first, second = map(np.concatenate, kept)
    return Counted(family, event, (first, second) if kind < 2 else (second, first))


def _tested(state: PairState, candidate: Candidate, counted: Counted, learning: int) -> Finding:
    """What the testing part says of the event that was learned from `learning` samples."""
    asked, family, event = state.job.options, counted.family, counted.event
    n, curve = family.size, state.curve(family)
    hits, lesser = (int(side[event]) for side in family.all_hits())
    direction, words = family.words(event)
    if counted.scores is None:
        bound = binomial.two_bounds(hits, lesser, n, asked.claim, asked.alpha)
    else:
        # The threshold is an order statistic of the lesser dataset's testing scores.
        k = int(np.clip(round(candidate.share * n), 0, n - 1))
        upper = event // len(family.thresholds) % 2 == 0
        place, beyond = (n - 1 - k, np.greater) if upper else (k, np.less)
        threshold = float(np.partition(counted.scores[1], place)[place])
        hits, lesser = (int(np.count_nonzero(beyond(side, threshold))) for side in counted.scores)
        bound = binomial.order_bound(hits, k, n, asked.delta, asked.alpha)
        words = family.score.describe(threshold, upper)
    p, q = (hits + 0.5) / (n + 1.0), (lesser + 0.5) / (n + 1.0)
    # The events that were tried are those of the family: the learning part would have chosen another one.
    tried = (np.array([lesser / n, *(point.second for point in curve)]) * n + 0.5) / (n + 1.0)
    needed = (QUANTILE + _quantile(asked.alpha)) ** 2 / 2.0
    return Finding(
        refuted=bound > asked.epsilon,
        lower=bound,
        samples=learning + n,
        pair_index=state.index,
        direction=direction,
        event=with_shares(state.encoder.said(words), direction, hits / n, lesser / n),
        followed=1,
        resolution=smallest_violation(on_either_dataset(tried, asked.epsilon), needed / n, asked.claim),
        trace=(Look(learning + n, 0.0, bound),),
        curve=curve,
        estimate=max(binomial.shown(p, q, asked.delta), bound),
        encoder=state.encoder,
        view=candidate.family.score.view,
    )


def _quantile(alpha: float) -> float:
    """The quantile of the standard normal law that is exceeded with probability alpha."""
    from scipy.special import ndtri

    return -float(ndtri(alpha))
