"""Lower bounds on the error of every private algorithm: the sandwich, and the tracing attack of the proofs.

A lower bound says that on a stated instance no algorithm with a stated privacy has an error below some
number. Samples can refute it (a private algorithm below the bound). They cannot confirm it, since nobody runs
every algorithm; what they can show is that the algorithms at hand stay above, while one without privacy gets
below. Without the second half the instance may simply be hard for everybody, and says nothing of privacy.

The tracing attack goes the other way: a test of membership from the output. What (ε, δ) allows it is a line,
P(accept | member) ≤ e^ε·P(accept | non-member) + δ (Wasserman and Zhou 2010; Kairouz, Oh and Viswanath 2015).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audits.bounds import binomial_reach, check_bound, clopper_pearson
from audits.evidence import Bound, Evidence, Verdict

Array = NDArray[np.float64]
Point = Mapping[str, float | int | str]


def sandwich(
    private: Mapping[str, ArrayLike],
    claimed: float,
    non_private: ArrayLike | None,
    *,
    alpha: float,
    point: Point | None = None,
    method: str = "student-t",
    support: tuple[float, float] | None = None,
    largest_resolution: float | None = None,
) -> list[Evidence]:
    """Every private mechanism above the claimed lower bound, one without privacy below it.

    private      errors on the printed instance by name of mechanism, one number per independent trial.
    claimed      the claimed lower bound of the expected error.
    non_private  errors of an algorithm without privacy on the same instance; None where there is none.
    alpha        probability that a true lower bound is refuted; split evenly over the private mechanisms.
                 The non-private test can refute nothing; its own level is `alpha` too, and not part of it.
    method, support, largest_resolution   of each test, as in `audits.bounds.check_bound`.

    Returns one piece of evidence per private mechanism (method of the test, LOWER) and one for the
    non-private algorithm: context (no verdict) where it is below the bound with confidence, INCONCLUSIVE
    where it is not or is missing, for then the instance has not been seen to bite. So `combine` of the list
    is REFUTED if a private mechanism beats the bound, CONSISTENT only with both halves.

    The mechanisms must have the privacy that the bound is about: audit them first. Raises ValueError
    for no mechanism, a claimed bound ≤ 0 (it would hold of every error) and as `check_bound`.

    >>> rng = np.random.default_rng(0)
    >>> found = sandwich({"a": rng.normal(2, 0.1, 99)}, 1.0, rng.normal(0.1, 0.1, 99), alpha=0.01)
    >>> [None if e.verdict is None else e.verdict.value for e in found]
    ['CONSISTENT', None]
    """
    if not private:
        raise ValueError("private must name at least one mechanism, got none")
    if not (math.isfinite(claimed) and claimed > 0.0):
        raise ValueError(f"claimed must be finite and > 0, got {claimed}")
    found = [
        check_bound(
            values,
            claimed,
            bound=Bound.LOWER,
            alpha=alpha / len(private),
            quantity=f"error of {name}",
            point=point,
            method=method,
            support=support,
            largest_resolution=largest_resolution,
        )
        for name, values in private.items()
    ]
    found.append(_bites(non_private, claimed, alpha, point, method, support))
    return found


def _bites(
    values: ArrayLike | None,
    claimed: float,
    alpha: float,
    point: Point | None,
    method: str,
    support: tuple[float, float] | None,
) -> Evidence:
    quantity = "error without privacy"
    if values is None:
        return Evidence(
            quantity=quantity,
            estimate=claimed,
            low=-math.inf,
            high=math.inf,
            confidence=1.0,
            method="sandwich",
            bound=claimed,
            point=dict(point or {}),
            verdict=Verdict.INCONCLUSIVE,
            note="no algorithm without privacy was run: the instance may be hard for everybody",
        )
    sample = np.asarray(values, dtype=np.float64).ravel()
    if sample.size >= 2 and np.isfinite(sample).all() and method == "student-t" and np.ptp(sample) == 0.0:
        # One value in every trial: a deterministic algorithm on a fixed instance, nothing to estimate.
        test = Evidence(
            quantity=quantity,
            estimate=float(sample[0]),
            low=float(sample[0]),
            high=float(sample[0]),
            confidence=1.0,
            method="sandwich",
            samples=sample.size,
            bound=claimed,
            point=dict(point or {}),
        )
    else:
        # "refuted from below": the upper confidence limit of the error lies under the bound
        test = check_bound(
            sample,
            claimed,
            bound=Bound.LOWER,
            alpha=alpha,
            quantity=quantity,
            point=point,
            method=method,
            support=support,
        )
    bites = test.high < claimed
    return replace(
        test,
        verdict=None if bites else Verdict.INCONCLUSIVE,
        resolution=None,
        alpha_spent=0.0,
        note="below the bound, as it should be: the instance bites"
        if bites
        else "not below the bound with confidence: the instance has not been seen to bite",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """A membership test at one threshold, with exact confidence limits.

    true_positives, members          members accepted, members tried.
    false_positives, non_members     non-members accepted, non-members tried.
    true_positive_low                lower confidence limit of P(accept | member), level 1 − alpha/2.
    false_positive_high              upper confidence limit of P(accept | non-member), level 1 − alpha/2.
    epsilon_lower                    the largest ε ≥ 0 that the two limits rule out at `delta`; 0 for none.
    """

    threshold: float
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
        if not (math.isfinite(epsilon) and epsilon >= 0.0):
            raise ValueError(f"epsilon must be finite and ≥ 0, got {epsilon}")
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
            quantity=f"ε at δ = {self.delta:g} by tracing",
            estimate=plain if math.isfinite(plain) else low,
            low=low,
            high=math.inf,
            confidence=1.0 - self.alpha,
            method="clopper-pearson",
            samples=self.members + self.non_members,
            bound=epsilon,
            point=dict(point or {}),
            verdict=verdict,
            resolution=resolution if verdict is Verdict.CONSISTENT else None,
            alpha_spent=self.alpha,
            note="; ".join(part for part in (rates, note) if part),
        )

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

    Raises ValueError for scores or a threshold that are not finite, no scores, delta outside [0, 1) or alpha
    outside (0, 1).

    >>> found = trace([3.0] * 500, [0.0] * 500, 1.0, alpha=0.01)
    >>> round(found.epsilon_lower, 3), found.check_private(1.0).verdict.value
    (4.542, 'REFUTED')
    """
    if not 0.0 <= delta < 1.0:
        raise ValueError(f"delta must be in [0, 1), got {delta}")
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be in (0, 1), got {alpha}")
    if not math.isfinite(threshold):
        raise ValueError(f"threshold must be finite, got {threshold}")
    member = _scores("member_scores", member_scores)
    other = _scores("non_member_scores", non_member_scores)
    true_positives, false_positives = int((member > threshold).sum()), int((other > threshold).sum())
    true_low, _ = clopper_pearson(true_positives, member.size, alpha / 2.0)
    _, false_high = clopper_pearson(false_positives, other.size, alpha / 2.0)
    return Tracing(
        threshold=threshold,
        true_positives=true_positives,
        members=member.size,
        false_positives=false_positives,
        non_members=other.size,
        true_positive_low=true_low,
        false_positive_high=false_high,
        delta=delta,
        epsilon_lower=_epsilon_ruled_out(true_low, false_high, delta),
        alpha=alpha,
    )


def _scores(name: str, scores: ArrayLike) -> Array:
    values = np.asarray(scores, dtype=np.float64).ravel()
    if values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"{name} must hold at least one score, all finite, got {scores!r}")
    return values


def _epsilon_ruled_out(true_positive: float, false_positive: float, delta: float) -> float:
    """sup of the ε ≥ 0 with TPR > e^ε·FPR + δ, or the same of the complement; 0 where there is none.

    The complement of the accepting set is an event too: 1 − FPR ≤ e^ε·(1 − TPR) + δ.
    """
    best = 0.0
    for p, q in ((true_positive, false_positive), (1.0 - false_positive, 1.0 - true_positive)):
        if p > delta:
            best = max(best, math.inf if q <= 0.0 else math.log((p - delta) / q))
    return best
