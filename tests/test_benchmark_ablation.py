"""The benchmark of what constants are worth: it knows all of them, and each variant is what it says."""

from __future__ import annotations

import csv
from dataclasses import fields

import pytest

from audits.privacy.learners.choice import DIGITS, LINEAR, MODES, PERIOD, SEARCHES, SMOOTH, TREE, VALUE
from audits.privacy.tuning import TUNING, Tuning
from benchmarks import ablation


def test_every_constant_is_measured_or_said_to_be_for_something_else() -> None:
    known = {field.name for field in fields(Tuning)}
    assert ablation.CONSTANTS.keys() | ablation.PURPOSES.keys() == known
    assert not ablation.CONSTANTS.keys() & ablation.PURPOSES.keys()
    for name, tried in ablation.CONSTANTS.items():
        assert getattr(TUNING, name) != tried
        assert type(getattr(TUNING, name)) is type(tried) or isinstance(tried, int)


def test_every_learner_is_left_out_once() -> None:
    everywhere = {VALUE, SMOOTH, *LINEAR, TREE, PERIOD, MODES, DIGITS, *SEARCHES[:-1]}
    assert {learner.name for learner in everywhere} == set(ablation.LEARNERS)


def test_a_factor_is_a_geometric_mean() -> None:
    assert ablation.factor([1.0, 2.0, 5.0], [8.0, 2.0, 5.0]) == pytest.approx(2.0)


@pytest.mark.parametrize(
    "name", [ablation.AS_IT_IS, "neighbours", "learner parity", "family windows", "family signed_sums"]
)
def test_a_variant_runs_in_a_process_of_its_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    row = "mistake: svt5"
    found = ablation.measured(name, [row])
    assert found["rows"].keys() == {row}
    assert len(found["rows"][row]) == ablation.AGAIN
    assert all(value > 0.5 for value in found["rows"][row])


def test_what_is_named_wrongly_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        ablation.main(["learner nobody"])
    assert stop.value.code == 2
    assert "learner nobody" in capsys.readouterr().err


def test_the_measured_variants_are_those_of_the_script() -> None:
    with ablation.CSV.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    measured = [row["variant"] for row in rows]
    assert measured
    assert measured == [name for name in ablation.variants() if name in measured]
    assert ablation.table() in ablation.TABLES.read_text(encoding="utf-8")
