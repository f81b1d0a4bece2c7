"""What two sequences of an output tell together, against a plain program that reads a table row by row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from audits.privacy.learners.together import together
from audits.privacy.outputs.describe import rendered
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.leaves import objects
from tests.audits.test_privacy_readings import found_early

Table = list[dict[str, Any]]
NAMES = "ann", "bob", "cem", "dan"


def staff(rng: np.random.Generator) -> Table:
    """Four people, each with a boss among them, a place on a map and working hours."""
    names = [NAMES[i] for i in rng.permutation(4)]
    return [
        {
            "name": name,
            "boss": names[rng.integers(4)],
            "team": int(rng.integers(3)),
            "x": float(rng.normal()),
            "y": float(rng.normal()),
        }
        for name in names
    ]


def column(table: Table, name: str) -> list[Any]:
    return [row[name] for row in table]


def boss_of(table: Table) -> list[int]:
    return [column(table, "name").index(row["boss"]) for row in table]


def in_the_end(places: list[int]) -> list[int]:
    found = list(range(len(places)))
    for _ in range(2 ** math.ceil(math.log2(len(places) + 1))):
        found = [places[place] for place in found]
    return found


def gaps(table: Table) -> list[float]:
    """Of intervals from x to y, in order of x."""
    ordered = sorted(table, key=lambda row: row["x"])
    return [ordered[j]["x"] - max(row["y"] for row in ordered[:j]) for j in range(1, len(ordered))]


def averages(table: Table) -> list[float]:
    found: list[float] = []
    for team in range(3):
        some = [row["x"] for row in table if row["team"] == team]
        found.append(sum(some) / len(some) if some else math.nan)
    return found


X, Y, TEAM, NAME, BOSS = (f"output[…]['{field}']" for field in ("x", "y", "team", "name", "boss"))
PLAIN: dict[str, Callable[[Table], Sequence[float]]] = {
    f"{X} less {Y}": lambda t: [row["x"] - row["y"] for row in t],
    f"{X} over {Y}": lambda t: [row["x"] / row["y"] for row in t],
    f"the sizes of {X} less the sizes of {Y}": lambda t: [abs(row["x"]) - abs(row["y"]) for row in t],
    f"the distances of neighbours among points {X}, {Y}": lambda t: [
        math.dist((a["x"], a["y"]), (b["x"], b["y"])) for a, b in pairwise(t)
    ],
    f"the distances of points {X}, {Y}": lambda t: [
        math.dist((a["x"], a["y"]), (b["x"], b["y"])) for a, b in combinations(t, 2)
    ],
    f"{X} in the order of {Y}": lambda t: column(sorted(t, key=lambda row: row["y"]), "x"),
    f"the gaps between intervals with the ends {Y} and the beginnings {X}": gaps,
    f"each of {X} subtracted from the one among them at the largest size of {Y}": lambda t: [
        max(t, key=lambda one: abs(one["y"]))["x"] - row["x"] for row in t
    ],
    f"how often each value occurs among {TEAM}": lambda t: [column(t, "team").count(k) for k in range(3)],
    f"the averages of {X} by the value of {TEAM}": averages,
    f"the places among {NAME} of {BOSS}": boss_of,
    f"what is left, followed on and on, of the places among {NAME} of {BOSS}": lambda t: in_the_end(
        boss_of(t)
    ),
    f"{X} at the places among {NAME} of {BOSS}": lambda t: [t[j]["x"] for j in boss_of(t)],
    f"{X} at the places among {NAME} of {BOSS}, less {X}": lambda t: [
        t[j]["x"] - row["x"] for j, row in zip(boss_of(t), t, strict=True)
    ],
}


def test_sequences_that_follow_from_two_are_those_of_a_plain_program() -> None:
    rng = np.random.default_rng(0)
    tables = [staff(rng) for _ in range(60)]
    e = Encoder().encode(objects(tables), "here")
    found = {rendered(source.words): source.sequence(e) for source in together(e)}
    for words, program in PLAIN.items():
        expected = np.array([program(table) for table in tables], dtype=np.float64)
        np.testing.assert_allclose(found[words], expected, rtol=1e-12, atol=1e-12, err_msg=words)


def test_a_single_number_beside_a_sequence_is_compared_with_each_of_its_numbers() -> None:
    outputs = objects([{"limit": 2.5, "values": [1.0, 4.0, float(j)]} for j in range(20)])
    e = Encoder().encode(outputs, "here")
    found = {rendered(source.words): source.sequence(e) for source in together(e)}
    (less,) = (x for words, x in found.items() if words.startswith("output['values'] less"))
    np.testing.assert_array_equal(less, [[-1.5, 1.5, j - 2.5] for j in range(20)])


def test_columns_of_one_sequence_are_not_compared_with_it() -> None:
    e = Encoder().encode(np.random.default_rng(0).normal(size=(40, 6)), "here")
    assert [*together(e)] == []


@pytest.mark.parametrize(
    ("draw", "holds"),
    [
        (staff, lambda t: t[0]["x"] < t[boss_of(t)[0]]["x"]),
        (staff, lambda t: min(gaps(t)) > -1.0),
        (staff, lambda t: max(t, key=lambda row: abs(row["y"])) is max(t, key=lambda row: row["x"])),
        (
            lambda rng: {"limit": float(rng.uniform()), "values": rng.uniform(size=4).tolist()},
            lambda one: sum(value > one["limit"] for value in one["values"]) >= 2,
        ),
    ],
)
def test_what_a_reader_of_a_table_could_say_is_found(draw: Any, holds: Any) -> None:
    assert found_early(draw, holds)
