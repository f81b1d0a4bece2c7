"""Planted bugs: they are where they were imported to, they go again, and the score says who noticed."""

from __future__ import annotations

import importlib
import os
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection

import pytest

from audits.evidence import Verdict, combine
from audits.judge import at_most
from claims.harness.conformance import smoke
from claims.harness.discover import discover, load
from claims.harness.mutation import bugs as bugs_module
from claims.harness.mutation import notice
from claims.harness.mutation.bugs import Bug, mechanical_bugs
from claims.harness.mutation.forked import each_forked
from claims.harness.mutation.mechanical import as_mutant, modules, sites
from claims.harness.mutation.named import named
from claims.harness.mutation.notice import first_noticed
from claims.harness.mutation.plant import Mutant, bug_of, planted, planted_everywhere, reference_of
from claims.harness.mutation.reach import Reach, reaches
from claims.harness.mutation.score import LOST, noticed, score, seen_of, summary
from implementations import hadamard, privacy
from implementations.interfaces import Adjacency
from implementations.levy2021 import winsorized_mean_highd
from implementations.privacy import amplified_epsilon
from tests.harness.synthetic import claim

TARGET = "implementations.privacy:amplified_epsilon"


def _mutant(**more) -> Mutant:
    return Mutant(**({"name": "x", "bug": "y", "replaces": TARGET, "caught_by": ()} | more))


def test_every_named_bug_can_be_planted_and_names_claims_that_exist():
    ids = {c.id for c in load()}
    for mutant in named():
        assert bug_of(mutant) is not reference_of(mutant.replaces)
        assert mutant.caught_by, mutant.name
        assert set(mutant.caught_by) <= ids, mutant.name


def test_a_bug_is_where_the_reference_was_imported_to_and_goes_again():
    (mutant,) = named(["levy2021-unnormalised-rotation"])
    reference = hadamard.hadamard_transform
    assert winsorized_mean_highd.hadamard_transform is reference
    with planted(mutant):
        assert hadamard.hadamard_transform is not reference
        assert winsorized_mean_highd.hadamard_transform is hadamard.hadamard_transform
    assert winsorized_mean_highd.hadamard_transform is reference


def test_text_is_swapped_at_a_call_site():
    value = amplified_epsilon(1.0, 0.5)
    with planted(_mutant(swap=("math.expm1(", "2.0 * math.expm1("))):
        module = importlib.import_module("implementations.privacy")
        assert module.amplified_epsilon(1.0, 0.5) > value
    assert amplified_epsilon(1.0, 0.5) == value
    for old in ("not in it", "epsilon"):
        with pytest.raises(ValueError, match="must occur once"), planted(_mutant(swap=(old, "x"))):
            pass
    with pytest.raises(ValueError, match="names no function"):
        reference_of("implementations.privacy:nothing")


@pytest.mark.slow
def test_mechanical_bugs_compile_and_change_the_program():
    found = sites("implementations.privacy")
    assert len({s.key for s in found}) > 0.95 * len(found)
    operators = {s.operator for module in modules() if ".song2021." in module for s in sites(module)}
    assert {
        "constant doubled", "constant halved", "sign", "product for quotient", "root or log dropped",
        "min for max", "index off by one", "arguments exchanged", "line left out", "comparison",
    } <= operators  # fmt: skip
    for site in found:
        assert as_mutant(site).by is not None
        assert site.line
        assert not site.line.startswith(("raise", "checks."))
    changed = 0
    mine = [s for s in sites("implementations.song2021.dp_gd") if s.function.endswith(":noise_scale")]
    value = _noise_scales()
    for site in mine:
        with planted(as_mutant(site)):
            try:
                changed += _noise_scales() != value
            except (ArithmeticError, ValueError, TypeError):
                changed += 1
    assert changed >= 0.9 * len(mine) > 9


def _noise_scales() -> list[float]:
    module = importlib.import_module("implementations.song2021.dp_gd")
    sizes = {"epsilon": 0.7, "delta": 1e-4, "n": 50, "steps": 7, "lipschitz": 3.0}
    kinds = [
        (noise, adjacency) for noise in ("printed", "corrected", "calibrated") for adjacency in Adjacency
    ]
    return [
        module.noise_scale(**sizes, noise=noise, adjacency=adjacency)
        for noise, adjacency in kinds
        if adjacency is not Adjacency.REPLACE_ITEM
    ]


def _bug(name: str, check) -> Bug:
    return Bug(
        name=name,
        text="text",
        make=lambda: _mutant(swap=("math.expm1(", "0.5 * math.expm1(")),
        claims=(claim(check=check, trials=0, points=[{"n": 1}]),),
        paper="demo",
        algorithm="privacy",
        operator="named",
    )


@pytest.mark.slow
def test_the_score_tells_caught_from_missed_for_any_number_of_processes():
    from audits.judge import at_least, equals

    def sees(point):
        module = importlib.import_module("implementations.privacy")
        yield at_least("amplified ε", module.amplified_epsilon(1.0, 0.5), 0.6)

    def blind(point):
        yield equals("fact", 1, 1)

    def crashes(point):
        raise RuntimeError("no")

    def hangs(point):
        import os

        os._exit(3)

    bugs = [_bug("a", sees), _bug("b", blind), _bug("c", crashes), _bug("d", hangs)]
    for jobs in (1, 2):
        rows = score(bugs, jobs=jobs)
        assert [row["name"] for row in rows] == ["a", "b", "c", "d"]
        assert [row["caught"] for row in rows] == [True, False, True, True]
    assert summary(rows)["paper"] == {"demo": [3, 4]}
    with pytest.raises(ValueError, match="cannot be planted"):
        score([replace(bugs[0], make=lambda: _mutant(swap=("nowhere", "")))])


def test_what_counts_as_noticed():
    assert noticed(Verdict.REFUTED, Verdict.CONFIRMED)
    assert noticed("crashed", Verdict.REFUTED)
    assert not noticed(Verdict.INCONCLUSIVE, Verdict.CONFIRMED)
    assert not noticed(Verdict.CONFIRMED, Verdict.CONFIRMED)


def test_the_reach_of_a_claim_is_what_it_executes():
    (claim_,) = [c for c in load() if c.id == "asi2024/lemma-2.7"]
    first = reaches([claim_], "smoke")["asi2024/lemma-2.7"]
    assert "implementations.asi2024.norm_subgaussian:heaviest_tail" in first.functions
    assert all(name.startswith("implementations.") for name in first.functions)
    assert "implementations.privacy:amplified_epsilon" not in first.functions
    assert first.seconds > 0.0


def test_only_claims_that_execute_a_function_are_asked_about_its_bugs_cheap_ones_first(monkeypatch):
    here = "implementations.asi2024.concentration:concentration_score"
    asked: list[str] = []

    def measured(claims, tier, **_):
        asked.append(tier)
        ids = sorted((c.id for c in claims), reverse=True)
        # The last claim of the alphabet is the cheapest.
        return {name: Reach(frozenset({here}), 20.0 + rank / 100) for rank, name in enumerate(ids)}

    monkeypatch.setattr(bugs_module, "reaches", measured)
    found = discover()
    bugs = mechanical_bugs(["asi2024"], found, sample=None, seed=0)
    mine = {b.name: [c.id for c in b.claims] for b in bugs}
    mine = {name: ids for name, ids in mine.items() if f"implementations.{name.partition('#')[0]}" == here}
    assert mine
    for ids in mine.values():
        assert len(ids) > 1
        assert ids == sorted(ids, reverse=True)
    assert not any(b.claims for b in bugs if b.name not in mine)
    assert {b.paper for b in bugs} == {"asi2024"}
    assert asked == ["smoke", "ci"]
    assert all(b.paper == "shared" for b in mechanical_bugs(["shared"], found, sample=3, seed=1))
    with pytest.raises(ValueError, match="no paper"):
        mechanical_bugs(["nobody"], found, sample=None, seed=0)


def test_work_in_processes_of_its_own_comes_back_also_from_those_that_die():
    def work(task: int, connection: Connection) -> None:
        connection.send(task)
        if task == 2:
            os._exit(1)
        connection.send("done")

    assert dict(each_forked([1, 2, 3], work, jobs=2)) == {0: [1, "done"], 1: [2], 2: [3, "done"]}
    assert list(each_forked([], work, jobs=1)) == []
    with pytest.raises(ValueError, match="jobs must be ≥ 1, got 0"):
        list(each_forked([1], work, jobs=0))


@pytest.mark.slow
def test_work_that_takes_more_processor_time_than_it_is_allowed_is_ended():
    pytest.importorskip("resource")

    def work(task: int, connection: Connection) -> None:
        connection.send(task)
        while True:
            pass

    assert dict(each_forked([1], work, jobs=1, processor_seconds=1)) == {0: [1]}


def test_a_bug_planted_everywhere_reaches_whoever_holds_the_function():
    held = privacy.amplified_epsilon
    before = held(1.0, 0.5)
    seen: list[float] = []
    for site in sites("implementations.privacy", {TARGET}):
        with planted_everywhere(as_mutant(site)), suppress(ArithmeticError, ValueError, TypeError):
            seen.append(held(1.0, 0.5))
        assert held(1.0, 0.5) == before
    assert any(value != before for value in seen)


@pytest.mark.slow
def test_a_claim_that_can_fail_loses_its_verdict_to_some_bug_and_a_blind_one_does_not(monkeypatch):
    (claim_,) = [c for c in load() if c.id == "asi2024/lemma-2.7"]
    site = first_noticed(claim_)
    assert site is not None
    assert site.module.split(".")[1] == "asi2024"
    # A bug that the claim crashes on does not count, nor does one that changes nothing.
    monkeypatch.setattr(notice, "seen_of", lambda claim, result: "")
    assert first_noticed(claim_) is None
    monkeypatch.setattr(notice, "seen_of", lambda claim, result: claim.expected)
    assert first_noticed(claim_) is None


def test_an_exact_counterexample_that_a_bug_takes_away_is_noticed_and_a_sampled_one_is_not():
    (claim_,) = [c for c in load() if c.id == "asi2024/lemma-3.3"]
    kept = at_most("found", 2.0, 1.0, decides=False)
    gone = at_most("found", 0.5, 1.0, decides=False)
    drawn = replace(gone, samples=100)
    seen = []
    for evidence in (kept, gone, drawn):
        result = smoke(claim_)
        verdict = combine([evidence])
        seen.append(seen_of(claim_, replace(result, evidence=[evidence], verdict=verdict)))
    assert seen == [Verdict.REFUTED, LOST, Verdict.INCONCLUSIVE]
    assert noticed(LOST, Verdict.REFUTED)


def test_a_claim_that_its_premises_lower_is_not_noticed_to_be_confirmed_by_itself():
    (claim_,) = [c for c in load() if c.id == "lee2024/theorem-3.1:corrected"]
    result = smoke(claim_)
    assert result.verdict is Verdict.CONFIRMED
    assert not noticed(seen_of(claim_, result), claim_.expected)
