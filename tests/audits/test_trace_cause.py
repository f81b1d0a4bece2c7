"""The grey box says where a number that leaks is computed: the line that it names is marked."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from audits.trace import trace_privacy

DATA = np.array([1.0, 0.0, 0.0, 0.7, 0.5])
LOWER = np.array([0.5, 0.0, 0.0, 0.7, 0.5])
REPLACED, REMOVED = (DATA, LOWER), (DATA, DATA[1:])


def scale_of(n, epsilon):
    return 2 / (n * epsilon)  # computed


def number_of_records(data, rng):
    n = len(data)
    scale = scale_of(n, 1.0)
    return data.sum() + rng.laplace(0, scale)


class Model:
    """A scale that is kept in an attribute."""

    def __init__(self, high: float) -> None:
        self.width = high / 5.0  # computed

    def released(self, data, rng):
        """The mean with noise of the range that is seen."""
        return data.mean() + rng.laplace(0, self.width)


def range_of_the_data(data, rng):
    return Model(data.max()).released(data, rng)


def traced(program: Callable[..., Any], pair: Any) -> Any:
    adjacency = "replace" if len(pair[0]) == len(pair[1]) else "add-remove"
    return trace_privacy(program, [pair], epsilon=1.0, adjacency=adjacency, seeds=1, black_box=False)


@pytest.mark.parametrize(
    ("program", "source", "pair"),
    [(number_of_records, scale_of, REMOVED), (range_of_the_data, Model.__init__, REPLACED)],
)
def test_the_line_is_the_one_that_is_marked(program: Any, source: Any, pair: Any) -> None:
    lines, first = inspect.getsourcelines(source)
    marked = next(first + i for i, text in enumerate(lines) if text.rstrip().endswith("# computed"))
    assert [step.where[1] for step in traced(program, pair).cause] == [marked]


def test_the_values_are_those_of_both_datasets() -> None:
    step = traced(range_of_the_data, REPLACED).cause[0]
    assert (step.name, step.first, step.second) == ("self.width", "0.2", "0.14")
    assert "self.width is 0.2 on D, 0.14 on D′" in step.text


def test_nothing_is_said_where_no_variable_holds_the_number() -> None:
    assert traced(lambda data, rng: data.sum() + rng.laplace(0, 2 * data.max()), REPLACED).cause == ()


def test_a_clean_program_has_no_cause() -> None:
    result = traced(lambda data, rng: data.mean() + rng.laplace(0, 0.2), REPLACED)
    assert result.verdict == "nothing-found"
    assert result.cause == ()
    assert result.to_dict()["cause"] == []
