"""Checks as assertions: under pytest and unittest, under Hypothesis and anywhere else.

A pass is no proof of privacy: results say what would have been caught.

Errors. α bounds the probability that what is true is refuted. While pytest runs a test that has a share of
``--dp-alpha``, the k-th check of the test gets 1/(k(k + 1)) of this share, whether it is called through a
fixture, from a `unittest.TestCase` or as a function: all checks of the session together refute anything true
with probability ``--dp-alpha`` at most. Elsewhere each call has an α of its own; a test case with
`PrivacyAssertions` shares one among all checks of the process. An α that is passed is taken, outside of both.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from audits.conformity import LawResult
    from audits.maps import MapResult
    from audits.privacy import AuditResult
    from audits.rates import RateFit
    from audits.trace import TraceResult

T = TypeVar("T")
ALPHA = 0.001


@dataclass(frozen=True, slots=True)
class Share:
    """What one check may spend, the seed that it has where none is given, and where its result goes."""

    alpha: float
    seed: int
    record: Callable[..., None]


def share_of(alpha: float | None, spends: bool = True) -> Share:
    """The share of the check that begins: from the session's budget where pytest runs a test and no α is
    passed. ValueError where the test has no part of the budget."""
    __tracebackhide__ = True
    plugin = sys.modules.get("dpclaims_pytest")
    test = plugin.running() if plugin else None
    if test is None:
        return Share(ALPHA if alpha is None else alpha, 0, lambda **_: None)
    if alpha is not None:
        return Share(alpha, 0, lambda **fields: test.record(**(fields | {"alpha": 0.0, "own_alpha": alpha})))
    if not spends:
        return Share(0.0, 0, test.record)
    share, seed = test.next_share()
    return Share(share, seed, test.record)


def assert_private(
    mechanism: Callable[..., Any],
    pairs: Any,
    epsilon: float | None = None,
    delta: float | None = None,
    *,
    adjacency: Any = None,
    alpha: float | None = None,
    **options: Any,
) -> AuditResult:
    """Raise AssertionError where an audit refutes a claim, or is undecided; else return its result.

    mechanism  ``mechanism(data, size, rng)`` returns `size` outputs.
    pairs      a list of neighbouring datasets, or a function ``pairs(rng)``.
    epsilon, delta   the claim; or claim=, in another unit, as GaussianDP(1.0): see `audits.audit_privacy`.
    alpha      probability that a mechanism that keeps its claim is refuted by this call: of the session's
               budget where there is one, else 0.001.
    options    further keywords of `audits.audit_privacy`: max_samples, time_limit, method, seed, jobs,
               errors, planting. A refutation is confirmed on fresh draws, its size known to a tenth.

    Raises ValueError for bad input.

    >>> pairs = [((1.0,), (0.0,))]
    >>> noisy = lambda data, size, rng: data[0] + rng.laplace(size=size)
    >>> assert_private(noisy, pairs, 1.0, adjacency="replace", max_samples=4_000, alpha=1e-3).verdict
    'not-refuted'
    """
    __tracebackhide__ = True
    from audits.privacy import audit_privacy

    share = share_of(alpha)
    given = {"epsilon": epsilon, "delta": delta, "alpha": share.alpha, "seed": share.seed}
    try:
        habits = {"confirm": True, "precision": 0.1}
        result = audit_privacy(mechanism, pairs, adjacency=adjacency, **(given | habits | options))
    except ValueError as error:
        # Bad input is the caller's: the frames of this package say nothing of it.
        raise error.with_traceback(None) from error.__cause__
    claimed = f"claimed {result.claim_said.strip('()')}"
    share.record(
        verdict=result.verdict,
        alpha=share.alpha,
        text=f"{claimed}: {result.bound}; {result.samples:,} samples a side; {_worth(result)}",
        unit=result.claim.unit,
        lower=result.lower,
        epsilon_lower=result.epsilon_lower if result.claim.unit == "ε" else None,
        samples=result.samples,
        resolution=result.resolution.epsilon,
    )
    if result.verdict != "not-refuted":
        raise AssertionError(result.summary())
    return result


def assert_ledger(
    program: Callable[..., Any],
    pairs: Any,
    epsilon: float,
    delta: float = 0.0,
    adjacency: Any = None,
    **options: Any,
) -> TraceResult:
    """Raise AssertionError, which names the line, unless a trace finds nothing; else return its result.

    Further keywords go to `audits.trace_privacy`; nothing is spent of any α, as no statistics are involved.
    Raises ValueError for bad input.
    """
    __tracebackhide__ = True
    from audits.trace import trace_privacy

    share = share_of(None, spends=False)
    result = trace_privacy(program, pairs, epsilon=epsilon, delta=delta, adjacency=adjacency, **options)
    text = result.summary().splitlines()[0]
    share.record(verdict=result.verdict, alpha=0.0, text=text, epsilon_ledger=result.epsilon_ledger)
    if result.verdict != "nothing-found":
        raise AssertionError(f"{result.summary()}\n{result.table()}")
    return result


def assert_map(target: Any, *, alpha: float | None = None, **options: Any) -> MapResult:
    """Raise AssertionError where the claim that an object carries is violated, or nothing could be driven.

    Keywords go to `audits.check_map`: domain, stability, d_in, budget, seed … Returns the result. Raises
    ValueError for bad input.
    """
    __tracebackhide__ = True
    from audits.maps import check_map

    share = share_of(alpha)
    result = check_map(target, **({"alpha": share.alpha, "seed": share.seed} | options))
    share.record(verdict=result.verdict, alpha=share.alpha, text=result.summary().splitlines()[0])
    if result.verdict in ("refuted", "undecided"):
        raise AssertionError(f"{result.summary()}\nreplay: seed={result.seed}")
    return result


def assert_law(samples: Any, law: Any, *, alpha: float | None = None, seed: int | None = None) -> LawResult:
    """Raise AssertionError where samples are not drawn from a law; else return what the test showed.

    Arguments are those of `audits.conformity.check_law`. Raises ValueError for bad input.

    >>> import numpy as np
    >>> from audits.laws import Laplace
    >>> draws = np.random.default_rng(0).laplace(size=2_000)
    >>> assert_law(draws, Laplace(0.0, 1.0), alpha=1e-3).verdict
    'not-refuted'
    """
    __tracebackhide__ = True
    from audits.conformity import check_law

    share = share_of(alpha)
    result = check_law(samples, law, alpha=share.alpha, seed=share.seed if seed is None else seed)
    share.record(verdict=result.verdict, alpha=share.alpha, text=result.summary(), samples=result.samples)
    if result.verdict == "refuted":
        raise AssertionError(result.summary())
    return result


def _worth(result: AuditResult) -> str:
    """What a pass is worth, or the witness of a refutation; an assumption that fails."""
    if result.premise:
        return result.premise
    if result.refuted:
        return f"witness: {result.simplest}" if result.simplest else f"event: {result.event_said}"
    return ": ".join(result.passed)


def assert_rate(table: Any, *, alpha: float | None = None, **options: Any) -> RateFit:
    """Raise AssertionError where a claimed exponent is refuted or not decided; else return the fit.

    alpha    probability that any true claimed exponent is refuted by this call: of the session's budget where
             there is one, else 0.001.
    options  as `audits.fit_rate`: risk, axes, claimed, tolerance, side, equivalence_alpha …

    "Not decided" is no false alarm: the message says what would decide.

    Raises ValueError for bad input, and where nothing is claimed.

    >>> table = {"n": [100, 200, 400, 800, 1600], "risk": [1.01e-2, 0.498e-2, 0.2505e-2, 1.249e-3, 0.62e-3]}
    >>> assert_rate(table, risk="risk", axes=["n"], claimed={"n": -1}, alpha=1e-3)["n"].verdict.value
    'CONSISTENT'
    """
    __tracebackhide__ = True
    from audits.rates import fit_rate

    share = share_of(alpha)
    fit = fit_rate(table, alpha=share.alpha, **options)
    for axis in fit.axes:
        if axis.verdict is not None:
            share.record(
                verdict=axis.verdict.lower(),
                alpha=axis.evidence.alpha_spent,
                text=str(axis),
                estimate=axis.exponent.estimate,
                samples=fit.samples,
                resolution=axis.evidence.resolution,
            )
    if all(axis.verdict is None for axis in fit.axes):
        raise ValueError("claimed must name the exponent of at least one axis, got none: nothing is asserted")
    if failed := [str(axis) for axis in fit.axes if axis.verdict in ("REFUTED", "INCONCLUSIVE")]:
        raise AssertionError("\n".join(failed))
    return fit


def _sharing(check: Callable[..., T]) -> Callable[..., T]:
    """The check as a method that spends its part of what all checks of the process share."""

    @functools.wraps(check)
    def method(self: PrivacyAssertions, *args: Any, **options: Any) -> T:
        __tracebackhide__ = True
        plugin = sys.modules.get("dpclaims_pytest")
        if options.get("alpha") is None and not (plugin and plugin.running()):
            k = next(self._checks)  # pyright: ignore[reportPrivateUsage]
            options["alpha"] = self.dp_alpha / (k * (k + 1))
        return check(*args, **options)

    return method


class PrivacyAssertions:
    """The assertions of this module as methods, for a `unittest.TestCase` or absl's.

    Under pytest they spend the session's ``--dp-alpha``. Under any other runner all checks of the process
    share `dp_alpha`: the k-th of them gets 1/(k(k + 1)) of it.

        class MeanTest(PrivacyAssertions, unittest.TestCase):
            def test_mean(self):
                self.assert_private(mechanism, pairs, 1.0, adjacency="replace")
    """

    dp_alpha: ClassVar[float] = ALPHA
    _checks: ClassVar[Iterator[int]] = itertools.count(1)

    assert_private = _sharing(assert_private)
    assert_law = _sharing(assert_law)
    assert_map = _sharing(assert_map)
    assert_rate = _sharing(assert_rate)
    assert_ledger = staticmethod(assert_ledger)
