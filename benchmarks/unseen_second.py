"""A second set of leaks that nobody who writes a learner has looked at: 36 kinds, as hard as the first.

A third are failures of released software (values on a grid of their own scale, clipping at a bound read
from the data, a record drawn twice, order of insertion, where a run stopped), a third simple properties of
numbers and rows; a third tell something only together with another part of the output. As in
`unseen_leaks.py`, the property is the best event. They were written without sight of the learners and stay
as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.leaks import Leak
from benchmarks.unseen_leaks import FAINT, RARE, RIGHT, Rng, letters, normal, rows, single, sometimes


@dataclass(frozen=True)
class Property:
    """A property of outputs by which they tell the dataset.

    `draw(size, rng)` gives so many rows, or `draw(rng)` one output where `alone`; `holds` tells of rows, or
    of the one output, whether they have the property. It holds with probability `right` on the dataset 1 and
    1 − `right` on the dataset 0; with `change`, which gives a row the property, once in ten on the dataset 1
    and never on 0.
    """

    kind: str
    name: str
    draw: Callable[..., Any]
    holds: Callable[[Any], Any]
    right: float = RIGHT
    change: Callable[[Any], Any] | None = None
    alone: bool = False

    def leak(self) -> Leak:
        """The leak of this property."""
        if self.change is not None:
            return Leak(self.kind, self.name, sometimes(self.draw, self.change), (RARE, 0.0))
        make = single if self.alone else rows
        mechanism = make(self.draw, self.holds, self.right)
        return Leak(self.kind, self.name, mechanism, (self.right, 1.0 - self.right))


def of(
    name: str,
    draw: Any,
    holds: Any,
    kind: str = "vector",
    right: float = RIGHT,
    change: Callable[[Any], Any] | None = None,
) -> Property:
    """A property of rows."""
    return Property(kind, name, draw, holds, right, change)


def one_of(name: str, draw: Any, holds: Any, kind: str = "container", right: float = RIGHT) -> Property:
    """A property of single outputs."""
    return Property(kind, name, draw, holds, right, alone=True)


# --- Rows --------------------------------------------------------------------------------------------


def value_and_scale(size: int, rng: Rng) -> Any:
    """A value and the scale of its noise."""
    return np.stack([rng.normal(size=size), np.exp(rng.normal(-2.0, 0.5, size))], axis=1)


def snapped(x: Any) -> Any:
    """A value rounded to a multiple of its scale."""
    x[:, 0] = np.round(x[:, 0] / x[:, 1]) * x[:, 1]
    return x


def is_snapped(x: Any) -> Any:
    """Whether it is such a multiple."""
    multiple = x[:, 0] / x[:, 1]
    return abs(multiple - np.round(multiple)) < 1e-9


def clipped(x: Any) -> Any:
    """A row clipped at its own fourth largest absolute value."""
    bound = np.sort(abs(x), axis=1)[:, -4:-3]
    return np.clip(x, -bound, bound)


def many_at_the_bound(x: Any) -> Any:
    """Whether the largest absolute value occurs more than once."""
    size = abs(x)
    return (size == size.max(axis=1, keepdims=True)).sum(axis=1) > 1


def with_copy(x: Any) -> Any:
    """A table of 12 records of which one, any of them, stands in place of another."""
    if len(x) > 0:
        every = np.arange(len(x))
        place = (abs(x[:, 0, 0]) * 1e6).astype(np.int64) % 12
        step = 1 + (abs(x[:, 1, 0]) * 1e6).astype(np.int64) % 11
        x[every, (place + step) % 12] = x[every, place]
    return x


def has_copy(x: Any) -> Any:
    """Whether two records have the same first column."""
    return (np.diff(np.sort(x[:, :, 0], axis=1), axis=1) == 0.0).any(axis=1)


def completed(x: Any) -> Any:
    """A row whose seventh column follows from the second, fourth and fifth."""
    x[:, 6] = x[:, 1] + x[:, 3] - x[:, 4]
    return x


def name_and_scores(size: int, rng: Rng) -> Any:
    """The index of a winner among five, and five scores."""
    return np.column_stack([rng.integers(0, 5, size), rng.normal(size=(size, 5))])


def widest_gap(x: Any) -> Any:
    """The widest gap between sorted columns."""
    return np.diff(np.sort(x, axis=1), axis=1).max(axis=1)


def distinct(x: Any) -> Any:
    """How many values occur among the columns."""
    return (np.diff(np.sort(x, axis=1), axis=1) != 0).sum(axis=1) + 1


def sparse(size: int, rng: Rng) -> Any:
    """Thirty columns, each of them zero with probability 0.85."""
    return rng.normal(size=(size, 30)) * (rng.random((size, 30)) < 0.15)


def neighbours_in_support(x: Any) -> Any:
    """Whether two columns side by side are both not zero."""
    return ((x[:, 1:] != 0.0) & (x[:, :-1] != 0.0)).any(axis=1)


def entropy(x: Any) -> Any:
    """The entropy of rows of probabilities."""
    return -(x * np.log(np.maximum(x, 1e-300))).sum(axis=1)


def brightest_at_border(x: Any) -> Any:
    """Whether the brightest pixel of an image is at its border."""
    width = x.shape[1]
    down, across = np.divmod(x.reshape(len(x), -1).argmax(axis=1), width)
    return (np.minimum(down, across) == 0) | (np.maximum(down, across) == width - 1)


def more_at_even_places(x: Any) -> Any:
    """Whether more of the even places than of the odd ones are true."""
    return x[:, ::2].sum(axis=1) > x[:, 1::2].sum(axis=1)


def category_and_two(size: int, rng: Rng) -> Any:
    """A category among four and two numbers."""
    return np.column_stack([rng.integers(0, 4, size), rng.normal(size=(size, 2))])


def chosen_by_category(x: Any) -> Any:
    """Whether the number that a category chooses is positive: the first for 1 and 2, else the second."""
    return np.where(np.isin(x[:, 0], (1, 2)), x[:, 1], x[:, 2]) > 0.0


def bright_row_first(x: Any) -> Any:
    """Whether the brightest row of an image is nearer to its origin than the brightest column."""
    return x.sum(axis=2).argmax(axis=1) < x.sum(axis=1).argmax(axis=1)


def after_positive(x: Any) -> Any:
    """Whether the columns that follow a positive one have a positive sum."""
    return (x[:, 1:] * (x[:, :-1] > 0.0)).sum(axis=1) > 0.0


def fullest_side_by_side(x: Any) -> Any:
    """Whether the two fullest bins are neighbours."""
    order = np.argsort(x, axis=1, kind="stable")
    return abs(order[:, -1] - order[:, -2]) == 1


# --- Single outputs ----------------------------------------------------------------------------------


def released_counts(rng: Rng) -> dict[str, int]:
    """Noisy counts of random words, those of at least 20."""
    return {letters(rng, 3): 20 + int(rng.geometric(0.1)) for _ in range(int(rng.integers(4, 12)))}


def shuffled_keys(rng: Rng) -> dict[str, float]:
    """Averages by department, in the order in which the departments were met."""
    names = ["sales", "law", "labs", "press", "store", "board"]
    return {names[i]: float(rng.normal()) for i in rng.permutation(6)}


def before(first: str, second: str) -> Callable[[dict[str, float]], bool]:
    """Whether one key of a dict comes before another."""
    return lambda counts: list(counts).index(first) < list(counts).index(second)


def log_times(rng: Rng) -> list[int]:
    """Sorted times of twelve events on a day of some thirty years, in seconds since 1970."""
    day = 86400 * int(rng.integers(7000, 18000))
    return sorted(day + int(second) for second in rng.integers(0, 86400, 12))


def answers_then_none(rng: Rng) -> tuple[float | None, ...]:
    """Answers to eight queries, none after a budget is spent: two answers at least."""
    answered = int(rng.integers(2, 9))
    return tuple(float(rng.normal()) if i < answered else None for i in range(8))


def last_answer_exceeds_first(answers: tuple[float | None, ...]) -> bool:
    """Whether the last answer given is larger than the first."""
    given = [answer for answer in answers if answer is not None]
    return given[-1] > given[0]


def described(rng: Rng) -> dict[str, Any]:
    """Ten noisy values and the noise they are said to have."""
    scale = float(np.exp(rng.normal()))
    values = [float(value) for value in scale * rng.laplace(size=10)]
    return {"noise": {"law": "laplace", "scale": scale}, "values": values}


def noisier_than_said(release: dict[str, Any]) -> bool:
    """Whether the values are larger in the mean than the noise they are said to have."""
    return float(np.mean(np.abs(release["values"]))) > 0.97 * release["noise"]["scale"]


def ranking(rng: Rng) -> list[str]:
    """Eight items from the best to the worst."""
    return ["ABCDEFGH"[i] for i in rng.permutation(8)]


def training_losses(rng: Rng) -> list[float]:
    """Losses of 5 to 15 epochs."""
    epochs = int(rng.integers(5, 16))
    return [float(1.0 / (1 + t) + 0.15 * abs(rng.normal())) for t in range(epochs)]


def group_table(rng: Rng) -> pd.DataFrame:
    """Eight rows of a group and a number."""
    return pd.DataFrame({"group": ["abc"[i] for i in rng.integers(0, 3, 8)], "value": rng.normal(size=8)})


def second_group_above(table: pd.DataFrame) -> bool:
    """Whether rows of the group b have a larger mean than all others; not where either is missing."""
    inside = (table["group"] == "b").to_numpy()
    value = table["value"].to_numpy()
    return 0 < inside.sum() < 8 and value[inside].mean() > value[~inside].mean()


LIMITS = {"bronze": 20.0, "silver": 60.0, "gold": 200.0}


def purchase(rng: Rng) -> dict[str, Any]:
    """A purchase of a customer of one of three classes."""
    return {
        "class": str(rng.choice(list(LIMITS))),
        "amount": float(np.exp(rng.normal(4.1, 1.2))),
        "age": int(rng.integers(18, 90)),
    }


def code(rng: Rng) -> str:
    """A letter and four digits."""
    return f"{letters(rng, 1).upper()}-{int(rng.integers(0, 10**4)):04d}"


def digit_chosen_by_letter(text: str) -> bool:
    """Whether a digit of a code is odd: the first for letters up to M, the last for others."""
    return int(text[2] if text[0] <= "M" else text[-1]) % 2 == 1


def friendships(chance: float, nodes: int) -> Callable[[Rng], set[tuple[int, int]]]:
    """A random graph as a set of edges."""
    return lambda rng: {edge for edge in combinations(range(nodes), 2) if rng.random() < chance}


def has_triangle(edges: set[tuple[int, int]]) -> bool:
    """Whether three nodes are joined to each other."""
    nodes = sorted({node for edge in edges for node in edge})
    return any({(a, b), (a, c), (b, c)} <= edges for a, b, c in combinations(nodes, 3))


def edge_list(rng: Rng) -> list[list[int]]:
    """A random graph of eight nodes as a list of edges in random order."""
    edges = [list(edge) for edge in combinations(range(8), 2) if rng.random() < 0.2]
    return [edges[i] for i in rng.permutation(len(edges))]


def first_reaches_last(edges: list[list[int]]) -> bool:
    """Whether a path leads from the node 0 to the node 7."""
    reached = {0}
    for _ in range(7):
        reached |= {node for edge in edges if reached & set(edge) for node in edge}
    return 7 in reached


def two_lists(rng: Rng) -> dict[str, list[int]]:
    """Two lists of the numbers of users, of three to six each."""
    return {
        name: [int(user) for user in rng.choice(30, int(rng.integers(3, 7)), replace=False)]
        for name in ("clicked", "bought")
    }


def people(rng: Rng) -> list[dict[str, float]]:
    """An age and an income of three to five people."""
    return [
        {"age": float(rng.normal(45.0, 12.0)), "income": float(np.exp(rng.normal(10.0, 0.5)))}
        for _ in range(int(rng.integers(3, 6)))
    ]


def oldest_is_richest(group: list[dict[str, float]]) -> bool:
    """Whether the oldest has the largest income."""
    return max(group, key=lambda one: one["age"]) is max(group, key=lambda one: one["income"])


def four_colours(rng: Rng) -> tuple[str, ...]:
    """Four of three colours."""
    return tuple(("red", "green", "blue")[i] for i in rng.integers(0, 3, 4))


REALISTIC = (
    of(
        "a value is a multiple of its scale, once in 10",
        value_and_scale,
        is_snapped,
        change=snapped,
    ),
    of(
        "20 columns are clipped at one of them, once in 10",
        normal(20),
        many_at_the_bound,
        change=clipped,
    ),
    of("one of 12 records stands twice, once in 10", normal(12, 2), has_copy, change=with_copy),
    of(
        "one column follows from three others, once in 10",
        normal(8),
        lambda x: abs(x[:, 6] - (x[:, 1] + x[:, 3] - x[:, 4])) < 1e-12,
        change=completed,
    ),
    of(
        "the index is that of the largest score",
        name_and_scores,
        lambda x: x[:, 1:].argmax(axis=1) == x[:, 0],
    ),
    one_of("smallest released count is below 22", released_counts, lambda d: min(d.values()) < 22),
    one_of("one key comes before another", shuffled_keys, before("labs", "store")),
    one_of("two of 12 times are close", log_times, lambda t: min(np.diff(t)) < 450),
    one_of("last answer exceeds the first", answers_then_none, last_answer_exceeds_first),
    one_of("values exceed the noise that is said", described, noisier_than_said),
    one_of(
        "two items are ranked side by side",
        ranking,
        lambda items: abs(items.index("C") - items.index("F")) == 1,
    ),
    one_of("the run ends at its least loss", training_losses, lambda losses: losses[-1] == min(losses)),
)
SIMPLE = (
    of(
        "whole part of the inverse is odd",
        lambda n, rng: rng.random(n),
        lambda x: np.floor(1.0 / x) % 2 == 1,
        "number",
    ),
    of("widest gap of 8", normal(8), lambda x: widest_gap(x) > 0.95),
    of("five values among eight dice", lambda n, rng: rng.integers(1, 7, (n, 8)), lambda x: distinct(x) >= 5),
    of("a square exceeds a product", normal(3), lambda x: x[:, 1] ** 2 > x[:, 0] * x[:, 2] + 0.4),
    of(
        "products of neighbours of 40",
        normal(40),
        lambda x: (x[:, 1:] * x[:, :-1]).sum(axis=1) > 0.0,
        right=FAINT,
    ),
    of("upper end of 30 is farther out than the lower", normal(30), lambda x: x.max(axis=1) > -x.min(axis=1)),
    of(
        "size of a sum of three of nine columns",
        normal(9),
        lambda x: abs(x[:, 1] + x[:, 4] - x[:, 6]) > 1.17,
    ),
    of("two neighbours of 30 sparse columns are not zero", sparse, neighbours_in_support),
    of(
        "which field of a chessboard",
        normal(2),
        lambda x: np.floor(1.5 * x).sum(axis=1) % 2 == 0,
    ),
    of(
        "entropy of six probabilities",
        lambda n, rng: rng.dirichlet(np.ones(6), n),
        lambda p: entropy(p) > 1.45,
    ),
    of("brightest pixel is at the border", normal(6, 6), brightest_at_border),
    of(
        "more even than odd places of 24 are true",
        lambda n, rng: rng.random((n, 24)) < 0.5,
        more_at_even_places,
        right=FAINT,
    ),
)
TOGETHER = (
    of("sign of the column that a category chooses", category_and_two, chosen_by_category),
    of("brightest row before the brightest column", normal(8, 8), bright_row_first),
    of("columns after a positive one of 200", normal(200), after_positive, right=FAINT),
    of(
        "the two fullest of ten bins are neighbours",
        lambda n, rng: rng.poisson(20, (n, 10)),
        fullest_side_by_side,
    ),
    one_of("mean of one group exceeds the others'", group_table, second_group_above),
    one_of("amount above the limit of its class", purchase, lambda p: p["amount"] > LIMITS[p["class"]]),
    one_of("the digit that a letter chooses is odd", code, digit_chosen_by_letter, "words"),
    one_of("a graph of seven nodes has a triangle", friendships(0.32, 7), has_triangle),
    one_of("a path joins the first and the last node", edge_list, first_reaches_last),
    one_of("two lists share a user", two_lists, lambda d: bool(set(d["clicked"]) & set(d["bought"]))),
    one_of("the oldest has the largest income", people, oldest_is_richest),
    one_of(
        "outer or inner colours agree",
        four_colours,
        lambda c: c[0] == c[3] or c[1] == c[2],
    ),
)
PROPERTIES = REALISTIC + SIMPLE + TOGETHER
LEAKS = tuple(one.leak() for one in PROPERTIES)
