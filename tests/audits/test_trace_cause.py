"""The grey box says where what leaks comes from: each line that it names is marked in the program.

`# first`: the first variable without whose difference nothing is found; `# computed`: where the number that
differs stands first; `# set`: where a scale was set.
"""

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
    n = len(data)  # first
    scale = scale_of(n, 1.0)
    return data.sum() + rng.laplace(0, scale)


class Model:
    """A scale that is kept in an attribute, and a factor beside it that does not matter."""

    def __init__(self, high: float, size: int) -> None:
        self.size = size
        self.high = high
        self.width = self.high - 0.0

    def released(self, data, rng):
        """The mean with noise of the range that is seen."""
        return data.mean() + rng.laplace(0, self.width / self.size)


def range_of_the_data(data, rng):
    unused = data.mean() > 0.1
    high = data.max()  # first
    return Model(high, 5).released(data, rng), unused


def values_that_occur(data, rng):
    values = np.unique(data)  # first
    noisy = []
    for value in values:
        noisy.append((data == value).sum() + rng.laplace(0, 2))
    return noisy


def a_loop_that_would_not_end(data, rng):
    n = len(data)  # first
    left = n
    while left != len(data) - n:
        left -= 1
    return data.sum() + rng.laplace(0, 1 / n)


def a_sensitivity_that_is_too_small(data, rng):
    other = 0.1 + len(data)
    sensitivity = 0.1  # set
    scale = sensitivity / 1.0
    total = other - other + data.sum()  # computed
    return total + rng.laplace(0, scale)


def a_branch_on_the_data(data, rng):
    high = data.max()  # first
    if high > 0.8:
        return rng.laplace(0, 1.0)
    return rng.normal(0, 1.0)


PROGRAMS = [
    (number_of_records, REMOVED, {"first", "computed"}),
    (range_of_the_data, REPLACED, {"first"}),
    (values_that_occur, REPLACED, {"first"}),
    (a_loop_that_would_not_end, REMOVED, {"first"}),
    (a_sensitivity_that_is_too_small, REPLACED, {"set", "computed"}),
    (a_branch_on_the_data, REPLACED, {"first"}),
]


def traced(program: Callable[..., Any], pair: Any) -> Any:
    adjacency = "replace" if len(pair[0]) == len(pair[1]) else "add-remove"
    return trace_privacy(program, [pair], epsilon=1.0, adjacency=adjacency, seeds=1, black_box=False)


@pytest.mark.parametrize(("program", "pair", "roles"), PROGRAMS)
def test_the_lines_are_those_that_are_marked(program: Any, pair: Any, roles: set[str]) -> None:
    found = {step.role: step.line for step in traced(program, pair).cause}
    for role in roles:
        source = scale_of if (program, role) == (number_of_records, "computed") else program
        lines, first = inspect.getsourcelines(source)
        marked = next(first + i for i, text in enumerate(lines) if text.rstrip().endswith(f"# {role}"))
        assert found.get(role) == marked, (role, found)


def test_the_values_are_those_of_both_datasets() -> None:
    first = traced(number_of_records, REMOVED).cause[0]
    assert (first.name, first.first, first.second) == ("n", "5", "4")
    assert "comes from" in first.text
    assert "n is 5 on D, 4 on D′" in first.text


def test_nothing_is_said_where_no_variable_decides() -> None:
    def program(data, rng):
        n = len(data)
        return data.sum() + rng.laplace(0, data.max()), n - n

    # The scale is computed within one expression: no variable holds it, and n does not matter.
    assert [step.role for step in traced(program, REPLACED).cause if step.role == "first"] == []


def test_a_clean_program_has_no_cause() -> None:
    result = traced(lambda data, rng: data.mean() + rng.laplace(0, 0.2), REPLACED)
    assert result.verdict == "nothing-found"
    assert result.cause == ()
    assert result.to_dict()["cause"] == []
