"""`dpclaims rates`: what counts as a regression, and what a baseline file must look like."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from audits.rates.question import falls
from claims.harness.commands.exponents import STATUS, exponent_of
from claims.harness.commands.rates import compare, read_baseline, write_baseline
from claims.harness.commands.rates_asked import RatesAsked
from claims.harness.mutation.named import named
from claims.harness.mutation.plant import planted

NAME = ("demo/theorem-1", "n", "")


def _exponent(estimate, error=0.01, freedom=20.0, worse="either"):
    return {
        "claim": NAME[0], "axis": "n", "quantity": "exponent of n", "worse": worse, "point": "",
        "estimate": estimate, "standard_error": error, "degrees_of_freedom": freedom,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("new", "error", "worse", "answer"),
    [
        (-1.0, 0.011, "higher", "same"),
        (-0.93, 0.01, "higher", "undecided"),  # beyond the tolerance, but not significantly
        (-0.80, 0.01, "higher", "worse"),
        (-0.80, 0.20, "higher", "undecided"),  # too noisy to say
        (-1.02, 0.20, "higher", "undecided"),  # too noisy to be called the same
        (-1.07, 0.01, "higher", "no worse"),
        (-1.20, 0.01, "higher", "better"),
        (-1.20, 0.01, "either", "better"),  # of n, whatever is claimed: the risk falls faster
        (-0.80, 0.01, "either", "worse"),
        (-1.20, 0.01, "lower", "worse"),
        (-0.80, 0.01, "lower", "better"),
    ],
)
def test_a_comparison_has_four_answers(new, error, worse, answer):
    found = compare({NAME: _exponent(new, error, worse=worse)}, {NAME: _exponent(-1.0)}, RatesAsked())
    assert [row.as_dict()["status"] for row in found.values()] == [STATUS[answer]]
    assert found[NAME].answer == answer


def test_figures_that_did_not_change_are_the_same_and_new_and_missing_exponents_are_named():
    wide = {NAME: _exponent(-1.0, 0.5)}
    pairs = ((wide, wide, "same"), (wide, {}, "new"), ({}, wide, "missing"))
    assert all(compare(new, old, RatesAsked())[NAME].answer == answer for new, old, answer in pairs)


def test_a_baseline_survives_its_file(tmp_path):
    file, place = tmp_path / "baseline.json", (NAME[0], "log risk at n=100", "")
    level = _exponent(2.0) | {"quantity": place[1], "axis": None, "worse": "higher"}
    write_baseline(file, {NAME: _exponent(-1.0, freedom=float("inf")), place: level})
    again = exponent_of(read_baseline(file)[NAME])
    # Half as much again is worse, whatever the exponent.
    moved = compare({place: level | {"estimate": 2.4}}, {place: read_baseline(file)[place]}, RatesAsked())
    assert [(row.what, row.answer) for row in moved.values()] == [(place[1], "worse")]
    assert (again.estimate, again.standard_error, again.degrees_of_freedom) == (-1.0, 0.01, float("inf"))
    assert json.loads(file.read_text())["provenance"]["tier"] == "ci"
    assert [f.name for f in tmp_path.iterdir()] == ["baseline.json"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not JSON"),
        ("[]", "not a baseline"),
        ('{"format": "dpclaims-baseline/2", "exponents": [{}]}', "malformed"),
        ('{"format": "dpclaims-baseline/2"}', "malformed"),
    ],
)
def test_a_malformed_baseline_is_named(tmp_path, content, says):
    file = tmp_path / "baseline.json"
    file.write_text(content)
    with pytest.raises(ValueError, match=says) as caught:
        read_baseline(file)
    assert str(file) in str(caught.value)


@pytest.mark.slow
def test_rates_pass_and_a_mutant_of_the_reference_regresses(dpclaims, tmp_path, monkeypatch):
    committed = Path(__file__).resolve().parents[2] / "reports" / "baseline" / "asi2024.json"
    monkeypatch.chdir(tmp_path)
    pattern = "asi2024/theorem-4.1-utility*"
    status, out, err = dpclaims("rates", pattern, "--baseline", str(committed))
    assert status == 0, out + err
    (mutant,) = named(["asi2024-radius-of-one-item"])
    (tmp_path / "planted").mkdir()
    monkeypatch.chdir(tmp_path / "planted")
    with planted(mutant):
        status, out, _ = dpclaims("rates", pattern, "--baseline", str(committed))
    assert status == 1
    assert "worse" in out


# --- Measurements of one's own ------------------------------------------------------------------------------


def _cells(folder, name, exponent, levels=7, spread=0.01):
    """A table of one axis whose scatter is the same in every call."""
    rng = np.random.default_rng(0)
    sizes = 100 * 2 ** np.arange(levels)
    risks = 3.0 * sizes**exponent * np.exp(spread * rng.normal(size=levels))
    lines = [f"{n},{risk!r}" for n, risk in zip(sizes.tolist(), risks.tolist(), strict=True)]
    (folder / name).write_text("\n".join(["n,risk", *lines, ""]))


@pytest.fixture
def rates(dpclaims, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _cells(tmp_path, "good.csv", -1.001)
    _cells(tmp_path, "slower.csv", -0.6)
    _cells(tmp_path, "few.csv", -1.0, levels=4, spread=0.1)
    return lambda csv, *more: dpclaims("rates", "--csv", csv, "--risk", "risk", "--axis", "n", *more)


def test_a_regression_of_ones_own_exponents(rates, tmp_path):
    status, out, _ = rates("good.csv", "--baseline", "b.json", "--update")
    assert status == 0
    document = json.loads((tmp_path / "b.json").read_text())
    assert document["format"] == "dpclaims-exponents/2"
    (kept,) = document["fits"]
    assert kept["exponents"]["n"]["estimate"] == pytest.approx(-1.001, abs=0.02)
    assert len(kept["cells"]["risk"]) == 7
    assert rates("good.csv", "--baseline", "b.json")[0] == 0
    status, out, _ = rates("slower.csv", "--baseline", "b.json")
    assert status == 1
    assert "exponent of n: worse, baseline -0.999" in out
    # Faster is no regression, whatever the side.
    rates("slower.csv", "--baseline", "slow.json", "--update")
    for side in ("upper", "tight", "lower"):
        status, out, _ = rates("good.csv", "--baseline", "slow.json", "--side", side)
        assert (status, "exponent of n: better" in out) == (0, True)


def test_a_history_lists_runs_and_which_of_them_are_worse(rates, dpclaims, tmp_path):
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    assert "'runs' holds no run" in dpclaims("rates", "--history", "runs")[2]
    for run, csv in enumerate(("good", "slower", "good")):
        rates(f"{csv}.csv", "--baseline", f"runs/{run}.json", "--update")
    status, out, _ = dpclaims("rates", "--history", "runs", "--plot", "h.svg")
    answers = [line.rpartition(", ")[2] for line in out.splitlines() if "exponent of n" in line]
    assert (status, answers) == (0, ["same", "worse", "same"])
    assert "<svg" in (tmp_path / "h.svg").read_text(encoding="utf-8")
    rates("slower.csv", "--baseline", "runs/3.json", "--update")
    status, out, _ = dpclaims("rates", "--history", "runs", "--baseline", "runs/1.json", "--json")
    found = {row["run"]: row["answer"] for row in json.loads(out)["runs"] if row["axis"] == "n"}
    assert (status, found) == (0, {"0": "better", "1": "same", "2": "better", "3": "same"})
    assert dpclaims("rates", "--history", "runs")[0] == 1
    other = (tmp_path / "runs" / "0.json").read_text().replace('"risk": "risk"', '"risk": "loss"')
    (tmp_path / "runs" / "4.json").write_text(other)
    assert "4.json' is of the risk 'loss', not of 'risk'" in dpclaims("rates", "--history", "runs")[2]
    assert "leave out --csv and --update" in rates("good.csv", "--history", "runs")[2]


def test_a_level_ten_times_higher_is_worse(rates, tmp_path):
    rates("good.csv", "--baseline", "b.json", "--update")
    lines = (tmp_path / "good.csv").read_text().splitlines()[1:]
    for name, factor in (("ten.csv", 10.0), ("more.csv", 1.03)):
        cells = [line.split(",") for line in lines]
        rows = [f"{n},{factor * float(risk) * (1.0 + 1e-3 * (k % 2))}" for k, (n, risk) in enumerate(cells)]
        (tmp_path / name).write_text("\n".join(["n,risk", *rows, ""]))
    status, out, _ = rates("ten.csv", "--baseline", "b.json")
    assert (status, "level at n=800: worse, 10" in out) == (1, True)
    assert "exponent of n: same" in out
    assert rates("more.csv", "--baseline", "b.json")[0] == 0
    status, out, _ = rates("more.csv", "--baseline", "b.json", "--level-tolerance", "3%")
    assert (status, "level at n=800: undecided" in out) == (3, True)
    assert "times as many trials" in out


def test_what_is_wrong_with_a_fit_of_ones_own_is_said_with_what_would_decide(rates, tmp_path):
    sizes = [100 * 2**k for k in range(7)]
    (tmp_path / "floor.csv").write_text("n,risk\n" + "".join(f"{n},{1 / n + 1e-3}\n" for n in sizes))
    status, out, _ = rates("floor.csv", "--claimed", "n=-1")
    # INCONCLUSIVE: a floor, so that no exponent holds at both ends
    assert (status, "plainly no power law: the local exponent goes from -0.98" in out) == (3, True)
    (exponent,) = json.loads(rates("floor.csv", "--claimed", "n=-1", "--json")[1])["exponents"]
    assert exponent["diagnosis"]["ends"][1] > -0.2
    assert "where the slope has settled" in exponent["advice"]
    status, out, _ = rates("few.csv", "--claimed", "n=-1")
    assert (status, "what would decide: " in out) == (3, True)


def test_groups_are_fitted_apart(rates, tmp_path):
    good, slower = ((tmp_path / f"{k}.csv").read_text().splitlines()[1:] for k in ("good", "slower"))
    both = [f"{line},{method}" for method, part in (("a", good), ("b", slower)) for line in part]
    (tmp_path / "both.csv").write_text("\n".join(["n,risk,method", *both, ""]))
    status, out, err = rates("both.csv", "--claimed", "n=-1")
    assert (status, out) == (2, "")
    assert "each cell has rows of several 'method' (a, b): fit them apart by --group method" in err
    asked = ["--claimed", "n=-1", "--group", "method"]
    status, out, _ = rates("both.csv", *asked, "--json")
    found = {e["group"]: e["verdict"] for e in json.loads(out)["exponents"]}
    assert (status, found) == (1, {"method=a": "CONSISTENT", "method=b": "REFUTED"})
    status, out, _ = rates("both.csv", *asked, "--baseline", "b.json", "--update")
    assert (status, (tmp_path / "b.json").exists()) == (1, False)
    assert "not written: an exponent is refuted (--force)" in out
    rates("both.csv", *asked, "--baseline", "b.json", "--update", "--force")
    assert rates("both.csv", "--group", "method", "--baseline", "b.json")[0] == 0
    assert "has --group method, got none" in rates("good.csv", "--baseline", "b.json")[2]


def test_a_seed_in_the_table_is_a_trial_and_can_be_said_to_be_none(rates, tmp_path):
    rng = np.random.default_rng(3)
    lines = [
        f"{n},{(1 + 0.1 * rng.normal()) / n},{seed}" for seed in range(4) for n in 100 * 2 ** np.arange(7)
    ]
    (tmp_path / "s.csv").write_text("\n".join(["n,risk,seed", *lines, ""]))
    assert "4 trials by column 'seed', each left out of all cells" in rates("s.csv")[1]
    assert "trials" not in rates("s.csv", "--trial", "none")[1]
    (risk,) = json.loads(rates("s.csv", "--predict", "n=64000", "--json")[1])["predictions"]
    assert risk["low"] < 1 / 64000 < risk["high"]
    assert "risk of one more cell at n=64000: " in rates("s.csv", "--predict", "n=64000")[1]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"format": "dpclaims-exponents/2", "risk": "risk", "group": [], "fits": []}', "is empty"),
        ('{"format": "dpclaims-exponents/2", "format": 1}', "is there twice"),
        ('{"format": "dpclaims-exponents/1", "exponents": {}}', "does not hold exponents of a table"),
        ('{"format": "dpclaims-exponents/2", "fits": [{"exponents": {"n": {}}}]}', "malformed exponent"),
    ],
)
def test_baselines_that_hold_nothing_or_something_else(rates, tmp_path, content, says):
    (tmp_path / "b.json").write_text(content)
    for more in ([], ["--update"]):
        status, _, err = rates("good.csv", "--baseline", "b.json", *more)
        assert (status, says in err) == (2, True)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("n,risk,risk\n100,1,2\n", "several columns 'risk'"),
        ("n,risk\n", "non-empty"),
        ("n;risk\n", "['n;risk']"),
    ],
)
def test_tables_that_are_none_are_one_sentence(rates, tmp_path, content, says):
    (tmp_path / "t.csv").write_text(content)
    status, out, err = rates("t.csv")
    assert (status, out, says in err, err.count("\n")) == (2, "", True, 1)


def test_the_files_of_a_fit(rates, tmp_path):
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    asked = ["--claimed", "n=-1", "--plot", "p.svg", "--junit", "out/j.xml", "--summary", "s.md"]
    assert rates("slower.csv", *asked)[0] == 1
    assert "<svg" in (tmp_path / "p.svg").read_text(encoding="utf-8")
    (case,) = ElementTree.parse(tmp_path / "out" / "j.xml").getroot()
    fields = {p.attrib["name"]: p.attrib["value"] for p in case.iter("property")}
    assert fields["verdict"] == "REFUTED"
    assert float(fields["low"]) < float(fields["estimate"]) == pytest.approx(-0.6, abs=0.02)
    assert case.find("failure") is not None
    assert "| **exponent of n** | REFUTED |" in (tmp_path / "s.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--axis", "risk"], "another column than --risk, got 'risk'"),
        (["--update"], "--baseline"),
        (["--baseline", "nowhere.json"], "'nowhere.json' does not exist: write it with --update"),
        (["--baseline", "good.csv"], "good.csv"),
        (["--force"], "--force is for --update"),
        (["--level-tolerance", "-5%"], "--level-tolerance must be positive"),
        (["--level-tolerance", "x"], "--level-tolerance must look like"),
        (["--group", "n"], "another column than --axis, got 'n'"),
        (["--error", "risk"], "another column than --risk, got 'risk'"),
        (["--trial", "who"], "has no column 'who'"),
        (["--vanishing", "m"], "vanishing must name axes"),
        (["--predict", "n=0"], "place must give each of"),
        (["--alpha", "nan"], "--alpha must be in (0, 0.5), got nan"),
        (["--claimed", "n=x"], "--claimed must look like"),
        (["--claimed", "d=1"], "--claimed names 'd'"),
        (["--tolerance", "inf"], "--tolerance"),
        (["--plot", "p.poem"], "p.poem"),
    ],
)
def test_options_that_make_no_sense_are_one_sentence(rates, more, says):
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    status, out, err = rates("good.csv", *more)
    assert (status, out) == (2, "")
    assert err.startswith("dpclaims: ")
    assert err.count("\n") == 1
    assert says in err


def test_forms_of_ones_own(dpclaims, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    n = np.geomspace(1e2, 1e6, 9)
    noise = np.exp(0.002 * np.random.default_rng(0).normal(size=9))
    risk = np.log(n) / n * noise
    (tmp_path / "log.csv").write_text(
        "\n".join(["n,risk", *(f"{a},{b}" for a, b in zip(n, risk, strict=True))])
    )
    call = ("rates", "--csv", "log.csv", "--risk", "risk")
    status, out, _ = dpclaims(*call, "--compare", "log(n)/n", "--compare", "n**-0.86")
    assert (status, "better: log(n)/n (weight of the first" in out) == (0, True)
    status, out, _ = dpclaims(*call, "--form", "a*log(n)/n")
    assert (status, "its term is needed" in out, "nothing is left" in out) == (0, True, True)
    status, out, _ = dpclaims(*call, "--form", "a/n")
    assert (status, "a term is missing" in out) == (1, True)
    status, out, _ = dpclaims(*call, "--form", "a/n", "--json", "--junit", "j.xml")
    assert json.loads(out)["groups"][0]["left"]["n"]["answer"] == "left"
    assert ElementTree.parse("j.xml").getroot().find("testcase/failure") is not None
    rows = [f"{a},{b},{m}" for m, law in (("x", risk), ("y", noise / n)) for a, b in zip(n, law, strict=True)]
    (tmp_path / "both.csv").write_text("\n".join(["n,risk,method", *rows]))
    both = ("rates", "--csv", "both.csv", "--risk", "risk", "--form", "a/n", "--group", "method")
    status, out, _ = dpclaims(*both, "--json")
    found = {part["group"]: part["left"]["n"]["answer"] for part in json.loads(out)["groups"]}
    assert (status, found) == (1, {"method=x": "left", "method=y": "none"})
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    for forms in (["--form", "a/n"], ["--compare", "log(n)/n", "--compare", "1/n"]):
        dpclaims(*call, *forms, "--plot", "form.svg")
        assert "<svg" in (tmp_path / "form.svg").read_text()
        (tmp_path / "form.svg").unlink()
    for more, says in (
        (["--form", "a/n", "--predict", "n=1"], "--form and --compare go with"),
        (["--compare", "1/n"], "--compare must be given twice"),
        (["--form", "a/n", "--compare", "1/n"], "give one of them"),
        (["--form", "a/k"], "must name columns"),
    ):
        status, _, err = dpclaims(*call, *more)
        assert (status, says in err) == (2, True)


STATED = {
    "bound": True, "form": True, "rate": True, "√(p·log(1/δ))/(εn)": True, "√p/(nμ*)": True,
    "1/√n + √(k·log(1/δ))/(εn)": True, "1/μ*": False, "height": False, "level": False,
    "places": False,
}  # fmt: skip
"""Whether axes go to 0 that no name or value tells of: printed forms do. The claims say so themselves."""


def test_every_axis_of_the_baselines_has_the_direction_that_is_recognised():
    unrecognised, sides = set(), {}
    for file in sorted((Path(__file__).parents[2] / "reports" / "baseline").glob("*.json")):
        for (claim, axis, point), exponent in read_baseline(file).items():
            if exponent["axis"] is None:  # a level
                continue
            falling = falls(axis, np.ones(0))
            if falling is None:
                unrecognised.add(axis)
                falling = STATED[axis]
            if exponent["worse"] != "either":
                # A claim has one side: a higher exponent breaks an upper bound where the axis grows.
                sides.setdefault((claim, point), {})[axis] = (exponent["worse"] == "higher") != falling
    assert unrecognised == STATED.keys()
    assert sides
    assert {where: axes for where, axes in sides.items() if len(set(axes.values())) > 1} == {}
