"""The pytest plugin: privacy audits and rate checks as assertions, with one error budget for the session.

`--dp-alpha` is the probability that any true claim is refuted in the whole session. It is split before the
first test runs: tests marked ``dp_audit(alpha=…)`` take what they ask for, all other collected tests that
use one of the fixtures share the rest equally. Within a test the k-th audit gets 1/(k(k + 1)) of the test's
share, which sums to 1 over any number of audits. Under pytest-xdist every worker collects the same tests,
hence computes the same split, and each test runs on one worker: the sum stays within the budget.

Nothing but pytest is imported before a fixture is used, and this module stands outside the packages: a
project with a folder `claims` or `audits` of its own keeps its pytest, and a test that asks for a fixture is
told of the clash in one sentence.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from audits.privacy import AuditResult

ALPHA = 0.001
FIXTURES = ("assert_private", "assert_rate")
PROPERTY = "dp_audit"


@dataclass(frozen=True, slots=True)
class Split:
    """The share of the session's budget that each test has, by node id; or why there is none."""

    shares: Mapping[str, float]
    problem: str | None = None


_SPLIT = pytest.StashKey[Split]()
_SPENDING = pytest.StashKey["Iterator[tuple[float, int]]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--dp-alpha`, the error budget of the session."""
    parser.getgroup("dpclaims", "audits of differential privacy").addoption(
        "--dp-alpha",
        type=float,
        default=ALPHA,
        metavar="ALPHA",
        help="probability that any true claim is refuted in the whole session, split over its audits "
        f"(default: {ALPHA})",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker and checks the option."""
    config.addinivalue_line(
        "markers",
        "dp_audit(alpha): this test's share of the session's error budget (--dp-alpha) for its audits",
    )
    alpha = float(config.getoption("--dp-alpha"))  # type: ignore[arg-type]
    if not 0.0 < alpha < 1.0:
        raise pytest.UsageError(f"--dp-alpha must be in (0, 1), got {alpha}")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a worker of pytest-xdist its budget: with ``--dist each`` every worker runs every test."""
    config = node.config
    workers = len(node.nodemanager.specs) if config.getoption("dist") == "each" else 1
    node.workerinput[PROPERTY] = config.getoption("--dp-alpha") / workers


def pytest_collection_finish(session: pytest.Session) -> None:
    """Splits the budget over the tests that will run."""
    whole: Any = session.config.getoption("--dp-alpha")
    alpha = getattr(session.config, "workerinput", {}).get(PROPERTY, whole)
    session.config.stash[_SPLIT] = split_budget(alpha, session.items)


def split_budget(alpha: float, items: Iterable[pytest.Item]) -> Split:
    """The budget `alpha` split over the items that use a fixture of this plugin."""
    auditing = [i for i in items if set(FIXTURES) & set(getattr(i, "fixturenames", ()))]
    fixed: dict[str, float] = {}
    for item in auditing:
        marker = item.get_closest_marker("dp_audit")
        if marker is None:
            continue
        share = marker.kwargs.get("alpha")
        known = not marker.args and set(marker.kwargs) == {"alpha"}
        if not known or not isinstance(share, float) or not 0.0 < share < 1.0:
            found = ", ".join([*map(repr, marker.args), *(f"{k}={v!r}" for k, v in marker.kwargs.items())])
            wanted = "the marker must be dp_audit(alpha=…) with α in (0, 1)"
            return Split({}, f"{wanted}, got dp_audit({found}) at {item.nodeid}")
        fixed[item.nodeid] = share
    asked = math.fsum(fixed.values())
    others = [i.nodeid for i in auditing if i.nodeid not in fixed]
    if asked > alpha * (1.0 + 1e-12) or (others and asked >= alpha):
        left = " and leave nothing for the other audits" if others else ""
        most = max(fixed, key=lambda nodeid: fixed[nodeid])
        return Split(
            {},
            f"dp_audit markers ask for α = {asked:g} in sum{left}, but --dp-alpha is {alpha:g}: raise it; "
            f"{most} asks for {fixed[most]:g}",
        )
    return Split(fixed | {nodeid: (alpha - asked) / len(others) for nodeid in others})


@pytest.fixture
def assert_private(request: pytest.FixtureRequest) -> Callable[..., AuditResult]:
    """`assert_private(mechanism, pairs, epsilon, delta=0.0, adjacency=…)`: fails where an audit refutes it.

    `mechanism(data, size, rng)` returns `size` outputs; `pairs` is a list of neighbouring datasets or a
    function `pairs(rng)`; further keywords (max_samples, time_limit, method, seed, jobs, errors) go to
    `audits.audit_privacy`; with planting=True leaks are planted into the outputs of an audit that passes, and
    its result says which of them it catches. A refutation is confirmed on fresh draws, and sampling goes on
    until its size is known to a tenth. The seed is derived from the test's name unless given. Returns the
    result.
    Raises AssertionError where the claim is refuted or the audit is undecided, ValueError for bad input.
    A pass is no proof: the result's `resolution` says what would have been caught.
    """
    budget = _spending(request)

    def check(
        mechanism: Callable[..., Any],
        pairs: Any,
        epsilon: float,
        delta: float = 0.0,
        *,
        adjacency: Any = None,
        **options: Any,
    ) -> AuditResult:
        __tracebackhide__ = True
        from audits.assertions import audited, explained

        _refuse_alpha(options)
        alpha, seed = next(budget)
        claim = {"epsilon": epsilon, "delta": delta, "adjacency": adjacency, "alpha": alpha, "seed": seed}
        result = audited(mechanism, pairs, claim | options)
        text = f"{result.bound}; {result.samples:,} samples a side; {_worth(result)}"
        _record(
            request,
            verdict=result.verdict,
            alpha=alpha,
            text=f"claimed ε = {epsilon:g}, δ = {delta:g}: {text}",
            epsilon_lower=result.epsilon_lower,
            samples=result.samples,
            resolution=result.resolution.epsilon,
        )
        if result.verdict != "not-refuted":
            raise AssertionError(explained(result))
        return result

    return check


def _worth(result: AuditResult) -> str:
    """What a pass is worth, or the witness of a refutation; an assumption that fails."""

    if result.premise:
        return result.premise
    if result.refuted:
        return f"witness: {result.simplest}" if result.simplest else f"event: {result.event_said}"
    return ": ".join(result.passed)


@pytest.fixture
def assert_rate(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`assert_rate(table, risk=…, axes=[…], claimed={…}, tolerance=…)`: fails unless the exponents hold.

    Keywords go to `audits.fit_rate`. The share of --dp-alpha bounds false refutations; that a wrong exponent
    passes is an error with a level of its own, equivalence_alpha (0.05 an axis), which no other test makes
    smaller. Trials that recur over cells are recognised by the name of their column, or named by `trial`.
    Returns the fit. Raises AssertionError where an exponent is refuted or the measurements cannot
    decide it, with what would, ValueError for bad input.
    """
    budget = _spending(request)

    def check(table: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        from audits.assertions import EQUIVALENCE_ALPHA, rate_failure, rate_words
        from audits.rates import fit_rate

        _refuse_alpha(options)
        alpha, _ = next(budget)
        levels: dict[str, Any] = {"alpha": alpha, "equivalence_alpha": EQUIVALENCE_ALPHA}
        fit = fit_rate(table, **(levels | options))
        for axis in fit.axes:
            if axis.verdict is None:
                continue
            _record(
                request,
                verdict=axis.verdict.lower(),
                alpha=axis.alpha_spent,
                text=rate_words(axis),
                estimate=axis.exponent.estimate,
                samples=fit.samples,
                resolution=axis.resolution,
            )
        if sentence := rate_failure(fit):
            raise AssertionError(sentence)
        return fit

    return check


@pytest.fixture
def assert_ledger(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`assert_ledger(program, pairs, epsilon, delta=0.0, adjacency=…)`: fails where a trace finds something.

    Keywords go to `audits.trace_privacy`; nothing is spent of --dp-alpha, as no statistics are involved.
    Returns the result. Raises AssertionError, which names the line, ValueError for bad input.
    """
    from dpclaims import clashes

    if problems := clashes():
        pytest.fail("; ".join(problems), pytrace=False)

    def check(
        program: Callable[..., Any],
        pairs: Any,
        epsilon: float,
        delta: float = 0.0,
        adjacency: Any = None,
        **options: Any,
    ) -> Any:
        __tracebackhide__ = True
        from audits import assert_ledger as traced

        result = traced(program, pairs, epsilon, delta, adjacency, **options)
        text = result.summary().splitlines()[0]
        _record(request, verdict=result.verdict, alpha=0.0, text=text, epsilon_ledger=result.epsilon_ledger)
        return result

    return check


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line for every audit of the session, wherever it ran, and what was spent of the budget."""
    rows = [
        (report.nodeid, row)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for row in _rows(report.user_properties)
    ]
    if not rows:
        return
    terminalreporter.write_sep("=", "audits of differential privacy")
    for nodeid, row in rows:
        terminalreporter.write_line(f"{row['verdict']:12} {nodeid}: {row['text']}")
    alpha = terminalreporter.config.getoption("dp_alpha")
    spent = math.fsum(row["alpha"] for _, row in rows)
    count = f"{len(rows)} audit{'' if len(rows) == 1 else 's'}"
    terminalreporter.write_line(
        f"{count} spent α = {spent:.3g} of {alpha:g} (--dp-alpha); not-refuted is no proof."
    )


def _spending(request: pytest.FixtureRequest) -> Iterator[tuple[float, int]]:
    """(α, seed) of the test's first, second, … audit; both fixtures of one test draw from it."""
    from dpclaims import clashes

    if problems := clashes():
        pytest.fail("; ".join(problems), pytrace=False)
    stash = request.node.stash
    if _SPENDING not in stash:
        split = request.config.stash.get(_SPLIT, Split({}, "the tests were not collected"))
        if split.problem is not None:
            raise ValueError(split.problem)
        nodeid = request.node.nodeid
        if nodeid not in split.shares:
            # Found at run time (getfixturevalue): the split is made, and there is nothing left for it.
            raise ValueError(
                f"{nodeid} must name assert_private or assert_rate among its arguments, to have a share of "
                "--dp-alpha"
            )
        stash[_SPENDING] = (
            (split.shares[nodeid] / (k * (k + 1)), zlib.crc32(f"{nodeid}#{k}".encode()))
            for k in range(1, 1 << 30)
        )
    return stash[_SPENDING]


def _record(request: pytest.FixtureRequest, **fields: Any) -> None:
    """One audit, each field a property of its own: in JUnit's XML "dp_audit.verdict", "dp_audit.samples" …

    Reports carry them from the workers of pytest-xdist to the session that sums up. The verdict comes first.
    """
    known = {name: value for name, value in fields.items() if value is not None}
    request.node.user_properties.extend((f"{PROPERTY}.{name}", value) for name, value in known.items())


def _rows(properties: Iterable[tuple[str, Any]]) -> list[dict[str, Any]]:
    """The audits of one test; each begins with its verdict."""
    rows: list[dict[str, Any]] = []
    for name, value in properties:
        if not name.startswith(f"{PROPERTY}."):
            continue
        if name == f"{PROPERTY}.verdict":
            rows.append({})
        rows[-1][name.removeprefix(f"{PROPERTY}.")] = value
    return rows


def _refuse_alpha(options: Mapping[str, Any]) -> None:
    __tracebackhide__ = True
    if "alpha" in options:
        raise ValueError("alpha is set by --dp-alpha and @pytest.mark.dp_audit(alpha=…), not by the call")
