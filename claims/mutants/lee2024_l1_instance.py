"""The l1 instance of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.l1_instance"

MUTANTS = [
    Mutant(
        name="lee2024-append-ones",
        bug="Appends ones, not zeros, after the copies.",
        replaces=f"{_PLACE}:copy_and_append",
        swap=("np.zeros((n", "np.ones((n"),
        caught_by=("lee2024/theorem-3.7-proof:corrected",),
    ),
    Mutant(
        name="lee2024-copy-short",
        bug="Copies each record once less.",
        replaces=f"{_PLACE}:copy_and_append",
        swap=("np.repeat(data, copies, axis=0)", "np.repeat(data, max(copies - 1, 1), axis=0)"),
        caught_by=("lee2024/lemma-3.6:sharp",),
    ),
    Mutant(
        name="lee2024-pad-zeros",
        bug="Pads with zeros alone.",
        replaces=f"{_PLACE}:pad",
        swap=("np.ones((half, d))", "np.zeros((half, d))"),
        caught_by=("lee2024/theorem-3.7-proof:corrected",),
    ),
    Mutant(
        name="lee2024-clip-symmetric",
        bug="Projects onto [-1, 1].",
        replaces=f"{_PLACE}:clip_to_cube",
        swap=("theta, 0.0, 1.0", "theta, -0.5, 0.5"),
        caught_by=("lee2024/theorem-3.1", "lee2024/theorem-3.7-proof:corrected"),
    ),
    Mutant(
        name="lee2024-bits-optimum",
        bug="Takes the larger share for the least risk.",
        replaces=f"{_PLACE}:excess_risk_of_bits",
        swap=("np.minimum(p", "np.maximum(p"),
        caught_by=("lee2024/theorem-3.7",),
    ),
    Mutant(
        name="lee2024-mean-for-median",
        bug="Takes the mean for the minimiser.",
        replaces=f"{_PLACE}:minimiser",
        swap=("np.median", "np.mean"),
        caught_by=("lee2024/theorem-3.1", "lee2024/lemma-g.2:corrected"),
    ),
    Mutant(
        name="lee2024-noise-dimension",
        bug="Calibrates to the sensitivity of one coordinate: no factor sqrt(d).",
        replaces=f"{_PLACE}:noisy_median_sign",
        swap=("math.sqrt(counts.size) /", "1.0 /"),
        caught_by=("lee2024/theorem-3.7:private", "lee2024/theorem-3.7:rate"),
    ),
    Mutant(
        name="lee2024-clip-left-out",
        bug="Does not project.",
        replaces=f"{_PLACE}:clip_to_cube",
        swap=("return np.clip(theta, 0.0, 1.0)", "return theta"),
        caught_by=("lee2024/theorem-3.7-programs",),
    ),
    Mutant(
        name="lee2024-copies-in-rounds",
        bug="Repeats the whole dataset, so that copies do not stand together.",
        replaces=f"{_PLACE}:copy_and_append",
        swap=("np.repeat(data, copies, axis=0)", "np.tile(data, (copies, 1))"),
        caught_by=("lee2024/theorem-3.7-programs",),
    ),
    Mutant(
        name="lee2024-padding-zeros-for-halves",
        bug="Pads an odd rest with a record of zeros.",
        replaces=f"{_PLACE}:pad",
        swap=("0.5)])", "0.0)])"),
        caught_by=("lee2024/theorem-3.7-programs",),
    ),
    Mutant(
        name="lee2024-mean-noise-doubled",
        bug="Adds twice the noise to the mean.",
        replaces=f"{_PLACE}:noisy_mean",
        swap=("noise = math.sqrt", "noise = 2.0 * math.sqrt"),
        caught_by=("lee2024/theorem-3.7-programs:laws",),
    ),
    Mutant(
        name="lee2024-sign-threshold",
        bug="Holds the noisy count against n/4.",
        replaces=f"{_PLACE}:noisy_median_sign",
        swap=("n / 2.0", "n / 4.0"),
        caught_by=("lee2024/theorem-3.7-programs:laws",),
    ),
    Mutant(
        name="lee2024-rank-one",
        bug="Takes rank 1 for rank d.",
        replaces=f"{_PLACE}:exponential_mechanism",
        swap=("rank=d", "rank=1"),
        caught_by=("lee2024/theorem-3.7-programs:laws",),
    ),
    Mutant(
        name="lee2024-mean-unclipped",
        bug="Leaves the projection out of the noisy mean.",
        replaces=f"{_PLACE}:noisy_mean",
        swap=("clip_to_cube((counts", "((counts"),
        caught_by=("lee2024/theorem-3.7-programs:laws",),
    ),
]
