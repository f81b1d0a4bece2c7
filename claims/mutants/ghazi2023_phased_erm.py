"""Phased-ERM of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-phased-erm-whole-budget",
        bug="Gives every phase the whole ε.",
        replaces="implementations.ghazi2023.phased_erm:phased_erm",
        swap=("epsilon / phases, delta / phases", "epsilon, delta / phases"),
        caught_by=("ghazi2023/algorithm-3",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-whole-beta",
        bug="Gives every phase the whole β.",
        replaces="implementations.ghazi2023.phased_erm:phased_erm",
        swap=("delta / phases, beta / phases", "delta / phases, beta"),
        caught_by=("ghazi2023/algorithm-3",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-phases-of-n",
        bug="⌈log n⌉ phases for ⌈log(nm)⌉.",
        replaces="implementations.ghazi2023.phased_erm:phase_count",
        swap=("logarithm(n * m, base)", "logarithm(n, base)"),
        caught_by=("ghazi2023/algorithm-3",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-doubling",
        bug="λᵢ = 2ⁱλ for 4ⁱλ.",
        replaces="implementations.ghazi2023.phases:run_phase",
        swap=("base * 4.0**index", "base * 2.0**index"),
        caught_by=("ghazi2023/algorithm-3",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-lipschitz-g",
        bug="Runs SCOutputPert with G for 2G.",
        replaces="implementations.ghazi2023.phases:run_phase",
        swap=("2.0 * users.lipschitz", "users.lipschitz"),
        caught_by=("ghazi2023/algorithm-3",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-no-projection",
        bug="Leaves θ̂ᵢ outside 𝒦 in the corrected variant.",
        replaces="implementations.ghazi2023.phases:run_phase",
        swap=("theta = project(theta, domain)", "theta = theta"),
        caught_by=("ghazi2023/algorithm-3:feasible-sets-corrected",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-regulariser-without-n",
        bug="λ = G√d/(R√m).",
        replaces="implementations.ghazi2023.phased_erm:printed_regulariser",
        swap=("(diameter * n * math.sqrt(m))", "(diameter * math.sqrt(m))"),
        caught_by=("ghazi2023/algorithm-3",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-centre-forgotten",
        bug="Regularises about θ̂₀ in every phase.",
        replaces="implementations.ghazi2023.phased_erm:phased_erm",
        swap=("theta = phase.theta", "theta = theta"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-minimiser-handed-on",
        bug="The next phase starts at θ*ᵢ, data without noise.",
        replaces="implementations.ghazi2023.phased_erm:phased_erm",
        swap=("theta = phase.theta", "theta = phase.minimiser"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-no-ball",
        bug="Optimises over 𝒦 for 𝒦ᵢ.",
        replaces="implementations.ghazi2023.phases:run_phase",
        swap=("[*domain, Ball(centre, radius)]", "[*domain]"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-ball-only",
        bug="Optimises over the ball for 𝒦ᵢ.",
        replaces="implementations.ghazi2023.phases:run_phase",
        swap=("[*domain, Ball(centre, radius)]", "[Ball(centre, radius)]"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-diameter-for-radius",
        bug="A ball of radius 2Rᵢ.",
        replaces="implementations.ghazi2023.phases:run_phase",
        swap=("[*domain, Ball(centre, radius)]", "[*domain, Ball(centre, 2.0 * radius)]"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-certificate-without-curvature",
        bug="Certifies at λᵢ for c + λᵢ.",
        replaces="implementations.ghazi2023.phases:run_phase",
        swap=("users.curvature + regulariser, rng", "regulariser, rng"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-certificate-of-more-users",
        bug="Certifies for ten times the users.",
        replaces="implementations.ghazi2023.phases:run_phase",
        swap=("users.n, p, users.curvature", "10 * users.n, p, users.curvature"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-phased-erm-noise-off-in-eps",
        bug="The budget of a phase is ε²/T.",
        replaces="implementations.ghazi2023.phased_erm:phased_erm",
        swap=("epsilon / phases, delta / phases", "epsilon**2 / phases, delta / phases"),
        caught_by=("ghazi2023/theorem-4.1", "ghazi2023/theorem-4.3"),
    ),
    Mutant(
        name="ghazi2023-phased-erm-regulariser-with-m",
        bug="λ = G√d/(Rnm).",
        replaces="implementations.ghazi2023.phased_erm:printed_regulariser",
        swap=("math.sqrt(m)", "m"),
        caught_by=("ghazi2023/algorithm-3",),
    ),
]
