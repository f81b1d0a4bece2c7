"""What to bet on the next batch, from the counts of earlier ones: events, alternatives, and shares of the
wealth.

For every ε of the grid the wealth is shared out over several events of several scores. With shares cᵢ and
e-values Eᵢ of the batch the wealth is multiplied by Σ cᵢ·Eᵢ, whose mean is at most 1 under the claim, however
the shares were chosen from earlier samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from audits.privacy.bet import binomial, events
from audits.privacy.outputs.outputs import Floats, Ints
from audits.privacy.tuning import TUNING


@dataclass(frozen=True, slots=True)
class Bets:
    """Bets on one batch: arrays (families, candidates, P) for P places of the grid of ε.

    u, l       the forward and the backward event among the family's 4K, in the order of
               `ThresholdFamily.hits`.
    log_share  logs of the shares, which sum to 1 over families and candidates.
    """

    places: Ints
    u: Ints
    l: Ints
    bet: binomial.Bet
    log_share: Floats

    def log_factor(self, hits: Sequence[tuple[Ints, Ints]], size: int) -> Floats:
        """Log of the factor (P,) that the wealth is multiplied by; `hits` are those of each family's
        events."""
        won = [_log_e(self.bet.row(i), of, size, self.u[i], self.l[i]) for i, of in enumerate(hits)]
        return log_sum(self.log_share + np.stack(won))


def _log_e(bet: binomial.Bet, hits: tuple[Ints, Ints], size: int, u: Ints, l: Ints) -> Floats:
    """Log e-values of the bets on the events u, l of one family, from the hits of all its events."""
    more, less = hits
    return bet.log_e_value(size, more[u], less[l], less[u], more[l])


def log_sum(values: Floats) -> Floats:
    """Log of the sum of exponentials over all but the last axis."""
    flat = values.reshape(math.prod(values.shape[:-1]), values.shape[-1])
    top = flat.max(axis=0)
    return top + np.log(np.exp(flat - top).sum(axis=0))


def choose(
    families: Sequence[events.ThresholdFamily],
    size: int,
    epsilon: Floats,
    references: Ints,
    nearest: Ints,
    places: Ints,
    delta: Floats,
    goal: Floats,
) -> Bets:
    """Bets for some `places` among nulls p ≤ e^ε·q + δ, from `size` samples of each dataset so far.

    epsilon, delta   of each null, (G,). The best events are chosen for the `references` among them only;
    `nearest` says which of them stands for each. goal (P,): see `alternative`.
    """
    shares = [family.shares() for family in families]
    at, slack = epsilon[references], delta[references]
    # The forward, then the backward events of each family; and their shares on the dataset that should have
    # the greater probability (`more`) and on the other dataset (`less`).
    found = [candidates(excess(p, q, at, slack)) for p, q in shares]
    more, less = (
        np.stack([side[of] for side, of in zip(part, found, strict=True)], axis=1)
        for part in zip(*shares, strict=True)
    )
    sizes = np.array([family.size for family in families])[:, None, None]
    less = _lesser(more, less, sizes)
    # For an ε at which the excess of every event is far below zero nothing is betted.
    near = _excess(more, less, np.exp(at), slack, sizes)[1] > -TUNING.hope
    reference = nearest[places]
    hopeful = np.any(near, axis=(0, 1, 2))[reference]
    places, goal, reference = places[hopeful], goal[hopeful], reference[hopeful]
    u, l = np.stack(found, axis=1)[..., reference]
    epsilon, delta = epsilon[places], delta[places]
    p, q = alternative(more[..., reference], less[..., reference], epsilon, delta, sizes, goal)
    bet = binomial.bet(p[0], q[0], q[1], p[1], epsilon, delta)
    # Shares as those of a mixture: what each bet would have won on the samples so far, from the start.
    won = [
        _log_e(bet.row(i), family.all_hits(), family.size, u[i], l[i]) * (size / family.size)
        for i, family in enumerate(families)
    ]
    hindsight = np.stack(won)
    return Bets(places, u, l, bet, hindsight - log_sum(hindsight))


def excess(p: Floats, q: Floats, epsilon: Floats, delta: Any) -> Floats:
    """Excess of every event over the null in standard deviations of one sample: (events, len(epsilon))."""
    a = np.exp(epsilon)
    p, q = p[:, None], q[:, None]
    return (p - a * q - delta) / np.sqrt(p * (1.0 - p) + a * a * q * (1.0 - q))


def candidates(excesses: Floats) -> Ints:
    """The best events of a family with the best disjoint partner of the other direction: forward and
    backward, (2, C, R).

    `excesses` are (4K, R), in the order of `ThresholdFamily.hits`. {score ≥ t} is disjoint from {score < s}
    for s ≤ t.
    """
    cuts = len(excesses) // 4
    blocks = excesses.reshape(4, cuts, -1)
    column = np.arange(excesses.shape[1])
    count = min(TUNING.candidates, len(excesses))
    first = np.argpartition(-excesses, count - 1, axis=0)[:count]
    kind, cut = first // cuts, first % cuts
    # For each kind and cut the best event of the other direction: {score < s} with s up to the cut, or
    # {score ≥ s} with s from the cut on.
    partners = [
        3 * cuts + _running_argmax(blocks[3]),
        3 * cuts - 1 - _running_argmax(blocks[2][::-1])[::-1],
        cuts + _running_argmax(blocks[1]),
        cuts - 1 - _running_argmax(blocks[0][::-1])[::-1],
    ]
    forward = kind < 2
    return np.where([forward, ~forward], first, np.stack(partners)[kind, cut, column])


def _running_argmax(values: Floats) -> Ints:
    """Place of the largest value so far, down each column."""
    place = np.arange(len(values))[:, None]
    return np.maximum.accumulate(np.where(values >= np.maximum.accumulate(values), place, 0))


def alternative(
    p: Floats, q: Floats, epsilon: Floats, delta: Any, size: Any, goal: Floats
) -> tuple[Floats, Floats]:
    """The shares (p₁, q₁) to bet on, from the estimates p, q of `size` samples of each dataset.

    All arguments broadcast; the first axis, of two, is that of the forward and the backward event of a bet.

    The event was chosen because its estimate looked good, so betting the whole of its excess over the null
    would overbet: an excess of z standard errors is multiplied by 1 − 1/z², as James and Stein do. The two
    together are not taken for less than `goal`, the excess in standard deviations of one sample that wins
    what is still needed in the samples still to come: betting on less could not reject
    this ε any more. Each of the two has to reach as much of the goal as it speaks for: to bet on a partner
    that shows no excess would lose what the other event wins. An excess more than `TUNING.hope` standard
    errors below zero is given up, and left as it is.
    """
    a = np.exp(epsilon)
    gap, z, vp, vq = _excess(p, q, a, delta, size)
    keep = np.maximum(1.0 - 1.0 / np.square(np.maximum(z, TUNING.steady)), 0.0)
    variance = vp + vq
    ahead = np.maximum(z, TUNING.steady)
    part = ahead / np.sqrt(np.square(ahead).sum(axis=0))
    wanted = np.maximum(gap * keep, part * goal * np.sqrt(variance))
    move = np.where(z > -TUNING.hope, (gap - wanted) / variance, 0.0)
    return np.minimum(p - move * vp, 1.0), np.maximum(q + move * vq / a, 0.5 * q)


def _excess(p: Floats, q: Floats, a: Floats, delta: Any, size: Any) -> tuple[Floats, ...]:
    """Excess over the null, the same in standard errors, and the variances of its two parts for one
    sample."""
    gap = p - a * q - delta
    z = gap * np.sqrt(size / (p * (1.0 - p) + a * a * q * (1.0 - q)))
    # The half hit that was added to every count has not been seen, so it is taken off again. An event that
    # was never hit on the lesser dataset keeps its small share there: log wealth is about hits · log(size),
    # so every hit that the bet allows for costs growth.
    seen = np.maximum(q - (0.5 + TUNING.luck) / (size + 1.0), 0.0)
    return gap, z, p * (1.0 - p), a * a * seen * (1.0 - q)


def _lesser(more: Floats, less: Floats, size: Any) -> Floats:
    """The shares (…, C, R) of the lesser dataset, corrected for luck: see `TUNING.luck`."""
    hit = 1.0 / (size + 1.0)
    # Of an event that was never hit every other candidate takes a little of half a hit only.
    factor = np.where(np.arange(less.shape[-2]) % 2 == 1, TUNING.little, 1.0)[:, None]
    unseen = (less < hit) & (more >= TUNING.unseen_from * hit)
    return np.where(unseen, less * factor, less + TUNING.luck * hit)
