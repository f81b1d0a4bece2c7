"""Claims, points and budgets: what is refused, and what evidence the runner accepts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from audits.evidence import Evidence, Verdict
from audits.judge import equals, reported
from claims.harness.claim import Budget, Paper, Point, Tier, grid
from claims.harness.run.runner import Settings, run_claims
from implementations.interfaces import Adjacency
from tests.harness.synthetic import claim


def _point(**axes) -> Point:
    return Point(axes=axes, rng=np.random.default_rng(0), alpha=1e-6)


def test_axes_keep_the_type_they_were_given():
    point = _point(n=10, epsilon=0.5, loss="hinge")
    assert (point.n, point.epsilon, point.loss) == (10, 0.5, "hinge")
    assert isinstance(point.n, int)
    assert dict(point) == {"n": 10, "epsilon": 0.5, "loss": "hinge"}
    with pytest.raises(AttributeError, match=r"no axis 'm'; it has \['epsilon', 'loss', 'n'\]"):
        _ = point.m


def test_a_program_stays_one_and_every_other_role_is_told_by_the_name():
    program = claim("algorithm-1", role="program")
    assert (program.role, program.reading("fast").role) == ("program", "program")
    assert [claim(n).role for n in ("lemma-1", "lemma-1:private", "lemma-1:corrected", "lemma-1-proof")] == [
        "printed", "reading", "corrected", "proof",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="role must be 'program' or left out, got 'prog'"):
        claim("lemma-1", role="prog")


def test_a_reading_with_points_of_its_own_runs_them_at_the_full_tier_too():
    printed = claim(full=Tier(grid(n=(2, 3))))
    assert printed.reading("corrected").full == Tier(grid(n=(2, 3)))
    assert printed.reading("corrected", ci=grid(m=5)).full == Tier(grid(m=5))
    assert printed.reading("corrected", ci=grid(m=5), full=grid(m=6)).full == Tier(grid(m=6))


def test_a_budget_hands_out_what_it_has_and_refuses_the_rest_on_the_spot():
    budget = Budget(1e-3)
    assert budget.share(0.5) == pytest.approx(5e-4)
    assert sum(budget.split(5)) == pytest.approx(5e-4)
    with pytest.raises(ValueError, match="nothing is left"):
        budget.split(2)
    with pytest.raises(ValueError, match="left is 0"):
        budget.share(0.1)
    spent = Budget(1e-3)
    spent.share(0.8)
    with pytest.raises(ValueError, match=r"left is 0\.2"):
        spent.share(0.3)
    for bad in (0.0, -0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match="fraction"):
            Budget(1e-3).share(bad)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": "Theorem 1"}, "name must look like"),
        ({"variant": "Corrected!"}, "name must look like"),
        ({"measure": None}, "either check, or measure and judge"),
        ({"judge": None}, "either check, or measure and judge"),
        ({"check": lambda point: ()}, "either check, or measure and judge"),
        ({"smoke": []}, "smoke: points must not be empty"),
        ({"ci": [{"rng": 1}]}, "taken by the runner"),
        ({"ci": [{"n": float("nan")}]}, "ci: axis n must be finite"),
    ],
)
def test_a_malformed_claim_is_named(changes, says):
    with pytest.raises(ValueError, match=says) as caught:
        replace(claim(), **changes)
    assert str(caught.value).startswith("demo/")


def test_a_paper_needs_a_key_a_reference_and_an_adjacency():
    with pytest.raises(ValueError, match="key must be a lower-case name"):
        Paper("Doe 2020", reference="x", adjacency=Adjacency.REPLACE)
    with pytest.raises(ValueError, match="reference"):
        Paper("doe2020", reference=" ", adjacency=Adjacency.REPLACE)
    with pytest.raises(TypeError):
        Paper("doe2020", reference="x")  # type: ignore[call-arg]


def test_grids_are_products_and_single_values_are_axes_of_one():
    assert grid(n=(1, 2), loss="hinge") == [{"n": 1, "loss": "hinge"}, {"n": 2, "loss": "hinge"}]
    assert Tier(grid()).points == [{}]


def _run(tmp_path, check, **more):
    made = claim(check=check, trials=0, points=[{"n": 1}, {"n": 2}], **more)
    return run_claims([made], Settings(tier="smoke"), out=tmp_path / "run")["demo/theorem-1"]


def test_evidence_without_a_point_is_about_the_point_that_was_checked(tmp_path):
    result = _run(tmp_path, lambda point: [equals("fact", point.n, point.n)])
    assert sorted(e.point["n"] for e in result.evidence) == [1, 2]


def _sampled(alpha: float, resolution: float = 0.1) -> Evidence:
    return Evidence(
        quantity="mean", estimate=0.0, low=-1.0, high=1.0, confidence=0.9, method="t", samples=9,
        claimed=1.0, verdict=Verdict.CONSISTENT, resolution=resolution, alpha_spent=alpha,
    )  # fmt: skip


def test_each_point_may_spend_its_part_of_the_share(tmp_path):
    result = _run(tmp_path, lambda point: [_sampled(point.alpha)], expected=Verdict.CONSISTENT)
    assert result.ok
    assert result.alpha_spent == pytest.approx(Settings().share)
    for k, check in enumerate(
        (
            lambda point: [_sampled(1.5 * point.alpha)],
            lambda point: [_sampled(point.alpha), _sampled(point.alpha)],
        )
    ):
        assert "point.split(k)" in str(_run(tmp_path / str(k), check).error)


def test_a_check_that_yields_nothing_is_an_error_that_names_the_point(tmp_path):
    assert "yielded no evidence at {'n': 1}" in str(_run(tmp_path, lambda point: []).error)


def test_a_pass_that_is_too_coarse_is_inconclusive(tmp_path):
    result = _run(
        tmp_path,
        lambda point: [_sampled(point.alpha, 0.3)],
        expected=Verdict.CONSISTENT,
        largest_resolution=0.2,
    )
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "0.3 is worse than the 0.2" in result.evidence[0].note


def test_the_deciding_piece_comes_first(tmp_path):
    def check(point):
        yield reported("context", 7.0)
        yield equals("holds", 1.0, 1.0)
        yield equals("falls", 1.0 + point.n, 1.0)

    evidence = _run(tmp_path, check, expected=Verdict.REFUTED).evidence
    assert [e.quantity for e in evidence[:2]] == ["falls", "falls"]
    assert evidence[0].point["n"] == 2  # furthest beyond its bound
    assert evidence[-1].verdict is None


def test_the_share_of_a_claim_does_not_depend_on_how_many_there_are(tmp_path):
    one = _run(tmp_path / "a", lambda point: [_sampled(point.alpha)])
    made = [claim(f"theorem-{k}", check=lambda p: [_sampled(p.alpha)], points=[{"n": 1}]) for k in range(3)]
    three = run_claims(made, Settings(tier="smoke"), out=tmp_path / "b")
    assert {r.alpha_spent for r in three.claims} == {one.alpha_spent}
