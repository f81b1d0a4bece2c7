"""Strongly-Convex-ERM of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-strongly-convex-erm-whole-epsilon",
        bug="Spends (ε, δ/2) on each half.",
        replaces="implementations.ghazi2023.strongly_convex_erm:strongly_convex_erm",
        swap=("half = (epsilon / 2.0, delta / 2.0)", "half = (epsilon, delta / 2.0)"),
        caught_by=("ghazi2023/algorithm-5-privacy",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-erm-radius-without-d",
        bug="R′ without √d.",
        replaces="implementations.ghazi2023.strongly_convex_erm:noise_radius",
        swap=("math.sqrt(d * math.log(1.0 / beta))", "math.sqrt(math.log(1.0 / beta))"),
        caught_by=("ghazi2023/algorithm-5-privacy",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-erm-corrected-radius-short",
        bug="The corrected R′ without the 2 under the root.",
        replaces="implementations.ghazi2023.strongly_convex_erm:noise_radius",
        swap=("math.sqrt(2.0 * math.log(1.0 / beta))", "math.sqrt(0.5 * math.log(1.0 / beta))"),
        caught_by=("ghazi2023/algorithm-5:corrected",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-erm-diameter-of-domain",
        bug="λ from the old radius.",
        replaces="implementations.ghazi2023.strongly_convex_erm:strongly_convex_erm",
        swap=("printed_regulariser(users.lipschitz, radius,", "printed_regulariser(users.lipschitz, 1.0,"),
        caught_by=("ghazi2023/algorithm-5-privacy",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-erm-no-ball",
        bug="Optimises over 𝒦 for 𝒦′.",
        replaces="implementations.ghazi2023.strongly_convex_erm:strongly_convex_erm",
        swap=("[*domain, Ball(first, radius)]", "[*domain]"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-erm-start-forgotten",
        bug="Starts Phased-ERM at the origin's projection.",
        replaces="implementations.ghazi2023.strongly_convex_erm:strongly_convex_erm",
        swap=("inside = project(first, smaller)", "inside = project(start, smaller)"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-erm-not-projected",
        bug="Leaves θ₀ outside 𝒦 in the corrected form.",
        replaces="implementations.ghazi2023.strongly_convex_erm:localise",
        swap=("project(theta, domain)", "theta"),
        caught_by=("ghazi2023/transcripts",),
    ),
]
