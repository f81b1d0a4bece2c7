"""The notebooks that compute what the reader asks: parameters as papermill gives them, and what is found.

That papermill executes each of them from a copy, with the wheel alone, is a test of the package.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("papermill", reason="notebooks are executed by papermill")

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("audit_mechanism", {"adjacency": "sideways"}, "adjacency must be one of replace, add, remove"),
        ("audit_mechanism", {"epsilon": -1}, "epsilon must be a number"),
        ("audit_mechanism", {"target": "nowhere.py"}, "no such file: nowhere.py"),
        ("audit_mechanism", {"maxsamples": 10}, "no parameter 'maxsamples', did you mean 'max_samples'?"),
        ("fit_rates", {"csv": "nowhere.csv"}, "csv must be a file, got 'nowhere.csv'"),
        ("fit_rates", {"risk": "rsk"}, "risk must be one of n, m, risk, got 'rsk'; did you mean 'risk'?"),
        ("fit_rates", {"axes": "n,k"}, "axes must be one of n, m, got 'k'"),
        ("fit_rates", {"side": "tigt"}, "side must be one of tight, upper, lower, got 'tigt'"),
        ("fit_rates", {"claimed": "k=1"}, "'k', which is no --axis"),
        (
            "explore_rate",
            {"paper": "song"},
            "paper must be one of song2021, levy2021, ghazi2023, lee2024, asi2024",
        ),
        ("explore_rate", {"loss": "hinge"}, "loss must be one of pinball, absolute, huber, got 'hinge'"),
        ("explore_rate", {"n": 1e5}, "n·epsilon must be ≤ 447"),
        ("explore_rate", {"sweep": "m"}, "sweep must be one of n, d, epsilon, got 'm'"),
        ("explore_rate", {"paper": "levy2021", "n": 100}, "n must be larger for levy2021"),
        ("explore_rate", {"paper": "asi2024", "n": 100}, "n must be larger for asi2024"),
        ("explore_rate", {"paper": "lee2024", "m": 4}, "m must be 1 for lee2024"),
        ("lower_bound", {"attack": "majorty"}, "got 'majorty'; did you mean 'majority'?"),
        ("lower_bound", {"d": 1.5}, "d must be a whole number from 2 to 4,096, got 1.5"),
        ("lower_bound", {"epsilon": 4.0}, "the theorem needs d ≥ 10(e^ε − 1)α"),
        ("lower_bound", {"eps": 1.0}, "no parameter 'eps', did you mean 'epsilon'?"),
    ],
)
def test_a_mistake_in_a_parameter_is_one_sentence(name, parameters, sentence, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError) as caught:
        executed(name, parameters, monkeypatch)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def executed(name, parameters, monkeypatch):
    """The names of a notebook that was executed in this process, with parameters as papermill gives them."""
    notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert cells[0]["metadata"]["tags"] == ["parameters"]
    namespace = {"__name__": "notebook", "display": print}
    defaults = "".join(cells[0]["source"])
    given = "\n".join(["# Parameters", *(f"{key} = {value!r}" for key, value in parameters.items())])
    exec(f"{defaults}\n{given}", namespace)
    namespace["In"] = [defaults, given]
    monkeypatch.setitem(sys.modules, "notebook", type(sys)("notebook"))  # where dataclasses look for names
    exec("\n".join("".join(cell["source"]) for cell in cells[1:]), namespace)
    return namespace


def test_the_audit_of_the_example_refutes_it(monkeypatch):
    """Half the noise that it needs: ε = 2 where 1 is claimed."""
    assert executed("audit_mechanism", {"max_samples": 50_000}, monkeypatch)["result"].refuted


def test_the_exact_sampler_of_lee2024_has_the_risk_that_its_law_has(monkeypatch):
    """At d = 1 and large n the law is Laplace's of scale √log(1/δ)/(nε), the stated value: its mean is that.

    The regulariser moves it by 0.1 % on average over the sweep. 10⁴ draws err by 1 %; 6 %
    has probability below 1e-8.
    """
    table = executed("explore_rate", {"paper": "lee2024", "d": 1, "trials": 2000}, monkeypatch)["found"]
    assert table["share of the stated"].mean() == pytest.approx(1.0, abs=0.06)


def test_dp_sgd_of_asi2024_is_not_better_than_its_answers_allow(monkeypatch):
    """Assouad's bound for what T answers of noise σ tell, 0.17·√d·σ/√T, and a risk that is no worse than
    twice that; six standard errors apart, probability below 1e-8."""
    from claims.asi2024._hard_losses import two_point_bound
    from implementations.asi2024.dp_sgd import mean_plan, printed_parameters
    from implementations.privacy import PrivacyBudget

    found = executed("explore_rate", {"paper": "asi2024", "d": 4, "trials": 400}, monkeypatch)
    for n, row in found["found"].iterrows():
        setting = printed_parameters(n, 10_000, 4, PrivacyBudget(1.0, 1e-5), 1.0, 1.0, steps=256)
        bound = two_point_bound(4, 256, mean_plan(n, 10_000, 4, 1.0, 1e-5, setting).noise)
        away = 6.0 * row["standard error"]
        assert bound - away <= row["excess risk"] <= 2.0 * bound + away


@pytest.mark.parametrize("name", ["audit_mechanism", "fit_rates", "explore_rate", "lower_bound"])
def test_papermill_reads_every_parameter(name):
    # Where a comment looks like an assignment it cannot, and calls the parameter unknown.
    from papermill import inspect_notebook

    notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    (first,) = [c for c in notebook["cells"] if "parameters" in c["metadata"].get("tags", [])]
    assigned = [line.split(":")[0] for line in first["source"]]
    assert list(inspect_notebook(str(NOTEBOOKS / f"{name}.ipynb"))) == assigned
