"""Tests at a fixed number of samples: one event learned on a part of them, one exact bound on the rest.

Pair, direction and event are chosen on the learning part alone, so the whole of α goes to a single test. The
bound is `binomial.joint_bound` on (p − δ)/q.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy import binomial, calibration, events, folds, gaussian_shape, scores
from audits.privacy.atoms import count_atoms, find_atoms, ladder_of_sets, rungs, scorer
from audits.privacy.outputs import join
from audits.privacy.pair_state import PATIENT, PairState, learners
from audits.privacy.power import smallest_violation
from audits.privacy.request import Finding, Request, nothing
from audits.privacy.result import CurvePoint, Look, Resolution
from audits.privacy.tuning import TUNING

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An event of a ladder with the bound that it is expected to give on the testing part.

    share       of the lesser side that is expected in the event.
    continuous  the score hardly ever ties: the testing part's own order statistics can set the threshold.
    """

    ladder: events.Ladder
    event: int
    expected: float
    share: float
    continuous: bool


def run_fixed(request: Request, method: str = "clopper-pearson") -> Finding:
    """Learn one event, test it; for the method "gdp" see `gaussian_shape`."""
    if method == "gdp":
        return gaussian_shape.run_shape(request)
    states = [PairState(request, pair, i) for i, pair in enumerate(request.pairs)]
    learning = max(32, int(TUNING.fixed_learning * request.max_samples) // len(states))
    best: tuple[PairState, Candidate] | None = None
    rest = request.max_samples - learning * len(states)
    for state in states:
        state.collect(learning)
        found = _learn(state, max(rest, 1))
        if found is not None and (best is None or found.expected > best[1].expected):
            best = state, found
        # What is kept of a pair that was not chosen is of no more use.
        if best is not None and best[0] is not state:
            state.kept = [[], []]
    if best is None or rest < 1:
        return nothing(learning * len(states))
    state, candidate = best
    tested = _test(state, candidate, rest, request)
    drawn = learning * len(states) + tested.size
    direction, _ = candidate.ladder.words(candidate.event)
    shares = tested.more / tested.size, tested.less / tested.size
    if direction == "backward":
        shares = shares[::-1]
    words = state.encoder.named(tested.words)
    event = f"{words} (share {shares[0]:.4g} on the first dataset, {shares[1]:.4g} on the second)"
    p, q = (tested.more + 0.5) / (tested.size + 1.0), (tested.less + 0.5) / (tested.size + 1.0)
    estimate = math.log((p - request.delta) / q) if p > request.delta else 0.0
    p_value = _p_value(tested, request)
    return Finding(
        refuted=tested.bound > request.epsilon,
        epsilon_lower=tested.bound,
        largest_e_value=1.0 / p_value,
        samples=drawn,
        pair_index=state.index,
        direction=direction,
        event=event,
        resolution=_resolution(tested, request),
        trace=(Look(drawn, -math.log(p_value), tested.bound),),
        curve=tested.curve,
        epsilon_estimate=max(estimate, tested.bound),
    )


def _learn(state: PairState, rest: int) -> Candidate | None:
    """The event with the largest bound expected on `rest` samples a side."""
    first, second = state.samples()
    request = state.request
    half = len(first) // 2
    state.atoms = find_atoms(join([first, second]))
    scorers = scorer(first, state.atoms), scorer(second, state.atoms)
    best: Candidate | None = None
    # The half that learns is too small for events that many samples are needed to find, and each further
    # score is one more that chance may favour: with them a Laplace mechanism lost 5 % of its lower bound.
    kinds = [k for k in learners(first, request.user_score, request.footprints) if k not in PATIENT]
    if state.few():
        # Sets of them are all the events there are.
        kinds = [kind for kind in kinds if kind in (scores.value, scores.sets)]
    for learner in kinds:
        if learner is scores.bends:
            continue
        score = _fitted(state, learner)
        if score is None:
            continue
        # A score that was fitted is judged by the other half, or each part by the fit that has not seen it.
        start = half if score.learned and score.folds is None else 0
        x, y = (evaluate(score, start) for evaluate in scorers)
        cuts = events.thresholds(np.concatenate([x, y]), TUNING.fixed_ratio)
        if len(cuts) == 0:
            continue
        if score.folds is not None:
            x, y = folds.judged(score.folds, first, second, x, y)
        ladder = events.Ladder(score, cuts, events.count(x, cuts), events.count(y, cuts), len(x))
        expected, q = _expected(ladder, calibration.bin_means(cuts, x, y), rest, request)
        event = int(np.argmax(expected))
        if best is None or expected[event] > best.expected:
            some = score.evaluate(second.take(slice(0, 4096)))
            continuous = len(np.unique(some)) > 0.98 * len(some)
            best = Candidate(ladder, event, float(expected[event]), float(q[event]), continuous)
    return best


def _fitted(state: PairState, learner: scores.Learner) -> scores.Score | None:
    """The score of a learner; of vectors that repeat, sets of them by their likelihood ratios."""
    first, second = state.samples()
    if learner is not scores.sets or state.atoms is None or first.is_scalar or first.is_symbol:
        return folds.fitted(learner, first, second)
    few = len(state.atoms) <= TUNING.few_cells
    part = slice(len(first) if few else len(first) // 2)
    counts = count_atoms(state.atoms, first.take(part), second.take(part))
    ladder = ladder_of_sets(state.atoms, counts, counts, TUNING.fixed_ratio)
    return None if ladder is None else replace(ladder.score, learned=not few)


def _expected(ladder: events.Ladder, means: Floats, rest: int, request: Request) -> tuple[Floats, Floats]:
    """The bound on ε that each event is expected to give on the testing part, and its lesser share."""
    from scipy.special import ndtri

    z = -float(ndtri(request.alpha))
    p = (ladder.all_hits()[0] + 0.5) / (ladder.size + 1.0)
    if ladder.score.monotone:
        q, noise = calibration.lesser_shares(ladder, means)
    else:
        q, noise = _smoothed(ladder, p, request.delta)
        # The greater side's hits are few in a tail as well, and the best of many such tails is a lucky one.
        x = ladder.all_hits()[0]
        noise = np.where(x >= TUNING.fixed_least_hits, np.hypot(noise, 1.0 / np.sqrt(x + 1.0)), np.inf)
    # log((p − δ)/q) less the distances to the bounds of p and q at level α, added as independent errors are.
    hits = np.maximum(q * rest, 1.0)
    q_gap = np.log((hits + 1.0 + z * np.sqrt(hits + 1.0)) / hits)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.maximum(p - request.delta, 0.0)
        p_gap = z * np.sqrt(p * (1.0 - p) / rest) / excess
        bound = np.log(excess * rest / hits) - np.hypot(p_gap, q_gap)
    return np.where(np.isfinite(bound), bound, -np.inf) - TUNING.fixed_caution * noise, q


def _smoothed(ladder: events.Ladder, p: Floats, delta: float) -> tuple[Floats, Floats]:
    """Shares q of the lesser side, smoothed along the ladder, and the error of log q that choosing must
    allow for.

    The best of many noisy shares is mostly luck. Where a tail has enough rungs with hits, log((p − δ)/q) is
    replaced by a quadratic in log p; beyond the last rung with hits q is continued as C·(t − t₀)^k or, where
    that
    does not bend, exponentially. No bound rests on this: it only chooses the event.
    """
    height = len(ladder.thresholds)
    _, y = ladder.all_hits()
    q = (y + 1.0) / (ladder.size + 1.0)
    # Few hits are luckier than their standard error says.
    noise = np.where(y >= 8, 1.0 / np.sqrt(np.maximum(y, 1.0)), 2.0 / np.sqrt(y + 1.0))
    for kind in range(4):
        part = slice(kind * height, (kind + 1) * height)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log((p[part] - delta) / q[part])
        use = (y[part] >= 8) & (p[part] <= 0.65) & np.isfinite(ratio)
        # Rungs of equal counts are one point; a quadratic needs several.
        if len(np.unique(p[part][use])) >= 6:
            level, weight = np.log(p[part]), np.sqrt(y[part])
            fit = np.polynomial.Polynomial.fit(level[use], ratio[use], 2, w=weight[use])
            # The curve may smooth the counts, not contradict them.
            reach = np.exp(2.0 / np.sqrt(np.maximum(y[part], 1.0)))
            curve = np.clip((p[part] - delta) / np.exp(fit(level)), q[part] / reach, q[part] * reach)
            q[part] = np.where(use, curve, q[part])
            noise[part] = np.where(use, 0.25 * noise[part], noise[part])
        # "≥" tails thin out upwards, "<" tails downwards.
        order = np.arange(height) if kind % 2 == 0 else np.arange(height)[::-1]
        beyond, continued = _continued(y[part][order], ladder.thresholds[order])
        places = kind * height + order[beyond]
        # Never further than to a twentieth of what a single hit would say, nor against hits there are. Of
        # many tails the one that few hit by luck looks best.
        hit = np.where(y[places] > 0, y[places] + 0.5, 0.05)
        least = np.maximum(continued, hit)
        q[places] = np.minimum(q[places], least / ladder.size)
        noise[places] = 1.5
    return q, noise


def _continued(counts: NDArray[np.int64], place: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Rungs beyond the last one with 8 hits, and the counts that a tail C·(t − t₀)^k expects there."""
    anchors = [np.flatnonzero(counts >= least) for least in (240, 45, 8)]
    none = np.zeros(0, dtype=np.intp), np.zeros(0)
    if any(len(found) == 0 for found in anchors):
        return none
    a, b, c = (int(found[-1]) for found in anchors)
    if not a < b < c < len(counts) - 1:
        return none
    beyond = np.arange(c + 1, len(counts))
    logs = np.log(counts[[a, b, c]])
    # Distances in the direction of the tail; the slope of log q is taken half-way between the anchors.
    d = np.abs(place - place[c])
    early, late = (logs[0] - logs[1]) / (d[a] - d[b]), (logs[1] - logs[2]) / d[b]
    middle_early, middle_late = 0.5 * (d[a] + d[b]), 0.5 * d[b]
    if late <= 1.02 * early:
        return beyond, np.exp(logs[2] - late * d[beyond])
    # slope = k/(distance to t₀): early·(e + middle_early) = late·(e + middle_late), e from the last anchor
    # on.
    e = (early * middle_early - late * middle_late) / (late - early)
    if e <= 0.0:
        return beyond, np.full(len(beyond), 0.1)
    k = late * (e + middle_late)
    left = np.maximum(e - d[beyond], 0.0) / e
    return beyond, np.exp(logs[2]) * left**k


def _test(state: PairState, candidate: Candidate, rest: int, request: Request) -> Tested:
    """Draw the testing part and count.

    Outputs are drawn in chunks of bounded size, and kept as scores only where these set the threshold.
    """
    ladder = candidate.ladder
    height = len(ladder.thresholds)
    kind, rung = divmod(candidate.event, height)
    # The event itself, and a dozen others for the curve and the resolution.
    shown = np.unique(np.append(np.linspace(0, height - 1, 12).astype(np.int64), rung))
    ladder = ladder.keep(shown)
    table = None if state.atoms is None or candidate.continuous else rungs(state.atoms, ladder)
    counts = ladder.nothing()
    kept: tuple[list[Floats], list[Floats]] = ([], [])
    done = 0
    for part in state.chunks(rest):
        for side, (count, keep) in enumerate(zip(counts, kept, strict=True)):
            rows = state.known(state.sample(part, side))
            if table is not None:
                count += table.count(*table.atoms.tally(rows))
                continue
            found = ladder.score.evaluate(rows)
            count += events.count(found, ladder.thresholds)
            if candidate.continuous:
                keep.append(found)
        done += part
        if request.timed() > request.time_limit:
            break
    x, y = counts
    ladder = replace(ladder, first=x, second=y, size=done)
    curve = state.curve(ladder)
    if candidate.continuous:
        first, second = (np.concatenate(side) for side in kept)
        return _ordered(candidate, kind, (first, second), request, curve)
    more, less = ladder.all_hits()
    event = kind * len(shown) + int(np.searchsorted(shown, rung))
    hits, lesser = int(more[event]), int(less[event])
    bound = binomial.joint_bound(hits, lesser, done, request.delta, request.alpha)
    return Tested(hits, lesser, done, bound, ladder.words(event)[1], curve)


def _ordered(
    candidate: Candidate,
    kind: int,
    seen: tuple[Floats, Floats],
    request: Request,
    curve: tuple[CurvePoint, ...],
) -> Tested:
    """The event whose threshold is an order statistic of the lesser side's testing scores."""
    one, other = seen if kind < 2 else seen[::-1]
    done = len(one)
    k = int(np.clip(round(candidate.share * done), 0, done - 1))
    upper = kind % 2 == 0
    if upper:
        threshold = float(np.partition(other, done - 1 - k)[done - 1 - k])
        hits, lesser = int(np.count_nonzero(one > threshold)), int(np.count_nonzero(other > threshold))
    else:
        threshold = float(np.partition(other, k)[k])
        hits, lesser = int(np.count_nonzero(one < threshold)), int(np.count_nonzero(other < threshold))
    bound = binomial.order_bound(hits, k, done, request.delta, request.alpha)
    words = candidate.ladder.score.describe(threshold, upper)
    return Tested(hits, lesser, done, bound, words, curve)


@dataclass(frozen=True, slots=True)
class Tested:
    """Counts of the event on the testing part, the bound that they give, and the event in words."""

    more: int
    less: int
    size: int
    bound: float
    words: str
    curve: tuple[CurvePoint, ...]


def _p_value(tested: Tested, request: Request) -> float:
    """Approximate p-value against the claim, for display; the verdict rests on the bound."""
    from scipy.special import ndtr

    p, q = np.array(tested.more / tested.size), np.array(tested.less / tested.size)
    distance = float(binomial.divergence(p, q, request.epsilon, request.delta))
    return max(float(ndtr(-math.sqrt(2.0 * tested.size * distance))), 1e-300)


def _resolution(tested: Tested, request: Request) -> Resolution:
    from scipy.special import ndtri

    # The events that were tried are those of the ladder: the learning part would have chosen another one.
    q = (
        np.array([tested.less / tested.size, *(point.second for point in tested.curve)]) * tested.size + 0.5
    ) / (tested.size + 1.0)
    needed = (1.2816 - float(ndtri(request.alpha))) ** 2 / 2.0
    return smallest_violation(q, needed / tested.size, request.epsilon, request.delta)
