"""Minimisers on intersections of balls of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-feasible-first-ball-only",
        bug="Projects onto the first of two balls.",
        replaces="implementations.ghazi2023.feasible:_onto_two",
        swap=("contains(one, second, slack / second.radius)", "contains(one, first, slack / first.radius)"),
        caught_by=("ghazi2023/lemma-4.2",),
    ),
    Mutant(
        name="ghazi2023-feasible-meeting-off",
        bug="Forgets the smaller ball's centre where the two spheres meet.",
        replaces="implementations.ghazi2023.feasible:_onto_two",
        swap=("meeting = small.centre + along * unit", "meeting = along * unit"),
        caught_by=("ghazi2023/lemma-4.2",),
    ),
    Mutant(
        name="ghazi2023-feasible-no-curvature",
        bug="The minimiser without the loss's own curvature.",
        replaces="implementations.ghazi2023.quadratic:regularised_minimiser",
        swap=("hessian = users.curvature + regulariser", "hessian = regulariser + 0.0 * users.curvature"),
        caught_by=("ghazi2023/lemma-4.2",),
    ),
    Mutant(
        name="ghazi2023-feasible-wrong-sign",
        bug="Climbs the loss.",
        replaces="implementations.ghazi2023.quadratic:regularised_minimiser",
        swap=("regulariser * centre - users.mean", "regulariser * centre + users.mean"),
        caught_by=("ghazi2023/lemma-4.2",),
    ),
]
