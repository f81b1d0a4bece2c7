"""The benchmarks of the audit: rows follow their laws, true claims are tight, every subject runs."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audits.privacy.audit import audit_privacy
from audits.privacy.draw.pairs import take_pairs
from audits.privacy.options import METHODS
from benchmarks import measure, null_outputs
from benchmarks.cases import Case, masses, of_control
from benchmarks.null_cases import null_case, null_cases
from benchmarks.reachable import ideal_samples, reachable
from implementations.controls import classical_rows, gaussian_control, laplace_control, private_controls

ROWS = {row.name: of_control(row) for row in classical_rows()}


# --- The yardstick ------------------------------------------------------------------------------------


def best_tail(survival: tuple, delta: float, samples: int) -> float:
    """Half lines {x ≥ t} scanned with SciPy's binomial intervals, apart from the module under test."""
    above, below = survival
    low = stats.beta.ppf(0.025, samples * above, samples * (1 - above) + 1)
    high = stats.beta.ppf(0.975, samples * below + 1, samples * (1 - below))
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.nanmax(np.log((low - delta) / high)))


# Figures of the published comparison of auditors, three digits; half a unit of the last digit of slack,
# one unit for the Gaussian, whose printed figures come from a coarser scan of events.
@pytest.mark.parametrize(
    ("samples", "laplace", "gaussian"),
    [(1e4, 0.939, 0.381), (1e5, 0.981, 0.594), (1e6, 0.994, 0.767), (1e7, 0.998, 0.893)],
)
def test_laplace_and_gaussian_reach_the_known_figures(
    samples: float, laplace: float, gaussian: float
) -> None:
    found = reachable(of_control(laplace_control()), int(samples))
    assert found == pytest.approx(laplace, abs=6e-4)
    t = np.linspace(-6, 7, 4001)
    tails = stats.laplace.sf(t, 1.0), stats.laplace.sf(t, 0.0)
    assert found == pytest.approx(best_tail(tails, 0.0, int(samples)), abs=1e-4)

    sigma = 3.730631634816464  # smallest σ of ε = 1, δ = 1e-5 (Balle and Wang 2018)
    found = reachable(of_control(gaussian_control()), int(samples))
    assert found == pytest.approx(gaussian, abs=1.5e-3)
    t = np.linspace(-5 * sigma, 7 * sigma, 4001)
    tails = stats.norm.sf(t, 1.0, sigma), stats.norm.sf(t, 0.0, sigma)
    assert found == pytest.approx(best_tail(tails, 1e-5, int(samples)), abs=1e-3)


@pytest.mark.parametrize(
    ("name", "ideal"),
    [("nm3", 424), ("nm4", 339), ("svt3", 2059), ("svt4", 1945), ("svt5", 40), ("svt6", 315)],
)
def test_ideal_samples_of_the_broken_rows(name: str, ideal: int) -> None:
    # Printed figures come from scans of fewer events, so ours may need up to 2 % fewer samples, never more.
    found = ideal_samples(ROWS[name])
    assert 0.98 * ideal <= found <= ideal


def test_private_rows_are_never_exposed() -> None:
    for name in ("laplace", "nm1", "svt1"):
        assert ideal_samples(ROWS[name], limit=10**8) is None


def test_an_event_certain_under_both_shows_nothing() -> None:
    assert reachable(Case("certain", print, laws=lambda: masses([1.0], [1.0])), 1000) == 0.0
    only_first = reachable(Case("half", print, laws=lambda: masses([0.5, 0.5], [0.0, 1.0])), 10**6)
    # The upper bound of a probability never seen is 1 − (α/2)^(1/n) ≈ 3.69/n.
    assert only_first == pytest.approx(math.log(0.5 * 1e6 / 3.689), abs=0.01)


# --- Null cases --------------------------------------------------------------------------------------


def test_null_cases_hold_every_private_control_and_every_method() -> None:
    cases = null_cases()
    names = [case.name for case in cases]
    assert len(set(names)) == len(names)
    assert {control.name for control in private_controls()} <= set(names)
    assert {size.method for case in cases for size in case.sizes} == set(METHODS)
    for case in cases:
        take_pairs(case.pairs, np.random.default_rng(0), case.adjacency)
        settings = [(size.method, size.samples) for size in case.sizes]
        assert settings
        assert len(set(settings)) == len(settings)


def test_no_control_is_audited_at_more_than_its_pair_keeps() -> None:
    for control in private_controls():
        case = null_case(control.name)
        assert case.claim.value == (control.epsilon if control.true_epsilon is None else control.true_epsilon)
        assert case.claim.value <= control.epsilon + 1e-9
        assert case.claim.delta(case.claim.value) == control.delta


def test_majority_of_two_answers_is_tight_by_enumeration() -> None:
    case = null_case("ties: majority of two answers, a coin an output")
    truth = math.e / (1.0 + math.e)

    def one(data: tuple[int, int]) -> float:
        share = 0.0
        for answers in itertools.product((0, 1), repeat=2):
            p = math.prod(truth if a == d else 1.0 - truth for a, d in zip(answers, data, strict=True))
            share += p * (0.5 if sum(answers) == 1 else float(sum(answers) == 2))
        return share

    ((first, second),) = case.pairs
    p, q = one(first), one(second)
    assert max(abs(math.log(p / q)), abs(math.log((1 - p) / (1 - q)))) == pytest.approx(
        case.claim.value, abs=1e-12
    )
    drawn = case.mechanism(first, 10**5, np.random.default_rng(1)).mean()
    assert drawn == pytest.approx(p, abs=5 * 0.5 / math.sqrt(10**5))  # five standard errors: below 1e-6


# Shares of an event on both datasets, from the closed forms; ratio e^ε, or e^ε and δ for the Gaussians.
@pytest.mark.parametrize(
    ("name", "event", "first", "second"),
    [
        ("words and None", lambda x: x == "yes", 0.8 * 0.731059, 0.8 * 0.268941),
        (
            "records of word and number",
            lambda x: (x["word"] == "yes") & (x["number"] >= 1.0),
            0.622459 / 2,
            0.377541 / 2 * math.exp(-0.5),
        ),
        (
            "rows of number or None, and word",
            lambda x: np.array([r is not None and r >= 1.0 for r in x[:, 0]]),
            0.35,
            0.35 / math.e,
        ),
        (
            "lists of different lengths",
            lambda x: np.array([len(r) == 2 and r[0] >= 1.0 for r in x]),
            0.622459 / 2,
            0.377541 / 2 * math.exp(-0.5),
        ),
        # At μ = 1 the tight event of ε = 1 is {z ≥ ε/μ + μ/2}: Φ(−1/2) and Φ(−3/2).
        ("vectors, gaussian in 3 columns", lambda x: x.sum(1) / math.sqrt(3) >= 1.5, 0.308538, 0.066807),
        ("vectors, gaussian in 50 columns", lambda x: x.sum(1) / math.sqrt(50) >= 1.5, 0.308538, 0.066807),
        ("vectors, laplace in 1 of 50 columns", lambda x: x[:, 25] >= 1.0, 0.5, 0.5 / math.e),
        ("vectors, one answer among 49 numbers", lambda x: x[:, 25] == 1.0, 0.731059, 0.268941),
        ("ties: randomised response", lambda x: x == 1, 0.731059, 0.268941),
        ("sides swapped: atoms, tight forwards", lambda x: x, 0.1 * math.e, 0.1),
        ("sides swapped: numbers, tight forwards", lambda x: x < 0.1, 0.1 * math.e, 0.1),
        ("thresholds: laplace, ε = 0.1", lambda x: x >= 1.0, 0.5, 0.5 * math.exp(-0.1)),
        ("error per test: 16 pairs of answers", lambda x: x == 1, 0.731059, 0.268941),
    ],
)
def test_null_cases_are_tight_on_an_event(name: str, event: Any, first: float, second: float) -> None:
    case = null_case(name)
    assert first == pytest.approx(
        math.exp(case.claim.value) * second + case.claim.delta(case.claim.value), abs=1e-5
    )
    rng, size = np.random.default_rng(7), 20000
    for data, share in zip(case.pairs[0], (first, second), strict=True):
        # Six standard errors: 2e-9 each.
        drawn = event(case.mechanism(data, size, rng)).mean()
        assert drawn == pytest.approx(share, abs=6 * math.sqrt(share * (1 - share) / size))


@pytest.mark.slow
def test_kinds_of_output_are_tight() -> None:
    # An audit that claims 0.3 of what is 1 must find the bit or the number in every kind of output.
    kinds = [*null_outputs.BITS, *null_outputs.NUMBERS]
    assert len(kinds) > 25
    for name in kinds:
        case = null_case(name)
        result = audit_privacy(
            case.mechanism,
            case.pairs,
            epsilon=0.3,
            adjacency=case.adjacency,
            alpha=0.001,
            max_samples=4000,
            simplest=False,
        )
        assert result.refuted, name


# --- Measurements ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subject", "row"),
    [("mistakes", "svt5"), ("seen", "columns: the signs"), ("costs", "one number")],
)
def test_a_subject_is_measured_and_goes_on(tmp_path: Path, subject: str, row: str) -> None:
    jobs, table = measure.SUBJECTS[subject]
    some, path = list(jobs(3, row)), tmp_path / f"{subject}.csv"
    measure.measure(iter(some[:1]), path)
    kept = path.read_text(encoding="utf-8")
    measure.measure(iter(some), path)
    assert path.read_text(encoding="utf-8").startswith(kept)
    assert len(measure.read(path)) == len(some)
    assert f"| {some[0].row} |" in table(measure.read(path))


def test_false_alarms_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "alarms.csv"
    lines = ["row,method,samples,seed,reference,verdict,drawn,value,seconds"]
    lines += [
        f"coin,sequential,200,{k},0.05,{'refuted' if k < 3 else 'not-refuted'},1,0,0.1" for k in range(9)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = measure.alarms_table(measure.read(path))
    # Clopper–Pearson of 3 in 9 at 95 %: (0.0749, 0.7007), the tables of Clopper and Pearson (1934).
    assert "| sequential | 9 | 3 | 0.3333 [0.0749, 0.7007] |" in text
    assert "above α = 0.05: 1 of 1; ('coin', 'sequential', 200)" in text


def test_the_document_says_what_was_measured() -> None:
    page = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
    text = page.read_text(encoding="utf-8")
    assert measure.fill(text) == text
