"""The benchmark of the audit: its null cases are what they say, and each of its sections still runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from audits.privacy.audit import audit_privacy
from audits.privacy.draw.pairs import take_pairs
from audits.privacy.options import METHODS
from implementations.controls import classical_rows, private_controls

ROOT = Path(__file__).resolve().parents[1]


class Benchmarks(NamedTuple):
    audit: Any
    null_cases: Any
    null_outputs: Any
    plots: Any
    sections: Any
    tables: Any


@pytest.fixture(scope="module")
def benchmarks() -> Iterator[Benchmarks]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from benchmarks import audit, null_cases, null_outputs, plots, sections, tables

        yield Benchmarks(audit, null_cases, null_outputs, plots, sections, tables)


# --- Null cases --------------------------------------------------------------------------------------


def test_null_cases_hold_every_private_control_and_every_method(benchmarks: Benchmarks) -> None:
    cases = benchmarks.null_cases.null_cases()
    names = [case.name for case in cases]
    assert len(set(names)) == len(names)
    assert {control.name for control in private_controls()} <= set(names)
    assert {size.method for case in cases for size in case.sizes} == set(METHODS)
    for case in cases:
        take_pairs(case.pairs, np.random.default_rng(0), case.adjacency)
        settings = [(size.method, size.samples) for size in case.sizes]
        assert settings
        assert len(set(settings)) == len(settings)
        # One method alone only where a case is about that method, or the other is too slow.
        methods = {method for method, _ in settings}
        assert {"sequential", "clopper-pearson"} <= methods or case.group == "alarm"


def test_no_control_is_audited_at_more_than_its_pair_keeps(benchmarks: Benchmarks) -> None:
    for control in private_controls():
        case = benchmarks.null_cases.null_case(control.name)
        assert case.epsilon == (control.epsilon if control.true_epsilon is None else control.true_epsilon)
        assert case.epsilon <= control.epsilon + 1e-9
        assert case.delta == control.delta


def test_majority_of_two_answers_is_tight_by_enumeration(benchmarks: Benchmarks) -> None:
    case = benchmarks.null_cases.null_case("ties: majority of two answers, a coin an output")
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
        case.epsilon, abs=1e-12
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
def test_null_cases_are_tight_on_an_event(
    benchmarks: Benchmarks, name: str, event: Any, first: float, second: float
) -> None:
    case = benchmarks.null_cases.null_case(name)
    assert first == pytest.approx(math.exp(case.epsilon) * second + case.delta, abs=1e-5)
    rng, size = np.random.default_rng(7), 20000
    for data, share in zip(case.pairs[0], (first, second), strict=True):
        # Six standard errors: 2e-9 each.
        drawn = event(case.mechanism(data, size, rng)).mean()
        assert drawn == pytest.approx(share, abs=6 * math.sqrt(share * (1 - share) / size))


@pytest.mark.slow
def test_kinds_of_output_are_tight(benchmarks: Benchmarks) -> None:
    # An audit that claims 0.3 of what is 1 must find the bit or the number in every kind of output.
    kinds = [*benchmarks.null_outputs.BITS, *benchmarks.null_outputs.NUMBERS]
    assert len(kinds) > 30
    for name in kinds:
        case = benchmarks.null_cases.null_case(name)
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


def test_audits_of_a_case_depend_on_their_number_alone(benchmarks: Benchmarks) -> None:
    null_cases = benchmarks.null_cases
    # A claim that is far too small, so that there are alarms to count.
    case = replace(null_cases.null_case("ties: randomised response"), epsilon=0.7)
    alarms = [null_cases.false_alarms(case, "clopper-pearson", 200, range(i, i + 1), 3)[0] for i in range(8)]
    assert null_cases.false_alarms(case, "clopper-pearson", 200, range(8), 3)[0] == sum(alarms)
    assert 0 < sum(alarms) < 8


@pytest.mark.slow
def test_processes_change_no_count(benchmarks: Benchmarks) -> None:
    arguments = ("laplace", "clopper-pearson", 200, 120, 0)
    alone, _ = benchmarks.null_cases.parallel_alarms(*arguments, 1)
    assert alone > 0
    assert benchmarks.null_cases.parallel_alarms(*arguments, 2)[0] == alone


# --- Sections ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "case", "lines"),
    [
        ("rows", "laplace", 2),
        ("encodings", "truncated", 2),
        ("broken", "svt5", 1),
        ("ladder", "50%", 1),
        ("speed", "nm1", 2),
        ("memory", "", 1),
        ("private", "geometric", 1),
        ("null", "ties: majority", 2),
    ],
)
def test_every_section_runs(
    benchmarks: Benchmarks, tmp_path: Path, section: str, case: str, lines: int
) -> None:
    path = tmp_path / "audit.csv"
    found = benchmarks.audit.run([section], benchmarks.sections.SCALES["tiny"], path, case=case)
    assert len(found) == lines
    for before, after in zip(found, benchmarks.tables.read(path), strict=True):
        assert after.key == before.key
        assert after.met == before.met
        assert after.value == pytest.approx(before.value, rel=1e-5)
    table = benchmarks.tables.table(section, found)
    assert f"| {found[0].case} |" in table
    assert len({line.count("|") for line in table.splitlines() if line.startswith("|")}) == 1
    for figure in benchmarks.plots.draw(found, tmp_path):
        assert figure.stat().st_size > 5000


def test_runs_that_all_show_the_same_are_drawn(benchmarks: Benchmarks) -> None:
    # The mean of twenty times .97 is less than .97 by a bit.
    line = benchmarks.tables.Line(
        "rows", "svt5", "sequential", 10**6, 20, 0, "", None, np.nextafter(0.97, 0.0), 11.6, 0.1, 0.97, 0.97
    )
    assert benchmarks.plots.sharpness([line]).axes


def test_plain_counting_counts_every_output(benchmarks: Benchmarks) -> None:
    for control in classical_rows():
        outputs = control.mechanism(control.pair[0], 500, np.random.default_rng(0))
        counts = benchmarks.sections.counter(control)(outputs)
        # A histogram comes with its edges and leaves out what lies beyond them.
        assert 450 <= np.sum(counts[0]) <= 500 if control.outputs == "real" else np.sum(counts) == 500


def test_a_run_that_was_cut_off_goes_on(benchmarks: Benchmarks, tmp_path: Path) -> None:
    path, scale = tmp_path / "audit.csv", benchmarks.sections.SCALES["tiny"]

    def run(**options: Any) -> list[Any]:
        return benchmarks.audit.run(["null"], scale, path, case="ties: majority", **options)

    benchmarks.audit.run(["ladder"], scale, path, case="50%")
    whole = run()
    # The last line is lost: only it is run again, and it comes out as before.
    benchmarks.tables.rewrite(path, whole[:-1])
    kept = path.read_text(encoding="utf-8")
    again = run(resume=True)
    assert path.read_text(encoding="utf-8").startswith(kept)
    assert [(x.key, x.value) for x in again] == [(x.key, x.value) for x in whole]
    # Another seed is another line; without `resume` a section's lines are replaced, those of others stay.
    assert len(run(resume=True, seed=1)) == 3
    assert [x.section for x in benchmarks.tables.read(path)] == ["ladder", "null", "null"]


def test_the_documents_say_what_was_measured(benchmarks: Benchmarks, tmp_path: Path) -> None:
    folder = ROOT / "benchmarks"
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    lines = benchmarks.tables.read(folder / "audit.csv")
    assert lines
    for section in benchmarks.sections.SECTIONS:
        assert f"<!-- {section} -->" in text
    copy = tmp_path / "benchmarks.md"
    copy.write_text(text, encoding="utf-8")
    benchmarks.tables.fill(copy, lines)
    assert copy.read_text(encoding="utf-8") == text


def test_refusals_and_misses_stand_in_the_tables(benchmarks: Benchmarks) -> None:
    line = benchmarks.tables.Line(
        "broken", "svt3", "sequential", 4 * 10**6, 3, 0, "all", False, math.inf, 2000.0, 1.0,
        low=9000.0, high=math.inf, share=1 / 3, worst_seconds=2.0,
    )  # fmt: skip
    table = benchmarks.tables.table("broken", [line])
    assert "| svt3 | 2,000 | never | never | 33% | 1.00 | 2.00 | **no** |" in table
    assert "met: 0 of 1" in table


def test_a_leak_that_is_listed_as_caught_is_caught_with_fresh_outputs():
    from audits.privacy.after.leaks import battery
    from audits.privacy.outputs.encoder import Encoder
    from benchmarks import planting

    encoder = Encoder()
    looks = [
        encoder.encode(planting.laplace(data, 4096, np.random.default_rng(data)), "a look") for data in (0, 1)
    ]
    leaks = battery(encoder.widen(looks[0]), encoder.widen(looks[1]), encoder)
    (noise,) = [leak for leak in leaks if leak.measure == "noise"]
    # At half of the noise the best event shows ε = 2; of 20,000 samples 500 would do.
    assert planting.caught(planting.laplace, noise, 0.5, 20_000, 0)
    assert not planting.caught(planting.laplace, noise, 0.0, 2_000, 0)
