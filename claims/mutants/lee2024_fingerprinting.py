"""The fingerprinting code of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.fingerprinting"

MUTANTS = [
    Mutant(
        name="lee2024-uniform-means",
        bug="Draws the means uniformly, not as sin^2 of a uniform angle.",
        replaces=f"{_PLACE}:generate",
        swap=(
            "np.sin(rng.uniform(edge, math.pi / 2.0 - edge, d)) ** 2",
            "rng.uniform(math.sin(edge) ** 2, math.cos(edge) ** 2, d)",
        ),
        caught_by=("lee2024/definition-c.4:scores",),
    ),
    Mutant(
        name="lee2024-q-upside-down",
        bug="Takes sqrt(p/(1-p)) for q.",
        replaces=f"{_PLACE}:scores",
        swap=("np.sqrt((1.0 - p) / p)", "np.sqrt(p / (1.0 - p))"),
        caught_by=("lee2024/definition-c.4:scores",),
    ),
    Mutant(
        name="lee2024-uncentred",
        bug="Scores a 0 with -q, not with -1/q.",
        replaces=f"{_PLACE}:scores",
        swap=("(1.0 / q).sum()", "q.sum()"),
        caught_by=("lee2024/definition-c.4:scores",),
    ),
    Mutant(
        name="lee2024-short",
        bug="Makes the code a quarter as long.",
        replaces=f"{_PLACE}:length",
        swap=("100.0", "25.0"),
        caught_by=("lee2024/definition-c.4:corrected",),
    ),
    Mutant(
        name="lee2024-low-threshold",
        bug="Takes 5 for 20 in Z.",
        replaces=f"{_PLACE}:score_scale",
        swap=("20.0", "5.0"),
        caught_by=("lee2024/definition-c.4:corrected",),
    ),
    Mutant(
        name="lee2024-order-forward",
        bug="Applies the permutation again where Trace has to undo it.",
        replaces=f"{_PLACE}:uncover",
        swap=("straight[hidden.order] = c", "straight = c[hidden.order]"),
        caught_by=("lee2024/definition-c.4:simulated",),
    ),
    Mutant(
        name="lee2024-wide-cutoff",
        bug="Takes t = 1/(30n).",
        replaces=f"{_PLACE}:cutoff",
        swap=("300.0", "30.0"),
        caught_by=("lee2024/definition-c.4:corrected",),
    ),
    Mutant(
        name="lee2024-dummies-misplaced",
        bug="Removes the wrong columns: keeps the last d.",
        replaces=f"{_PLACE}:uncover",
        swap=("straight[: hidden.inner.means.size]", "straight[-hidden.inner.means.size :]"),
        caught_by=("lee2024/definition-c.4:simulated",),
    ),
    Mutant(
        name="lee2024-bits-flipped",
        bug="Writes a 1 with probability 1 - p.",
        replaces=f"{_PLACE}:generate",
        swap=("(draws <", "(draws >="),
        caught_by=("lee2024/algorithm-2:laws",),
    ),
    Mutant(
        name="lee2024-cutoff-left-out",
        bug="Draws the angles from the whole quarter circle.",
        replaces=f"{_PLACE}:generate",
        swap=("edge = math.asin(math.sqrt(cutoff(n)))", "edge = 0.0"),
        caught_by=("lee2024/algorithm-2",),
    ),
    Mutant(
        name="lee2024-score-unnormalised",
        bug="Scores without q.",
        replaces=f"{_PLACE}:scores",
        swap=("q = np.sqrt((1.0 - p) / p)", "q = np.ones_like(p)"),
        caught_by=("lee2024/algorithm-2",),
    ),
    Mutant(
        name="lee2024-threshold-halved",
        bug="Halves both thresholds.",
        replaces=f"{_PLACE}:accused",
        swap=("THRESHOLDS[threshold] * scale", "0.5 * THRESHOLDS[threshold] * scale"),
        caught_by=("lee2024/algorithm-2",),
    ),
    Mutant(
        name="lee2024-accuse-both-tails",
        bug="Accuses users with very negative scores too.",
        replaces=f"{_PLACE}:accused",
        swap=("scores(code, pirate) >", "np.abs(scores(code, pirate)) >"),
        caught_by=("lee2024/algorithm-2",),
    ),
    Mutant(
        name="lee2024-no-permutation",
        bug="Leaves the columns in their order.",
        replaces=f"{_PLACE}:generate_hidden",
        swap=("rng.permutation(5 * d)", "np.arange(5 * d)"),
        caught_by=("lee2024/algorithm-2:laws",),
    ),
    Mutant(
        name="lee2024-dummies-fewer",
        bug="Appends d columns of ones, not 2d.",
        replaces=f"{_PLACE}:generate_hidden",
        swap=("3 * d :", "4 * d :"),
        caught_by=("lee2024/algorithm-2",),
    ),
    Mutant(
        name="lee2024-trace-first",
        bug="Returns the first accused user, not a random one.",
        replaces=f"{_PLACE}:trace",
        swap=("int(rng.choice(guilty))", "int(guilty[0])"),
        caught_by=("lee2024/algorithm-2:laws",),
    ),
    Mutant(
        name="lee2024-length-floor",
        bug="Rounds the length down.",
        replaces=f"{_PLACE}:length",
        swap=("math.ceil", "math.floor"),
        caught_by=("lee2024/algorithm-2",),
    ),
]
