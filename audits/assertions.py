"""`assert_private` and `assert_rate`: an audit and a rate as assertions, under Hypothesis and anywhere else.

A pass of `assert_private` is no proof of privacy: its result says what would have been caught.

Errors. α bounds the probability that what is true is refuted, in one call. Under Hypothesis' ``@given`` the
function is called for each example: pass α divided by the number of examples. The pytest fixtures of the same
names take their share of the session's ``--dp-alpha`` instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audits.privacy import AuditResult
    from audits.rates import AxisFit, RateFit

ALPHA = 0.001
EQUIVALENCE_ALPHA = 0.05
"""Probability that `assert_rate` passes an exponent that is off by more than the tolerance, an axis.

It is an error of its own and spends nothing of α: a wrong pass is no false alarm. So it is not split among
tests either, and a right slope passes beside any number of them.
"""


def assert_private(
    mechanism: Callable[..., Any],
    pairs: Any,
    epsilon: float,
    delta: float = 0.0,
    *,
    adjacency: Any = None,
    alpha: float = ALPHA,
    **options: Any,
) -> AuditResult:
    """Raise AssertionError where an audit refutes (ε, δ)-privacy, or is undecided; else return its result.

    mechanism  ``mechanism(data, size, rng)`` returns `size` outputs.
    pairs      a list of neighbouring datasets, or a function ``pairs(rng)``.
    alpha      probability that a mechanism that keeps its claim is refuted by this call.
    options    further keywords of `audits.audit_privacy`: max_samples, time_limit, method, seed (0),
               jobs, errors, planting. A refutation is confirmed on fresh draws, its size known to a tenth.

    Raises ValueError for bad input.

    >>> pairs = [((1.0,), (0.0,))]
    >>> noisy = lambda data, size, rng: data[0] + rng.laplace(size=size)
    >>> assert_private(noisy, pairs, 1.0, adjacency="replace", max_samples=4_000).verdict
    'not-refuted'
    """
    __tracebackhide__ = True
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "adjacency": adjacency, "alpha": alpha}
    result = audited(mechanism, pairs, claim | options)
    if result.verdict != "not-refuted":
        raise AssertionError(explained(result))
    return result


def audited(mechanism: Callable[..., Any], pairs: Any, options: dict[str, Any]) -> AuditResult:
    """The audit behind the assertion, whatever its verdict."""
    __tracebackhide__ = True
    from audits.privacy import audit_privacy

    habits: dict[str, Any] = {"seed": 0, "confirm": True, "precision": 0.1}
    try:
        return audit_privacy(mechanism, pairs, **(habits | options))
    except ValueError as error:
        # Bad input is the caller's: the frames of this package say nothing of it.
        raise error.with_traceback(None) from error.__cause__


def explained(result: AuditResult) -> str:
    """What was found, on which pair, and how to see it again."""
    replay = f"seed={result.seed}" if result.replayable else "no seed: it cannot be replayed"
    replay += f", alpha={result.alpha:.12g}, max_samples={result.max_samples}"
    return f"{result.summary()}\npair: {result.pair!r}\nreplay: {result.method}, {replay}"


def assert_rate(
    table: Any,
    *,
    alpha: float = ALPHA,
    equivalence_alpha: float = EQUIVALENCE_ALPHA,
    **options: Any,
) -> RateFit:
    """Raise AssertionError where a claimed exponent is refuted or not decided; else return the fit.

    alpha    probability that any true claimed exponent is refuted by this call.
    equivalence_alpha  probability that an exponent passes that is off by more than the tolerance, whatever
             alpha is. "Not decided" is no false alarm: the message says what would decide.
    options  as `audits.fit_rate`: risk, axes, claimed, tolerance, side …

    Raises ValueError for bad input, and where nothing is claimed.

    >>> table = {"n": [100, 200, 400, 800, 1600], "risk": [1.01e-2, 0.498e-2, 0.2505e-2, 1.249e-3, 0.62e-3]}
    >>> assert_rate(table, risk="risk", axes=["n"], claimed={"n": -1})["n"].verdict.value
    'CONSISTENT'
    """
    __tracebackhide__ = True
    from audits.rates import fit_rate

    fit = fit_rate(table, alpha=alpha, equivalence_alpha=equivalence_alpha, **options)
    if sentence := rate_failure(fit):
        raise AssertionError(sentence)
    return fit


def rate_failure(fit: RateFit) -> str:
    """What is refuted or not decided, a line an axis; "" where all pass. ValueError if nothing is claimed."""
    from audits.evidence import Verdict

    if all(axis.verdict is None for axis in fit.axes):
        raise ValueError("claimed must name the exponent of at least one axis, got none: nothing is asserted")
    failed = [axis for axis in fit.axes if axis.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE)]
    return "\n".join(
        f"{axis.verdict}: {rate_words(axis)}{f'; {axis.advice}' if axis.advice else ''}" for axis in failed
    )


def rate_words(axis: AxisFit) -> str:
    """The exponent of one axis, its interval and the claim."""
    claimed = "" if axis.claimed is None else f", claimed {axis.claimed:.4g}"
    return (
        f"exponent of {axis.axis}: {axis.exponent.estimate:.4g} in [{axis.low:.4g}, {axis.high:.4g}]{claimed}"
    )
