"""Strongly-Convex-SCO of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-strongly-convex-sco-no-sampling-room",
        bug="R′ holds the noise only.",
        replaces="implementations.ghazi2023.strongly_convex_sco:sampling_radius",
        swap=("unit * math.sqrt(math.log(1.0 / beta))", "0.0 * unit * math.sqrt(math.log(1.0 / beta))"),
        caught_by=("ghazi2023/algorithm-6-privacy",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-sco-whole-delta",
        bug="Spends δ on each half.",
        replaces="implementations.ghazi2023.strongly_convex_sco:strongly_convex_sco",
        swap=("delta / 2.0)", "delta)"),
        caught_by=("ghazi2023/algorithm-6-privacy",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-sco-no-root-nm",
        bug="1/(nm) for 1/√(nm) in R′.",
        replaces="implementations.ghazi2023.strongly_convex_sco:sampling_radius",
        swap=("(strong_convexity * math.sqrt(n * m))", "(strong_convexity * n * m)"),
        caught_by=("ghazi2023/algorithm-6-privacy", "ghazi2023/algorithm-6:corrected"),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-sco-no-ball",
        bug="Optimises over 𝒦 for 𝒦′.",
        replaces="implementations.ghazi2023.strongly_convex_sco:strongly_convex_sco",
        swap=("[*domain, Ball(first, radius)]", "[*domain]"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-sco-start-forgotten",
        bug="Starts Phased-SCO at the origin.",
        replaces="implementations.ghazi2023.strongly_convex_sco:strongly_convex_sco",
        swap=("inside = project(first, smaller)", "inside = start"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-strongly-convex-sco-constant-of-b1",
        bug="The corrected R′ with 3 for the 30 of Proposition B.1.",
        replaces="implementations.ghazi2023.strongly_convex_sco:sampling_radius",
        swap=("unit * 30.0", "unit * 3.0"),
        caught_by=("ghazi2023/transcripts",),
    ),
]
