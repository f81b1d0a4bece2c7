"""Numbers that move power, resolution or cost of the audit stand in `Tuning`, and say what they are for.

Elsewhere a number is small, a bound that keeps floats finite, part of a named constant with a docstring of
its own, or in `ELSEWHERE` or `KNOWN`, which say what it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from audits.privacy.tuning import Tuning

ROOT = Path(__file__).resolve().parents[2] / "audits" / "privacy"
SMALL = {0, 1, 2, 3, 4, 0.25, 0.5, 0.75}
"""Counts of a few things, halves and quarters: parts of formulas."""
MOST_TUNED, MOST_NAMED = 46, 31

ELSEWHERE = {
    "bet/binomial.py": "Newton's method and root finding, exact up to rounding; no bound depends on them",
    "bet/calibration.py": "steps of Newton's method; what a double tells from 0 and 1",
    "draw/datasets.py": "how datasets are copied, compared and shown",
    "footprints.py": "the bits of a double",
    "outputs/leaves.py": "how outputs are laid out: bits, dates, units of time",
    "options.py": "defaults and limits of what the user asks for",
    "plots.py": "pictures",
    "result.py": "words of the result",
    "show.py": "words of the result",
    "learners/cells.py": "words: digits and items that are shown; the layout of `footprints`",
    "learners/score.py": "words: digits that are shown",
    "learners/fits.py": "steps of Newton's method, which needs fewer",
    "learners/families.py": "the price of a look in columns, and digits that are shown",
    "learners/sequences.py": "the bases of digits",
    "learners/derived.py": "the eight orders of three numbers",
}
"""Modules whose bare numbers move nothing, and why."""

KNOWN: dict[str, tuple[str, set[float]]] = {
    "dependence.py": ("features of the test of independence, and its memory", {24, 22, 9, 1000}),
    "draw/draws.py": ("the range of an integer; letters of a message", {63, 200}),
    "outputs/encoder.py": (
        "columns at most; letters of a name; numbers of kinds",
        {40, 80, 6, 10},
    ),
    "fixed_size.py": (
        "the first draw; bets on parts of what was learned; points of the curve; the largest exponent",
        {32, 5, 0.999, 12, 690},
    ),
    "outputs/outputs.py": (
        "digits that are shown; mixing of keys, so many rows at once",
        {6, 11, 16, 17, 1e6, 0.1, 0.9, 256, 32, 0x9E3779B97F4A7C15},
    ),
    "pair_state.py": ("the first draw, and rows of outputs of many bytes", {32, 64, 256}),
    "outputs/plain_words.py": ("how words for a score are found", {0.01, 0.99, 50, 256, 0.1}),
    "after/planting.py": ("outputs that are needed; steps of a search for a size", {64, 129, 33}),
    "sequential.py": (
        "the grid of ε and places of it; the least batch; the largest exponent",
        {20, 150, 0.1, 0.005, 1.05, 1.015, 70, 71, 1.01, 25, 8, 16, 24, 0.01, 0.99, 99, 690},
    ),
    "after/witness.py": (
        "events that are searched, rows at once, and digits of a threshold",
        {
            15,
            24,
            0.02,
            0.98,
            49,
            0.001,
            0.003,
            0.01,
            0.99,
            0.997,
            0.999,
            60,
            120,
            64,
            32,
            128,
            17,
            10,
            40,
            0.5,
        },
    ),
}
"""Bare numbers of other modules, and what they are."""


def moves_nothing(number: complex) -> bool:
    """Whether a number is small or keeps floats finite, or imaginary."""
    return isinstance(number, complex) or number in SMALL or abs(number) <= 1e-6 or abs(number) >= 1e99


def numbers(node: ast.AST) -> Iterator[ast.Constant]:
    """The numbers of a piece of code that may move something."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and type(part.value) in (int, float, complex):
            assert isinstance(part.value, complex | float | int)
            if not moves_nothing(part.value):
                yield part


def named(module: ast.Module) -> Iterator[ast.stmt]:
    """Assignments at the top of a module that a docstring follows."""
    for one, following in zip(module.body, module.body[1:], strict=False):
        said = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if said and isinstance(one, ast.Assign | ast.AnnAssign) and any(numbers(one)):
            yield one


MODULES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if path.name != "tuning.py")


def parsed(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [name for name in MODULES if name not in ELSEWHERE])
def test_a_number_outside_of_tuning_is_named_and_explained(name: str) -> None:
    module = parsed(name)
    known = {id(number) for one in named(module) for number in numbers(one)}
    allowed = KNOWN.get(name, ("", set[float]()))[1]
    bare = [
        f"line {number.lineno}: {ast.unparse(number)}"
        for number in numbers(module)
        if id(number) not in known and number.value not in allowed
    ]
    assert not bare, (
        f"{name}: move it into Tuning, name it with a docstring, or say here why it moves nothing"
    )


def test_there_are_no_more_constants_than_can_be_read() -> None:
    assert len(fields(Tuning)) <= MOST_TUNED
    constants = [f"{name}: {ast.unparse(one)}" for name in MODULES for one in named(parsed(name))]
    assert len(constants) <= MOST_NAMED, "\n".join(constants)


def test_every_constant_of_tuning_has_a_docstring() -> None:
    module = parsed("tuning.py")
    (tuning,) = (node for node in module.body if isinstance(node, ast.ClassDef))
    for one, following in zip(tuning.body, tuning.body[1:], strict=False):
        if isinstance(one, ast.AnnAssign):
            assert isinstance(following, ast.Expr), ast.unparse(one)
            assert isinstance(following.value, ast.Constant), ast.unparse(one)
