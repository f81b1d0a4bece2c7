"""Algorithm 2 of levy2021 and its rotation with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="levy2021-short-radius",
        bug="Drops the factor 10 of τ′ as slack: then a rotated coordinate leaves the interval too often.",
        replaces="implementations.levy2021.winsorized_mean_highd:highd_plan",
        swap=("radius = 10.0 * tau * math", "radius = tau * math"),
        caught_by=("levy2021/theorem-2-utility",),
    ),
    Mutant(
        name="levy2021-unnormalised-rotation",
        bug="Leaves out d^(−1/2): the rotation is no isometry, and the result comes back d times too large.",
        replaces="implementations.hadamard:hadamard_transform",
        swap=("return product.reshape(x.shape)", "return product.reshape(x.shape) * np.sqrt(d)"),
        caught_by=("levy2021/theorem-3-convex",),
    ),
    Mutant(
        name="levy2021-no-random-signs",
        bug="Leaves out the random signs: data along a row of the Hadamard matrix land in one coordinate.",
        replaces="implementations.levy2021.winsorized_mean_highd:winsorized_mean_highd",
        swap=(
            "2.0 * rng.integers(0, 2, size=(*x.shape[:-2], plan.dimension)) - 1.0",
            "np.ones((*x.shape[:-2], plan.dimension))",
        ),
        caught_by=("levy2021/rotation",),
    ),
    Mutant(
        name="levy2021-no-rotation",
        bug="Runs Algorithm 1 on the coordinates as they are, with the radius of rotated coordinates.",
        replaces="implementations.levy2021.winsorized_mean_highd:winsorized_mean_highd",
        swap=(
            "signs = 2.0 * rng.integers(0, 2, size=(*x.shape[:-2], plan.dimension)) - 1.0",
            "signs = 1.0\n    hadamard_transform = lambda y: y",
        ),
        caught_by=(
            "levy2021/sampler-laws",
            "levy2021/rotation",
        ),
    ),
    Mutant(
        name="levy2021-coordinate-full-budget",
        bug="Hands each coordinate all of ε.",
        replaces="implementations.levy2021.winsorized_mean_highd:winsorized_mean_highd",
        swap=("plan.epsilon,", "epsilon,"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-not-rotated-back",
        bug="Returns the rotated mean.",
        replaces="implementations.levy2021.winsorized_mean_highd:winsorized_mean_highd",
        swap=("hadamard_transform(mean) * signs", "mean * signs"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-radius-ignores-tau",
        bug="Takes the radius of data at distance 1: the noise does not fall with m.",
        replaces="implementations.levy2021.winsorized_mean_highd:highd_plan",
        swap=("radius = 10.0 * tau * math", "radius = 10.0 * math"),
        caught_by=(
            "levy2021/corollary-1:crossover",
            "levy2021/printed-formulas",
            "levy2021/corollary-1",
        ),
    ),
    Mutant(
        name="levy2021-half-noise-in-first-coordinate",
        bug="Averages the first coordinate with the exact mean: half of its noise.",
        replaces="implementations.levy2021.winsorized_mean_highd:winsorized_mean_highd",
        swap=(
            "return (hadamard_transform(mean) * signs)[..., :d]",
            "out = (hadamard_transform(mean) * signs)[..., :d].copy()\n"
            "    out[..., 0] = 0.5 * (out[..., 0] + x.mean(axis=-2)[..., 0])\n"
            "    return out",
        ),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-budget-split-by-d",
        bug="Splits ε over d coordinates where 2^⌈log₂ d⌉ are released.",
        replaces="implementations.levy2021.winsorized_mean_highd:highd_plan",
        swap=("split(epsilon, delta, dimension)", "split(epsilon, delta, d)"),
        caught_by=(
            "levy2021/printed-formulas",
            "levy2021/sampler-laws",
        ),
    ),
    Mutant(
        name="levy2021-padded-on-the-left",
        bug="Pads with zeros before the data and cuts behind them.",
        replaces="implementations.levy2021.winsorized_mean_highd:winsorized_mean_highd",
        swap=("padded[..., :d] = x", "padded[..., plan.dimension - d :] = x"),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-biased-signs",
        bug="Draws signs that are positive three times out of four.",
        replaces="implementations.levy2021.winsorized_mean_highd:winsorized_mean_highd",
        swap=(
            "2.0 * rng.integers(0, 2, size=(*x.shape[:-2], plan.dimension)) - 1.0",
            "2.0 * (rng.random((*x.shape[:-2], plan.dimension)) < 0.75) - 1.0",
        ),
        caught_by=("levy2021/sampler-laws",),
    ),
    Mutant(
        name="levy2021-failure-without-union",
        bug="Takes the failure of one coordinate for that of all.",
        replaces="implementations.levy2021.winsorized_mean_highd:highd_failure",
        swap=("plan.dimension * one", "one"),
        caught_by=("levy2021/printed-formulas",),
    ),
]
