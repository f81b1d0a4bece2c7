"""The pytest plugin: privacy audits and rate checks as assertions, with one error budget for the session.

`--dp-alpha` is the probability that any true claim is refuted in the whole session. It is split before the
first test runs: tests marked ``dp_audit(alpha=…)`` take what they ask for, all other collected tests that
audit share the rest equally. A test audits that asks for a fixture, bears the marker, or stands in a module
that imports functions of the same names. Within a test the k-th check gets 1/(k(k + 1)) of the test's
share, which sums to 1 over any number of audits. Under pytest-xdist every worker collects the same tests,
hence computes the same split, and each test runs on one worker: the sum stays within the budget.

Nothing but pytest is imported before a fixture is used, and this module stands outside the packages: a
project with a folder `claims` or `audits` of its own keeps its pytest, and a test that asks for a fixture is
told of the clash in one sentence.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

ALPHA = 0.001
FIXTURES = ("assert_private", "assert_rate", "assert_law", "assert_map")
MENTION = re.compile(r"\b(dpclaims|audits)\b[\s\S]*\b(" + "|".join(FIXTURES) + r"|PrivacyAssertions)\b")
PROPERTY = "dp_audit"


@dataclass(frozen=True, slots=True)
class Split:
    """The share of the session's budget that each test has, by node id; or why there is none."""

    shares: Mapping[str, float]
    problem: str | None = None


_RUNNING: list[pytest.Item] = []
"""The test that this process runs; a function has no other way to its test."""
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
        "dp_audit(alpha=…): this test audits, with this share of the session's error budget (--dp-alpha)",
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
    texts: dict[Any, bool] = {}
    auditing = [item for item in items if _audits(item, texts)]
    fixed: dict[str, float] = {}
    for item in auditing:
        marker = item.get_closest_marker("dp_audit")
        if marker is None or not (marker.args or marker.kwargs):
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


def _audits(item: pytest.Item, texts: dict[Any, bool]) -> bool:
    """Whether a test may spend: it asks for a fixture, bears the marker, or stands in a module whose text
    imports from dpclaims and names one of the functions. `texts` remembers what was read."""
    if set(FIXTURES) & set(getattr(item, "fixturenames", ())) or item.get_closest_marker("dp_audit"):
        return True
    file = getattr(item, "path", None)
    if file is not None and file not in texts:
        try:
            texts[file] = bool(MENTION.search(file.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError):
            texts[file] = False
    return texts.get(file, False)


def _fixture(name: str, words: str) -> Any:
    """A fixture that gives the function of this name, which finds the test's share by itself."""

    def fixture(request: pytest.FixtureRequest) -> Callable[..., Any]:
        from dpclaims import clashes

        if problems := clashes():
            pytest.fail("; ".join(problems), pytrace=False)
        if problem := request.config.stash.get(_SPLIT, Split({})).problem:
            raise ValueError(problem)
        from audits import assertions

        def check(*args: Any, **options: Any) -> Any:
            __tracebackhide__ = True
            if "alpha" in options:
                raise ValueError(
                    "alpha is set by --dp-alpha and @pytest.mark.dp_audit(alpha=…), not by the call"
                )
            return getattr(assertions, name)(*args, **options)

        return check

    fixture.__doc__ = f"`{name}({words}"
    return pytest.fixture(name=name)(fixture)


_private = _fixture(
    "assert_private",
    "mechanism, pairs, epsilon, delta=0.0, adjacency=…)`: fails where an audit refutes it, or is undecided.",
)
_rate = _fixture(
    "assert_rate",
    "table, risk=…, axes=[…], claimed={…}, tolerance=…)`: fails unless the exponents hold.",
)
_law = _fixture("assert_law", "samples, law)`: fails where samples are not drawn from the law.")
_map = _fixture("assert_map", "target)`: fails where the map that an object carries is violated.")
_ledger = _fixture(
    "assert_ledger",
    "program, pairs, epsilon, delta=0.0, adjacency=…)`: fails where a trace finds something.",
)


@dataclass(frozen=True, slots=True)
class Running:
    """The test that runs, as checks see it."""

    item: pytest.Item

    def next_share(self) -> tuple[float, int]:
        """(α, seed) of the test's first, second, … check. ValueError where the test has no share."""
        stash = self.item.stash
        if _SPENDING not in stash:
            split = self.item.config.stash.get(_SPLIT, Split({}, "the tests were not collected"))
            if split.problem is not None:
                raise ValueError(split.problem)
            nodeid = self.item.nodeid
            if nodeid not in split.shares:
                raise ValueError(
                    f"{nodeid} has no share of --dp-alpha, split before the first test runs: it must "
                    "name assert_private or another fixture among its arguments, or stand in a module that "
                    "imports from dpclaims, or bear @pytest.mark.dp_audit; or pass alpha"
                )
            stash[_SPENDING] = (
                (split.shares[nodeid] / (k * (k + 1)), zlib.crc32(f"{nodeid}#{k}".encode()))
                for k in range(1, 1 << 30)
            )
        return next(stash[_SPENDING])

    def record(self, **fields: Any) -> None:
        """One check, each field a property of its own: in JUnit's XML "dp_audit.verdict" …

        Reports carry them from the workers of pytest-xdist to the session that sums up. The verdict comes
        first.
        """
        known = {name: value for name, value in fields.items() if value is not None}
        self.item.user_properties.extend((f"{PROPERTY}.{name}", value) for name, value in known.items())


def running() -> Running | None:
    """The test that this process runs; None outside of tests."""
    return Running(_RUNNING[-1]) if _RUNNING else None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Knows the test that runs, for functions that are called in it."""
    _RUNNING.append(item)
    yield
    _RUNNING.pop()


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
    own = math.fsum(row.get("own_alpha", 0.0) for _, row in rows)
    beside = f", and {own:.3g} that calls named" if own else ""
    count = f"{len(rows)} audit{'' if len(rows) == 1 else 's'}"
    terminalreporter.write_line(
        f"{count} spent α = {spent:.3g} of {alpha:g} (--dp-alpha){beside}; not-refuted is no proof."
    )


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
