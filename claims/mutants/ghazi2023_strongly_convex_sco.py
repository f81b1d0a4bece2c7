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
]
