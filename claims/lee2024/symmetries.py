r"""Algorithms 1 and 2: the programs have the symmetries of what the paper states (Lee, Liu and Lu 2024).

Samples have the unit of a length; nothing depends on the order of records or of columns, on what other
columns hold, or on other runs of a batch.

How it is checked. Row by row, with `audits.symmetries`: exactly where the same generator and changed inputs
must give the output changed as stated; by two samples elsewhere, with the distance between distribution
functions that would have been seen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audits.symmetries import Program, formula, mapped, of_space, reordered, repeated, turn
from claims import symmetric
from claims.lee2024 import PAPER
from implementations.interfaces import Array
from implementations.lee2024 import (
    gopi_lee_liu_sampler,
    l1_instance,
    lipschitz_extension,
    low_rank,
    product_sampler,
    proximal_sampler,
)

BITS = np.array([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
"""Five records of bits."""
KNOTS = np.array([[-1.0, 0.5, 2.0], [0.25, 0.25, 3.0]])
WEIGHTS = np.array([[1.5, 0.0, 2.0], [0.5, 0.75, 0.25]])


def exact(rng: np.random.Generator, knots: Array, weights: Array, strength: float, runs: int) -> Array:
    return product_sampler.sample(product_sampler.potential(knots, weights), runs, rng, strength=strength)


def proximal(rng: np.random.Generator, scale: float, strength: float, runs: int) -> Array:
    """|x|/scale in the plane, with L = 1/scale."""
    steps = proximal_sampler.steps_needed(
        lipschitz=1.0 / scale, strength=strength, step_size=0.125 * scale**2, tolerance=0.1
    )
    return proximal_sampler.sample(
        lambda x: np.linalg.norm(x, axis=1) / scale, runs, rng, dimension=2, lipschitz=1.0 / scale,
        strength=strength, schedule=proximal_sampler.Schedule(steps=steps, tolerance=0.1),
    ).points  # fmt: skip


def queried(rng: np.random.Generator, scale: float, strength: float, runs: int) -> Array:
    return gopi_lee_liu_sampler.sample(
        lambda x, index: np.abs(x[:, 0] / scale - index), 2, runs, rng, dimension=1, lipschitz=1.0 / scale,
        strength=strength, tolerance=0.1,
    ).points  # fmt: skip


MECHANISMS: dict[str, Callable[..., Array]] = {
    "noisy sign": lambda *a, **p: l1_instance.noisy_median_sign(*a, **p),
    "noisy mean": lambda *a, **p: l1_instance.noisy_mean(*a, **p),
    "exponential mechanism": lambda *a, **p: l1_instance.exponential_mechanism(*a, **p),
    "pure mechanism": lambda *a, **p: l1_instance.pure_levels(*a, **p),
}


def private(name: str, columns: int, **inputs: Array | float) -> Program:
    """The first columns of the output of a mechanism of Theorem 3.7, on records of bits.

    The law of one column does not depend on what the others hold, so that no noise is taken from them.
    """

    def run(rng: np.random.Generator, bits: Array, epsilon: float, delta: float, runs: int) -> Array:
        ones = np.asarray(bits, dtype=float).sum(axis=0)
        return MECHANISMS[name](ones, len(bits), runs, rng, epsilon=epsilon, delta=delta)[:, :columns]

    others = mapped("other columns at zero", lambda x: x * [1.0, 0.0, 0.0], "bits", moves=False)
    return Program(
        run=run, inputs={"bits": BITS, "epsilon": 0.4, "delta": 1e-4, "runs": 3} | inputs, runs="runs",
        changes=[reordered("bits")], laws=[others] if columns == 1 else [],
    )  # fmt: skip


PROGRAMS: dict[str, Program] = {
    "exact sampler": Program(
        run=exact, inputs={"knots": KNOTS, "weights": WEIGHTS, "strength": 0.7, "runs": 3}, runs="runs",
        changes=of_space(1, knots=1, weights=-1, strength=-2),
        laws=[mapped("reflection", np.negative, "knots")],
    ),
    "proximal sampler": Program(
        run=proximal, inputs={"scale": 0.5, "strength": 1.5, "runs": 3},
        changes=of_space(1, scale=1, strength=-2),
    ),
    "sampler of Gopi, Lee and Liu": Program(
        run=queried, inputs={"scale": 0.5, "strength": 1.5, "runs": 3},
        changes=of_space(1, scale=1, strength=-2),
    ),
    "completion": Program(
        run=lambda rng, x, strength: low_rank.embed(x, np.eye(3)[:, :2], rng, strength=strength),
        inputs={"x": BITS[:, :2], "strength": 0.7}, changes=of_space(1, x=1, strength=-2),
    ),
    **{name: private(name, 3) for name in MECHANISMS},
    **{
        f"{name}, one column": private(name, 1, bits=np.maximum(BITS, [1.0, 0.0, 0.0]), delta=0.1)
        for name in MECHANISMS
    },
    "pure law of a column": formula(
        lambda counts, others: l1_instance.pure_law(counts * [[1.0], [others], [others]], 0.5)[0],
        mapped("other columns of few records", lambda _: 1.0, "others", moves=False),
        counts=np.array([[1e6, 0.0, 1e6 + 3.0], [0.0, 0.0, 5.0], [2.0, 0.0, 3.0]]), others=1e6,
    ),
    "risk": formula(
        lambda theta, data: l1_instance.risk(theta, data), *of_space(1, theta=1, data=1), reordered("data"),
        repeated("data"), theta=np.array([0.5, -1.0, 3.0]), data=BITS,
    ),
    "extension": formula(
        lambda theta, z: lipschitz_extension.linear_on_ball(theta, z),
        mapped("rotation", turn(3), "theta", "z", moves=False), theta=3.0 * BITS,
        z=np.array([0.5, 0.25, -0.5]),
    ),
}  # fmt: skip

CLAIM = symmetric(PAPER, "Algorithms 1 and 2", "sections 2 and 3", PROGRAMS, size=6000)
