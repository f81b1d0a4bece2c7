"""Tracing: an attack on accuracy, and what it says of the privacy of a mechanism.

A tracing attack tells from the output whether a record was in the dataset. What (ε, δ) allows it is a line,
P(accept | member) ≤ e^ε·P(accept | non-member) + δ (Wasserman and Zhou 2010; Kairouz, Oh and Viswanath 2015),
so counts of accepted members and non-members give a lower bound of ε with exact confidence. `trace` does that
for scores; `run_attack` makes the scores: an accurate mechanism without privacy must be traced, or the attack
says nothing; a private one may not be, beyond that line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audits.bounds import binomial_reach, clopper_pearson
from audits.evidence import Evidence, Verdict
from implementations.checks import non_negative, numbers, probability, unit_interval, whole_number

Array = NDArray[np.float64]
Point = Mapping[str, float | int | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """A membership test at one threshold, with exact confidence limits.

    true_positives, members          members accepted, members tried.
    false_positives, non_members     non-members accepted, non-members tried.
    true_positive_low                lower confidence limit of P(accept | member), level 1 − alpha/2.
    false_positive_high              upper confidence limit of P(accept | non-member), level 1 − alpha/2.
    epsilon_lower                    the largest ε ≥ 0 that the two limits rule out at `delta`; 0 for none.
    """

    true_positives: int
    members: int
    false_positives: int
    non_members: int
    true_positive_low: float
    false_positive_high: float
    delta: float
    epsilon_lower: float
    alpha: float

    def check_private(self, epsilon: float, point: Point | None = None) -> Evidence:
        """May an (ε, δ)-private mechanism be traced this well? REFUTED where TPR ≤ e^ε·FPR + δ is broken.

        The interval is of the smallest ε that the mechanism can have at this δ: from below only, so its upper
        limit is inf. The resolution is the ε at which a mechanism with the same false positive rate, traced
        as well as its ε allows, would have been caught with probability 0.9; INCONCLUSIVE where there is
        none.
        Raises ValueError for a negative or infinite epsilon.
        """
        non_negative(epsilon=epsilon)
        low, resolution = self.epsilon_lower, self._resolution(epsilon)
        if low > epsilon:
            verdict, note = Verdict.REFUTED, ""
        elif resolution is not None:
            verdict, note = Verdict.CONSISTENT, ""
        else:
            verdict = Verdict.INCONCLUSIVE
            note = "at this false positive rate no attack would have been caught"
        rates = f"accepted {self.true_positives}/{self.members} members"
        rates += f" and {self.false_positives}/{self.non_members} non-members"
        plain = _epsilon_ruled_out(
            self.true_positives / self.members, self.false_positives / self.non_members, self.delta
        )
        return Evidence(
            quantity=f"ε at δ = {self.delta:g} by tracing", estimate=plain if math.isfinite(plain) else low,
            low=low, high=math.inf, confidence=1.0 - self.alpha, method="clopper-pearson",
            samples=self.members + self.non_members, claimed=epsilon, point=dict(point or {}),
            verdict=verdict, resolution=resolution if verdict is Verdict.CONSISTENT else None,
            alpha_spent=self.alpha, note="; ".join(part for part in (rates, note) if part),
        )  # fmt: skip

    def _resolution(self, epsilon: float) -> float | None:
        needed = math.exp(min(epsilon, 700.0)) * self.false_positive_high + self.delta
        if needed >= 1.0:
            return None
        rate = needed + binomial_reach(self.members, needed, self.alpha / 2.0)
        if not rate <= 1.0:
            return None
        # the median estimate of the false positive rate is above 0 even without a false positive
        _, typical = clopper_pearson(self.false_positives, self.non_members, 0.5)
        return math.log((rate - self.delta) / typical)


def trace(
    member_scores: ArrayLike,
    non_member_scores: ArrayLike,
    threshold: float,
    *,
    delta: float = 0.0,
    alpha: float,
) -> Tracing:
    """Accept as members all whose score exceeds the threshold, and count.

    Each score must come from its own run of the mechanism: scores of several records against one output
    depend on each other, and the limits below would not hold. The threshold must not be chosen from these
    scores. P(accept | member) ≥ its limit and P(accept | non-member) ≤ its limit hold together with
    probability 1 − alpha (Clopper and Pearson 1934).

    Raises ValueError for scores or a threshold that are not finite, no scores, delta outside [0, 1] or alpha
    outside (0, 1).

    >>> found = trace([3.0] * 500, [0.0] * 500, 1.0, alpha=0.01)
    >>> round(found.epsilon_lower, 3), found.check_private(1.0).verdict.value
    (4.542, 'REFUTED')
    """
    unit_interval(delta=delta)
    probability(alpha=alpha)
    numbers("threshold", threshold)
    member, other = numbers("member_scores", member_scores), numbers("non_member_scores", non_member_scores)
    if not (member.size and other.size):
        raise ValueError(f"scores must be at least one of each, got {member.size} and {other.size}")
    true_positives, false_positives = int((member > threshold).sum()), int((other > threshold).sum())
    true_low, _ = clopper_pearson(true_positives, member.size, alpha / 2.0)
    _, false_high = clopper_pearson(false_positives, other.size, alpha / 2.0)
    return Tracing(
        true_positives=true_positives, members=member.size,
        false_positives=false_positives, non_members=other.size, true_positive_low=true_low,
        false_positive_high=false_high, delta=delta, alpha=alpha,
        epsilon_lower=_epsilon_ruled_out(true_low, false_high, delta),
    )  # fmt: skip


def _epsilon_ruled_out(true_positive: float, false_positive: float, delta: float) -> float:
    """sup of the ε ≥ 0 with TPR > e^ε·FPR + δ, or the same of the complement; 0 where there is none.

    The complement of the accepting set is an event too: 1 − FPR ≤ e^ε·(1 − TPR) + δ.
    """
    best = 0.0
    for p, q in ((true_positive, false_positive), (1.0 - false_positive, 1.0 - true_positive)):
        if p > delta:
            best = max(best, math.inf if q <= 0.0 else math.log((p - delta) / q))
    return best


# --- The attack as a run -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Target:
    """A random dataset with the secrets of the attacker.

    records      the dataset, one record a row.
    replacement  the record that stands in for a removed one: fixed before the dataset was drawn.
    score        output of the mechanism, index of a record → the score of that record's owner, large for a
                 member. It scores against the drawn record also where the dataset held the replacement.
    """

    records: NDArray[Any]
    replacement: NDArray[Any]
    score: Callable[[Any, int], float]


def run_attack(
    draw: Callable[[np.random.Generator], Target],
    mechanism: Callable[[NDArray[Any], np.random.Generator], Any],
    trials: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Attack the mechanism `trials` times with a random member, and `trials` times with a record replaced.

    draw       a fresh dataset with the attacker's secrets.
    mechanism  dataset, generator → output; its dataset always has the same number of records, so the two
               kinds of runs are neighbours under replacement of one record.
    Returns the scores of members and of replaced records, for `trace`: each comes from a dataset and a run of
    its own. The threshold must come from the attack, not from the scores. Raises ValueError for trials < 1, a
    score that is not a finite number, or a replacement of the wrong shape.
    """
    whole_number(trials=trials)
    found = np.empty((2, trials))
    for kind in (0, 1):
        for trial in range(trials):
            target = draw(rng)
            if np.shape(target.replacement) != np.shape(target.records)[1:]:
                raise ValueError(
                    f"replacement must have the shape of a record, {np.shape(target.records)[1:]}, "
                    f"got {np.shape(target.replacement)}"
                )
            who = int(rng.integers(len(target.records)))
            records = target.records
            if kind == 1:
                records = records.copy()
                records[who] = target.replacement
            value = float(target.score(mechanism(records, rng), who))
            if not math.isfinite(value):
                raise ValueError(f"score must be finite, got {value} for record {who}")
            found[kind, trial] = value
    return found[0], found[1]
