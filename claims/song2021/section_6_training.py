r"""Experiment, training: the program of section 6 trains as the text says, whatever the noise.

Mini-batch SGD of appendix E (Song et al. 2021): logistic regression from θ = 0; the n records in a random
order drawn once, cut into batches of B (250 in the paper; the last one of a pass holds what is left); one
step θ ← θ − (η/B)·(Σ_{i in the batch} ∇ℓᵢ(θ) + b) for each batch, 10 passes; b is N(0, 0.63²·I) or has
density ∝ exp(−‖b‖/0.57) on ℝᵈ. Figure 2 and the ε of `section-6-privacy` are about this program.

What decides. Where the records are basis vectors, each its own coordinate, a record moves its coordinate
alone, by (η/B)·y/(1 + e^{y·θⱼ}) once a pass: without noise the model after every pass is known, whatever the
order is, and any record that is left out, seen twice or divided by another number shows. Where all records
share one coordinate, two records in batches of 1 end in one of two places if the order is drawn once, and
each must occur in 40 runs (probability of a false alarm 2⁻³⁹). The noise has exact laws: coordinates N(0,
0.63²), the norm of the Gamma noise Gamma(d, 0.57), and one coordinate of three has the tail ¼(2 + t)e^{−t}, t
= z/0.57.

How it is checked. Exactly, on those datasets; the noise by Kolmogorov–Smirnov, with sums over coordinates,
over models and over steps, which are Gaussian too if the draws are independent; the number of steps and the
accuracy by counting. Training with features in ℝ⁵⁰⁰ itself, one step, against the law along the one feature
that is not 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, drawn_from, equals, grid, mean_equals
from claims.song2021 import PAPER
from claims.song2021._oracle import refused, same
from implementations.interfaces import Array
from implementations.song2021 import minibatch_sgd
from implementations.song2021.minibatch_sgd import Model

SIGMA, SCALE, BATCH, EPOCHS = 0.63, 0.57, 250, 10
"""Gaussian and Gamma noise on the sum of a batch, size of a batch and passes over the data, as printed."""


def check_passes(point: Point) -> Iterator[Evidence]:
    """n = 12 records, each a coordinate of its own, batches of 5, two learning rates."""
    n, batch, rates = 12, 5, np.array([0.4, 3.0])
    labels = np.where(np.arange(n) % 3 == 0, -1.0, 1.0)
    models = [Model("none", n, rate) for rate in rates]
    after = minibatch_sgd.train(np.eye(n), labels, models, point.rng, epochs=3, batch=batch)
    expected, theta = [], np.zeros((2, n))
    for _ in range(3):
        theta = theta + rates[:, None] / batch * labels / (1.0 + np.exp(labels * theta))
        expected.append(theta)
    yield same("models after each pass, records with a coordinate each", after, np.stack(expected))


def check_order(point: Point) -> Iterator[Evidence]:
    """Two records on one coordinate, batches of 1, two passes: the order AB AB or BA BA, and both occur."""
    x, y, eta = np.array([[1.0], [0.3]]), np.array([1.0, -1.0]), 5.0
    ends = []
    for order in ((0, 1, 0, 1), (1, 0, 1, 0)):
        theta = 0.0
        for i in order:
            theta += eta * y[i] * x[i, 0] / (1.0 + np.exp(y[i] * theta * x[i, 0]))
        ends.append(theta)
    runs = [
        float(minibatch_sgd.train(x, y, [Model("none", 1, eta)], point.rng, epochs=2, batch=1)[-1, 0, 0])
        for _ in range(40)
    ]
    gaps = np.abs(np.subtract.outer(runs, ends))
    yield same("runs that end where an order drawn once leads", gaps.min(axis=1), np.zeros(40))
    yield equals("orders of two records that occur in 40 runs", int((gaps.min(axis=0) < 1e-9).sum()), 2,
                 decides=False, method="count")  # fmt: skip


def check_numbers(point: Point) -> Iterator[Evidence]:
    """Steps in ten passes, and the accuracy of three models by counting."""
    yield equals("batches of the experiment", minibatch_sgd.steps_of(59_535, BATCH, EPOCHS), 2381,
                 decides=False)  # fmt: skip
    yield equals("size of a batch", minibatch_sgd.BATCH, BATCH, decides=False)
    yield equals("passes over the data", minibatch_sgd.EPOCHS, EPOCHS, decides=False)
    x, y = np.array([[0.5, 0.0], [0.0, 0.5], [-0.5, 0.5], [0.0, 0.0]]), np.array([1.0, 1.0, -1.0, 1.0])
    theta = np.array([[1.0, 1.0], [1.0, -1.0], [0.0, 0.0]])
    both = np.stack([theta, -theta])
    yield same("accuracies", minibatch_sgd.accuracy(x, y, both), [[0.5, 0.5, 0.0], [0.0, 0.25, 0.0]])
    model, rng = [Model("none", 2, 1.0)], point.rng
    yield refused("a record of norm 1.5", "features", lambda: minibatch_sgd.train(3.0 * x, y, model, rng))
    yield refused("labels 0 and 1", "labels", lambda: minibatch_sgd.train(x, 0.5 + 0.5 * y, model, rng))
    flat = [Model("gamma", 1, 1.0)]
    yield refused("a model of fewer dimensions", "dimensions", lambda: minibatch_sgd.train(x, y, flat, rng))
    yield refused("a learning rate of 0", "learning_rate", lambda: Model("none", 2, 0.0))
    yield refused("another noise", "noise", lambda: Model("laplace", 2, 1.0))


def noise_of(models: list[Model], steps: int, eta: float, rng: np.random.Generator) -> Array:
    """The noise of `steps` steps of `train` on one record x = 0: (steps, models, 3)."""
    x, y = np.zeros((1, 3)), np.ones(1)
    after = minibatch_sgd.train(x, y, models, rng, epochs=steps, batch=2)
    return -2.0 / eta * np.diff(after, axis=0, prepend=np.zeros((1, *after.shape[1:])))


def noise_of_a_pass(models: list[Model], eta: float, rng: np.random.Generator) -> Array:
    """Sum of the Gaussian noise of a pass over five records x = 0 in batches of 2, 2 and 1, over 0.63√3."""
    after = minibatch_sgd.train(np.zeros((5, 3)), np.ones(5), models, rng, epochs=1, batch=2)
    return -2.0 / eta * after[0, :, 0] / (SIGMA * np.sqrt(3.0))


def check_noise(point: Point) -> Iterator[Evidence]:
    """Half of the models have Gaussian noise, half Gamma noise in ℝ³, of which a coordinate, sum, norm."""
    from scipy.special import chdtr, gammainc, ndtr

    count, eta, alpha = point.models, 0.5, point.split(18)
    models = [Model(kind, 3, eta) for kind in ("gaussian", "gamma") for _ in range(count)]
    drawn = noise_of(models, 2, eta, point.rng)
    normal, gamma = drawn[:, :count] / SIGMA, drawn[:, count:] / SCALE
    half, root = count // 2, np.sqrt(2.0)
    for quantity, values in (
        ("a coordinate", normal[0, :, 0]),
        ("sum of the coordinates over √3", normal[0].sum(axis=1) / np.sqrt(3.0)),
        ("sum of two models over √2", (normal[0, :half, 0] + normal[0, half:, 0]) / root),
        ("sum of two steps over √2", (normal[0, :, 0] + normal[1, :, 0]) / root),
        ("sum of the three batches of a pass over √3", noise_of_a_pass(models[:count], eta, point.rng)),
    ):
        yield drawn_from(f"Gaussian noise of a step over 0.63, {quantity}", values, ndtr, alpha=alpha.pop())
    squares = (normal[0] ** 2).sum(axis=1)
    yield drawn_from("Gaussian noise of a step over 0.63, squared norm", squares, lambda r: chdtr(3, r),
                     alpha=alpha.pop())  # fmt: skip
    norms = np.linalg.norm(gamma, axis=2)
    yield drawn_from(
        "norm of the Gamma noise over 0.57", norms[0], lambda r: gammainc(3, r), alpha=alpha.pop()
    )
    # The first coordinate of a uniform direction in ℝ³ is uniform: P(z > t) = ∫_t^∞ ½(1 − t/r)·½r²e^{−r} dr.
    for quantity, values in (("a coordinate", gamma[0, :, 1]), ("a direction", gamma[0] @ [0.6, 0.0, 0.8])):
        yield drawn_from(f"Gamma noise over 0.57, {quantity}", values, tail_of_three, alpha=alpha.pop())
    wide = [Model("gamma", 3, eta)] * count
    first = minibatch_sgd.draw_noise(wide, 1, point.rng)[:, 0] / SCALE
    yield drawn_from("Gamma noise in ℝ³, the one coordinate kept", first, tail_of_three, alpha=alpha.pop())
    mixed = minibatch_sgd.draw_noise(wide + [Model("gamma", 5, eta)] * count, 2, point.rng) / SCALE
    for of, one, other in (
        ("two models", gamma[0, :half], gamma[0, half:]),
        ("two steps", gamma[0], gamma[1]),
        ("Gaussian and Gamma", normal[0], gamma[0]),
        ("two dimensions", mixed[:count], mixed[count:]),
    ):
        events = [("signs", one[:, 0] > 0.0, other[:, 0] > 0.0)]
        if of in ("two models", "two steps"):  # 2.674 is the median of Gamma(3, 1)
            events.append(("lengths", *(np.linalg.norm(z, axis=1) > 2.674 for z in (one, other))))
        for what, first_event, second_event in events:
            alike = (first_event == second_event).astype(float)
            quantity = f"share of equal {what} in the noise of {of}"
            yield mean_equals(quantity, alike, 0.5, alpha=alpha.pop(), method="clopper-pearson")
    yield drawn_from("Gamma noise in ℝ³ beside ℝ⁵", mixed[:count, 1], tail_of_three, alpha=alpha.pop())
    yield drawn_from("Gamma noise in ℝ⁵ beside ℝ³", mixed[count:, 1], tail_of_five, alpha=alpha.pop())


def tail_of_three(z: Array) -> Array:
    """P(Z ≤ z) of a coordinate of noise ∝ e^{−‖z‖} on ℝ³."""
    tail = 0.25 * (2.0 + np.abs(z)) * np.exp(-np.abs(z))
    return np.where(z > 0.0, 1.0 - tail, tail)


def tail_of_five(z: Array) -> Array:
    """The same on ℝ⁵: P(z > t) = ∫_t^∞ (½ − ¾(t/r) + ¼(t/r)³)·r⁴e^{−r}/24 dr."""
    from scipy.special import gammaincc

    t = np.abs(z)
    tail = gammaincc(5, t) / 2.0 - 3.0 / 16.0 * t * gammaincc(4, t) + t**3 / 96.0 * gammaincc(2, t)
    return np.where(z > 0.0, 1.0 - tail, tail)


def check_ambient(point: Point) -> Iterator[Evidence]:
    """Training in ℝ⁵⁰⁰ itself, zero features beside one: the law along that feature is the one it has alone.

    One record, one step −η(slope + noise). The Gaussian noise is N(0, 0.63²) along every coordinate, whatever
    the dimension is; of Gamma noise the norm is Gamma(500, 0.57) and the share of a coordinate in the squared
    norm Beta(1/2, 499/2).
    """
    from scipy.special import betainc, gammainc, ndtr

    d, eta, count = 500, 0.5, point.ambient
    x, y = np.zeros((1, d)), np.ones(1)
    x[0, 0] = 1.0
    models = [Model(kind, d, eta) for kind in ("gaussian", "gamma") for _ in range(count)]
    noise = -minibatch_sgd.train(x, y, models, point.rng, epochs=1, batch=1)[0] / eta
    noise[:, 0] += 0.5  # the slope at 0 is −½ along the feature, and 0 along the others
    normal, gamma = noise[:count] / SIGMA, noise[count:] / SCALE
    norms = np.linalg.norm(gamma, axis=1)
    for (quantity, values, law), alpha in zip(
        (
            ("Gaussian noise over 0.63 in ℝ⁵⁰⁰, along the feature", normal[:, 0], ndtr),
            ("Gaussian noise over 0.63 in ℝ⁵⁰⁰, along a zero feature", normal[:, -1], ndtr),
            ("norm of the Gamma noise over 0.57 in ℝ⁵⁰⁰", norms, lambda r: gammainc(d, r)),
            (
                "share of the feature in the squared norm of the Gamma noise",
                (gamma[:, 0] / norms) ** 2,
                lambda share: betainc(0.5, 0.5 * (d - 1), share),
            ),
        ),
        point.split(4),
        strict=True,
    ):
        yield drawn_from(quantity, values, law, alpha=alpha)


PARTS = {
    "passes": check_passes,
    "order": check_order,
    "numbers": check_numbers,
    "noise": check_noise,
    "ambient": check_ambient,
}


def check(point: Point) -> Iterator[Evidence]:
    yield from PARTS[point.part](point)


EXACT = grid(part=("passes", "order", "numbers"))
AMBIENT = grid(part="ambient", ambient=16_000)
CLAIM = Claim(
    PAPER,
    "Experiment",
    "section 6, appendix E",
    name="section-6-training",
    kind=Kind.IDENTITY,
    role="program",
    title="The training program of the experiment",
    statement=r"Logistic regression from $\theta=0$, records in a random order drawn once, batches of $B$, "
    r"the last one of a pass with what is left: each step is $\theta\leftarrow\theta-\frac\eta B\big(\sum_i"
    r"\nabla\ell_i(\theta)+b\big)$ with $b\sim N(0,0.63^2I)$ or of density $\propto e^{-\|b\|_2/0.57}$, "
    r"independent over steps and models.",
    expected=CONSISTENT,
    check=check,
    # A Kolmogorov distance. Noise that is 5 % off must be seen: it moves the law of a squared norm in ℝ³ by
    # 0.92·log(1.05) = 0.045, that of the norm of Gamma noise by 0.67·log(1.05) = 0.033.
    largest_resolution=0.033,
    smoke=[*EXACT, *grid(part="noise", models=32_768), *AMBIENT],
    ci=[*EXACT, *grid(part="noise", models=131_072), *AMBIENT],
)
