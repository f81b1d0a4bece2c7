"""Each symmetry is found where it is broken, and a program that has all of them passes."""

import numpy as np
import pytest

from audits.evidence import Verdict
from audits.symmetries import (
    Program,
    check,
    formula,
    mapped,
    reordered,
    repeated,
    same_law,
    shifted,
    turn,
    unit,
    with_zero,
)  # fmt: skip

X = np.array([[3.0, 1.0], [-2.0, 0.0], [0.0, 0.0], [0.5, 4.0]])


def noisy_mean(rng, x, scale, runs, origin=0.0):
    return (x + origin).mean(axis=0) + scale * rng.standard_normal((runs, x.shape[1])) - origin


def stated(run) -> Program:
    return Program(
        run=run, inputs={"x": X, "scale": 0.5, "runs": 4, "origin": 0.0}, runs="runs",
        changes=[*unit("length", 1, x=1, scale=1), reordered("x"), repeated("x"), shifted("origin")],
        laws=[mapped("rotation", turn(2), "x")],
        blind=[{"scale": 1e9}, {"scale": 1e9, "x": 0.0 * X}],
    )  # fmt: skip


def overwritten(rng, x, scale, runs, origin):
    found = noisy_mean(rng, x, scale, runs, origin)
    x[0] = 0.0
    return found


BROKEN = {
    "length": lambda rng, **p: noisy_mean(rng, **p).round(5),
    "another order": lambda rng, x, **p: noisy_mean(rng, x[1:], **p),
    "record twice": lambda rng, x, **p: noisy_mean(rng, x[:4], **p) * 4 / len(x),
    "origin": lambda rng, x, origin, **p: noisy_mean(rng, ((x + origin) ** 2 - origin**2) ** 0.5, **p),
    "rotation": lambda rng, x, **p: noisy_mean(rng, np.abs(x), **p),
    "ε goes to 0": lambda rng, x, scale, **p: noisy_mean(rng, x, scale * (1.0 + np.abs(x).max()), **p),
    "repeat": lambda rng, runs, **p: np.resize(noisy_mean(rng, runs=min(runs, 5000), **p), (runs, 2)),
    "neighbour": lambda rng, runs, **p: (
        np.repeat(noisy_mean(rng, runs=-(-runs // 2), **p), 2, 0)[:runs]
        + 0.1 * rng.standard_normal((runs, 2))
    ),
    "alone": lambda rng, runs, scale, **p: noisy_mean(rng, runs=runs, scale=scale * min(runs, 4), **p),
    "same seed": lambda rng, **p: noisy_mean(np.random.default_rng(), **p),
    "integers": lambda rng, x, **p: noisy_mean(rng, (x // 2 if x.dtype == np.int64 else x), **p),
    "changes": overwritten,
}


def refuted(program: Program) -> list[str]:
    found = check(program, np.random.default_rng(3), 1e-7, size=10_000)
    return [e.quantity for e in found if e.verdict is Verdict.REFUTED]


def test_a_program_with_all_symmetries_passes():
    assert refuted(stated(noisy_mean)) == []


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_each_broken_symmetry_is_found(name):
    program = stated(BROKEN[name])
    if name == "integers":
        program = Program(run=program.run, inputs={**program.inputs, "x": np.rint(X)})
    assert any(name in quantity for quantity in refuted(program)), refuted(program)


def test_a_record_at_zero_counts():
    assert refuted(formula(lambda x: x.mean(axis=0), with_zero("x", n=4), x=X)) == []
    lost = formula(lambda x: x[np.any(x, axis=1)].mean(axis=0), with_zero("x", n=4), x=X)
    assert refuted(lost) == ["deviation under: one more record at zero"]


def test_datasets_of_a_batch_do_not_touch_each_other():
    def run(rng, x, whole):
        peak = x.max() if whole else x.max(axis=1)
        return np.exp(x.max(axis=1) - peak) + rng.standard_normal(len(x))

    rows = np.zeros(3), np.full(3, 9.0)
    for whole, wanted in ((0, 0), (1, 1)):
        program = Program(run=run, inputs={"x": np.ones((1, 3)), "whole": whole}, datasets=("x", rows))
        assert len(refuted(program)) == wanted


def test_two_samples_of_one_law_differ_rarely():
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((200, 2, 300))
    assert not any(same_law("x", a, b, alpha=0.01).verdict is Verdict.REFUTED for a, b in draws)
    assert same_law("x", draws[0, 0], draws[0, 1] + 1.0, alpha=1e-6).verdict is Verdict.REFUTED
