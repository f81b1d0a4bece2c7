"""The map of a paper, from what its proofs use: against a brute search for paths."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from claims.harness.conformance import uses
from claims.harness.index import entry_of
from claims.harness.map import behind, used_by_results
from tests.harness.synthetic import claim
from tests.harness.test_finding import NOTHING

GRAPHS = st.dictionaries(st.integers(0, 6), st.sets(st.integers(0, 6), max_size=3), max_size=7)


def claims_of(graph: dict[int, set[int]]) -> list:
    names = sorted({*graph, *(each for used in graph.values() for each in used)})
    return [claim(f"lemma-{k}", uses=[f"lemma-{u}" for u in sorted(graph.get(k, ()))]) for k in names]


@given(GRAPHS)
def test_a_result_rests_on_what_a_path_of_uses_leads_to(graph) -> None:
    used = used_by_results([entry_of(c) for c in claims_of(graph)])
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
    used = used_by_results([entry_of(c) for c in (printed, step, *others)])
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
