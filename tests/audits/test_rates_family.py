"""Designs, supremum and judgement of a rate over a family of losses."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from audits.evidence import Side, Verdict
from audits.rates import family, fit_rate

LEVELS = {"n": (1, 2, 3), "m": (4, 5, 6), "d": (7, 8, 9), "epsilon": (0.1, 0.2, 0.3)}


def test_a_fraction_has_every_pair_of_levels_three_times():
    cells = pd.DataFrame(family.fraction(**LEVELS))
    assert len(cells.drop_duplicates()) == 27
    for a, b in itertools.combinations(LEVELS, 2):
        assert (cells.groupby([a, b]).size() == 3).all()
        assert len(cells[[a, b]].drop_duplicates()) == 9


# --- The supremum --------------------------------------------------------------------------------------


def table_of(risks):
    """Rows of one grid point from an array (members, trials)."""
    return pd.concat(
        pd.DataFrame({"n": 1, "loss": str(k), "trial": np.arange(len(r)), "risk": r})
        for k, r in enumerate(risks)
    )


def test_the_worst_member_is_chosen_on_other_trials_than_it_is_measured_on():
    chosen_on = np.arange(400) % 4 == 0
    table = family.worst_member(
        table_of([np.where(chosen_on, 9.0, 1.0), np.full(400, 2.0)]), ["n"], "loss", "risk"
    )
    assert (table["loss"].item(), table["risk"].item(), table["trials"].item()) == ("0", 1.0, 300)


def test_the_supremum_without_choosing_keeps_all_rows_of_the_largest_mean():
    rows = pd.DataFrame(
        {"n": [1, 1, 1, 1, 2, 2], "loss": list("aabbab"), "risk": [1.0, 3.0, 1.5, 1.5, 0.0, 0.1]}
    )
    found = family.supremum(rows, ["n"], "loss", "risk")
    assert found[["n", "loss"]].to_numpy().tolist() == [[1, "a"], [1, "a"], [2, "b"]]
    # chosen on the first and third row, where b is the larger at n = 1: the other row of b comes back
    choosing = pd.Series([True, False, True, False, True, True])
    assert family.supremum(rows, ["n"], "loss", "risk", choosing)["risk"].tolist() == [1.5]


# --- Judgement -----------------------------------------------------------------------------------------

SIZES = np.geomspace(10.0, 1e4, 12)


def test_exponents_are_those_of_the_fit_under_their_own_name_and_place():
    rows = pd.DataFrame({"n": SIZES, "risk": 3.0 / SIZES})
    found, level = family.exponents(
        rows, "risk", {"n": -1.0}, 0.1, side=Side.UPPER, alpha=0.01, named="{}, here", point={"part": "x"}
    )
    assert (level.quantity, level.verdict) == ("log risk at n=316.2, here", None)
    assert level.estimate == pytest.approx(math.log(3.0) - 2.5 * math.log(10.0))
    (plain,) = fit_rate(rows, "risk", ["n"], {"n": -1.0}, 0.1, side=Side.UPPER, alpha=0.01).evidence()
    assert (found.quantity, found.point) == ("exponent of n, here", {"part": "x"})
    assert (found.estimate, found.verdict, found.axis) == (plain.estimate, Verdict.CONSISTENT, "n")


@pytest.mark.parametrize(
    ("power", "sizes", "words"),
    [
        (1.0, np.geomspace(10.0, 1e6, 14), "the printed form is nearer"),
        (0.0, np.geomspace(10.0, 1e6, 14), "the form without its logarithms is nearer"),
        (1.0, np.geomspace(1e5, 3e5, 5), "a logarithm could not be seen here"),
    ],
)
def test_a_logarithm_is_seen_or_said_not_to_be(power, sizes, words):
    rng = np.random.default_rng(6)
    logs = np.log(sizes)
    risk = logs**power / sizes * np.exp(0.02 * rng.normal(size=sizes.size))
    rows = pd.DataFrame({"n": sizes, "form": logs / sizes, "logs": logs, "risk": risk})
    (found,) = family.logarithms(rows, "risk", "form", "logs")
    assert found.note.endswith(words)
    assert found.verdict is None
