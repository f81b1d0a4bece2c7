"""The map of a paper, from what its proofs use: against a brute search for paths."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.harness.conformance import uses
from claims.harness.discover import load
from claims.harness.map import Support, behind, dot, layout, legend, map_of, tree, used_by_results, what_if
from claims.harness.places import OWN
from claims.harness.report.maps import drawn, mind
from tests.harness.synthetic import claim
from tests.harness.test_finding import NOTHING, falls

GRAPHS = st.dictionaries(st.integers(0, 6), st.sets(st.integers(0, 6), max_size=3), max_size=7)


def claims_of(graph: dict[int, set[int]]) -> list:
    names = sorted({*graph, *(each for used in graph.values() for each in used)})
    return [claim(f"lemma-{k}", uses=[f"lemma-{u}" for u in sorted(graph.get(k, ()))]) for k in names]


@given(GRAPHS)
def test_a_result_rests_on_what_a_path_of_uses_leads_to(graph) -> None:
    used = used_by_results(claims_of(graph))
    reach = {k: set(v) for k, v in graph.items()}
    for _ in range(7):
        reach = {k: v.union(*(reach.get(u, set()) for u in v)) for k, v in reach.items()}
    for k in graph:
        assert {int(r.rpartition("-")[2]) for r in behind(f"demo/lemma-{k}", used)} == reach[k]


def test_uses_are_read_as_labels_names_ids_and_notes_and_stay_with_their_reading() -> None:
    printed = claim("theorem-1", uses={"Lemma 2": "in the text", "lemma-3:corrected": "", "demo/lemma-4": ""})
    assert dict(printed.uses) == {
        "demo/lemma-2": "in the text",
        "demo/lemma-3:corrected": "",
        "demo/lemma-4": "",
    }
    assert printed.reading("private").uses == {}
    step = claim("theorem-1-proof", uses=["lemma-5"])
    others = [claim(f"lemma-{name}") for name in ("2", "3", "3:corrected", "4", "5")]
    used = used_by_results([printed, step, *others])
    assert used["demo/theorem-1"] == {
        "demo/lemma-2": "in the text", "demo/lemma-3": "", "demo/lemma-4": "", "demo/lemma-5": "",
    }  # fmt: skip


def test_unknown_and_circular_uses_are_named() -> None:
    one, two, three = claims_of({1: {2}, 2: {1}, 3: {1}})
    context = replace(NOTHING, catalogue=[one, two, three])
    assert uses(one, context) == "its proof uses itself, by the uses of the results that it names"
    assert uses(three, context) is None
    stranger = claim("lemma-4", uses=["lemma-9"])
    assert (
        uses(stranger, replace(context, catalogue=[stranger])) == "uses names demo/lemma-9, which is no claim"
    )


PLAIN = """graph 1 2 3
node "demo/theorem-1" 1 2.5 1.5 .5 "x" solid box black white
node "demo/lemma-1" 1 1.5 1.5 .5 "x" solid box black white
node "demo/lemma-2" 1 .5 1.5 .5 "x" solid box black white
edge "demo/theorem-1" "demo/lemma-1" 4 1 2.25 1 2 1 2 1 1.75 solid black
edge "demo/lemma-1" "demo/lemma-2" 4 1 1.25 1 1 1 1 1 .75 solid black
stop
"""


def test_a_map_says_what_falls_below_a_theorem_that_holds_and_what_falls_with_it(tmp_path) -> None:
    theorem = claim("theorem-1", uses={"lemma-1": "in the text"})
    entries = [theorem, claim("lemma-1", uses=["lemma-2"]), falls("lemma-2"), claim("lemma-3")]
    entries = [replace(e, result=e.name.replace("-", " ").title()) for e in entries]
    found = map_of("demo", entries)
    assert {r: n.support for r, n in found.nodes.items()} == {
        "demo/theorem-1": Support.FALLS, "demo/lemma-1": Support.FALLS,
        "demo/lemma-2": Support.SOUND, "demo/lemma-3": Support.SOUND,
    }  # fmt: skip
    assert legend(found)[1] == (
        "The statements of Theorem 1 and Lemma 1 hold; but each proof uses a result that falls."
    )
    assert [line.strip().split("  ")[0] for line in tree(found)] == [
        "✓ Theorem 1", "└─ ✓ Lemma 1 (in the text)", "└─ ✗ Lemma 2", "On its own: Lemma 3.",
    ]  # fmt: skip
    lost = list(what_if(found, "demo/lemma-2"))
    assert [line.split("  A ")[0].strip() for line in lost] == [
        "Without Lemma 2 (demo) 2 results have no proof:",
        "Theorem 1, which uses Lemma 1",
        "Lemma 1, which uses Lemma 2",
    ]
    assert list(what_if(found, "demo/theorem-1")) == [
        "Without Theorem 1 (demo) every other result keeps its proof."
    ]
    assert '"demo/theorem-1" -> "demo/lemma-1" [style=dashed];' in dot(found)
    kept = tmp_path / "map.plain"
    kept.write_text(PLAIN)
    places = layout(found, kept)
    assert places is not None
    shown = drawn(found, places, found.near("demo/lemma-1"), "demo/lemma-1")
    assert [(b["node"].id, b["here"], b["support"]) for b in shown.boxes][1:] == [
        ("demo/lemma-1", True, "shaky"), ("demo/lemma-2", False, "sound"),
    ]  # fmt: skip
    assert shown.edges[0]["dashed"]
    theorem = found.nodes["demo/theorem-1"]
    assert mind(theorem) == "The statement holds, but its proof uses a result that falls"
    assert layout(found, tmp_path / "none") is None
    other = map_of("demo", [*entries, claim("theorem-2", uses=["lemma-3"])])
    assert layout(other, kept) is None, "a layout of another map"


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(OWN.glob("*/map.plain")), ids=lambda f: f.parent.name)
def test_a_layout_that_is_shipped_is_of_todays_uses(file) -> None:
    found = map_of(file.parent.name, load(file.parent.name))
    told = f"dpclaims show {file.parent.name} --dot | dot -Tplain > {file.relative_to(OWN.parent)}"
    assert layout(found, file) is not None, told
