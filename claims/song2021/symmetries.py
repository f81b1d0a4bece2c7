r"""Algorithm 1 and the programs around it have the symmetries of what the paper states (Song et al. 2021).

Nothing depends on the unit of the loss, on the unit or the origin of θ, on the order of the records, on a
rotation of the features, or on what else is computed beside a run; as ε goes to 0 the output of a private
program has one law on all datasets, which it has not where a sensitivity is taken from the data.

How it is checked. Row by row, with `audits.symmetries`: exactly where the same generator and changed inputs
must give the output changed as stated; by two samples elsewhere, with the distance between distribution
functions that would have been seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audits.symmetries import (
    Program,
    formula,
    mapped,
    of_loss,
    of_space,
    reordered,
    repeated,
    shifted,
    turn,
    with_zero,
)
from claims import Adjacency, symmetric
from claims.song2021 import PAPER
from implementations import losses
from implementations.interfaces import Array, Loss, Problem
from implementations.song2021 import clipped_dp_gd, clipped_surrogate, dp_gd, local, minibatch_sgd
from implementations.song2021 import stationary_point as selection

X = np.array([[0.5, 0.25, 0.0], [0.0, -0.75, 0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.25, 0.0]])
"""Five records: one of the largest norm, one at zero, one that is repeated."""
Y = np.array([1.0, -1.0, 0.5, 1.0, 2.0])
WIDE = np.random.default_rng(5).standard_normal((3, 7)).round(3) / 4.0
"""Three records in seven dimensions."""
THETA = np.array([[0.5, -1.0, 0.25], [2.0, 0.0, 1.0]]) + 0.125


def huber(lipschitz: float, width: float) -> Loss:
    """The Huber loss times `lipschitz`."""
    link = losses.huber(width)
    parts = (lambda z, y: lipschitz * link.value(z, y), lambda z, y: lipschitz * link.slope(z, y))
    return Loss("Huber", *parts, lipschitz, lipschitz / width, convex=True)


def gradient(x: Array, y: Array, theta: Array, **link: float) -> Array:
    return dp_gd.glm_gradient(Problem(x, y, huber(**link)))(theta)


def clipped(x: Array, y: Array, theta: Array, bound: float, most_bytes: int, **link: float) -> Array:
    """Of five points; `most_bytes` says how many are looked at at a time."""
    of = clipped_dp_gd.clipped_gradient(Problem(x, y, huber(**link)), bound, most_bytes=most_bytes)
    return of(np.concatenate([theta, -theta, 3.0 * theta[:1]]))


def descent(
    rng: np.random.Generator, runs: int, start: Array, target: Array, origin: float, **p: float
) -> Array:
    """The engine, or with a `scale` the selection of one of its iterates, on Huber losses around `target`."""
    eta, sigma, scale = p.pop("eta"), p.pop("sigma"), p.pop("scale", 0.0)
    loss, begin = huber(**p), np.tile(start + origin, (runs, 1))
    options: dict[str, Any] = {"steps": 4, "learning_rate": eta}

    def slope(theta: Array) -> Array:
        return loss.slope(theta, target + origin)

    if scale:
        found = selection.stationary_point(
            slope, begin, rng, noise_scale=sigma, selection_scale=scale, **options
        )
        return found.theta - origin
    ran = dp_gd.run(slope, begin, noise=dp_gd.gaussian_noise(begin.shape, sigma, rng), **options)
    return np.column_stack([ran.printed, ran.proof, ran.last]) - origin


def released(rng: np.random.Generator, x: Array, y: Array, runs: int, epsilon: float, noise: str) -> Array:
    run = dp_gd.mechanism(
        losses.huber(0.5), epsilon=epsilon, delta=1e-6, steps=3, learning_rate=0.4, noise=noise,
        adjacency=Adjacency.REPLACE,
    )  # fmt: skip
    return run(np.column_stack([x, y]), runs, rng)


def averaged(program: Callable[..., dp_gd.Averages], noise: str, **fixed: float) -> Program:
    """The average of a program on the five records; its noise is so large at the end that nothing shows."""
    return Program(
        run=lambda rng, x, y, runs, **given: program(
            Problem(x, y, losses.huber(0.5)), runs, rng, steps=3, learning_rate=0.4, **fixed, **given
        ).printed,
        inputs=RECORDS | {noise: 0.3}, changes=[reordered("x", "y")], runs="runs",
        blind=[{noise: 1e9, **data} for data in DATASETS],
    )  # fmt: skip


def one_pass(rng: np.random.Generator, x: Array, labels: Array, batch: int, rate: float) -> Array:
    """One pass without noise at a rate so small that the sum of all gradients is seen, over rate/batch."""
    models = [minibatch_sgd.Model("none", 3, rate)]
    return minibatch_sgd.train(x, labels, models, rng, epochs=1, batch=batch)[0, 0] * batch / rate


def noisy_least(rng: np.random.Generator, scores: Array, scale: float, runs: int) -> Array:
    points = [(np.full(runs, score), np.zeros((runs, 1))) for score in scores]
    return selection.report_noisy_min(points, scale, rng).index


RECORDS = {"x": X, "y": Y, "runs": 3}
DATASETS = [{"x": 1e-3 * X, "y": 0.0 * Y}, {"x": X, "y": 1e3 * Y}, {"x": 0.0 * X, "y": Y}]
TURNED = mapped("rotation", turn(3), "x", "theta")
AVERAGE = [reordered("x", "y"), repeated("x", "y"), with_zero("x", "y", n=5), TURNED]
GLM: dict[str, Any] = {"x": X, "y": Y, "theta": THETA, "lipschitz": 3.0, "width": 0.5}
GLM_SPACE = {"theta": 1.0, "y": 1.0, "width": 1.0, "lipschitz": -1.0}
PATH = {"start": np.array([0.5, -0.25]), "target": np.array([1.5, -2.0]), "origin": 0.0, "runs": 3,
        "sigma": 0.5, "eta": 0.2, "lipschitz": 3.0, "width": 0.5}  # fmt: skip
PATH_SPACE = {"start": 1.0, "target": 1.0, "width": 1.0, "eta": 2.0, "sigma": -1.0, "lipschitz": -1.0}
SCORES = np.array([0.5, 0.25, 1.0])

PROGRAMS: dict[str, Program] = {
    **{
        f"DP-GD, {noise}": Program(
            run=released, inputs=RECORDS | {"epsilon": 0.8, "noise": noise}, changes=[reordered("x", "y")],
            runs="runs" if noise == "printed" else "",  # the others: μ*(ε, δ) is found anew in each call
            blind=[{"epsilon": 1e-7, "runs": 20_000, **data} for data in DATASETS],
        )
        for noise in dp_gd.NOISE
    },
    "gradient": formula(
        gradient, *of_loss(1, "lipschitz"), *of_space(-1, **GLM_SPACE), *of_space(1, x=1, theta=-1), *AVERAGE,
        **GLM,
    ),
    "gradient, more dimensions than records": formula(
        gradient, repeated("x", "y"), with_zero("x", "y", n=3), mapped("rotation", turn(7), "x", "theta"),
        **GLM | {"x": WIDE, "y": Y[:3], "theta": WIDE[:2]},
    ),
    "clipped gradient": formula(
        clipped, *of_loss(1, "lipschitz", "bound"), *of_space(-1, **GLM_SPACE, bound=-1), *AVERAGE,
        mapped("two points at a time", lambda _: 80, "most_bytes", moves=False),
        bound=0.75, most_bytes=2**20, **GLM,
    ),
    "clip": formula(
        lambda v, bound: clipped_surrogate.clip(v, bound), *of_space(1, v=1, bound=1),
        mapped("rotation", turn(3), "v"), v=THETA, bound=1.5,
    ),
    "descent": Program(
        run=descent, inputs=PATH, runs="runs",
        changes=[*of_loss(0, "sigma", "lipschitz", eta=-1), *of_space(1, **PATH_SPACE), shifted("origin")],
    ),
    "stationary point": Program(
        run=descent, inputs=PATH | {"scale": 0.3},
        changes=[*of_loss(0, "sigma", "lipschitz", "scale", eta=-1),
                 *of_space(1, **PATH_SPACE, scale=-1), shifted("origin")],
    ),
    "span": formula(lambda x: (v := dp_gd.span_basis(x)) @ v.T, *of_space(0, x=1), x=X[:3, :2]),
    "DP-GD": averaged(lambda *a, **p: dp_gd.dp_gd(*a, **p), "noise_scale"),
    "clipped DP-GD": averaged(
        lambda *a, **p: clipped_dp_gd.clipped_dp_gd(*a, **p), "noise_scale", bound=0.4
    ),
    "local DP-GD": averaged(lambda *a, **p: local.local_dp_gd(*a, **p), "noise"),
    "probability of a candidate": formula(
        lambda scores, scale: selection.selection_probability(scores, scale, 1),
        *of_loss(0, "scores", "scale"), shifted("scores", by=2.0**10), scores=SCORES, scale=0.7,
    ),
    "selection": Program(
        run=noisy_least, inputs={"scores": SCORES, "scale": 0.7, "runs": 4}, runs="runs",
        changes=of_loss(0, "scores", "scale"), blind=[{"scale": 1e9}, {"scale": 1e9, "scores": 9.0 * SCORES}],
    ),
    "one pass over the data": Program(
        run=one_pass, inputs={"x": X, "labels": np.sign(Y), "batch": 2, "rate": 2.0**-40},
        changes=[mapped("batches of another size", lambda size: size + 1, "batch", moves=False),
                 reordered("x", "labels"), mapped("rotation", turn(3), "x")],
    ),
    "accuracy": formula(
        lambda x, labels, theta: minibatch_sgd.accuracy(x, labels, theta), *of_space(0, theta=1),
        *of_space(0, x=1), reordered("x", "labels"), repeated("x", "labels"), with_zero("x", "labels", n=5),
        x=X, labels=np.sign(Y), theta=THETA,
    ),
}  # fmt: skip

CLAIM = symmetric(PAPER, "Algorithm 1", "sections 2 to 6", PROGRAMS)
