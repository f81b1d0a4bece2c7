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
    Mutant(
        name="ghazi2023-feasible-third-ball-forgotten",
        bug="Takes the answer for two balls of three.",
        replaces="implementations.ghazi2023.feasible:_onto_known",
        swap=("balls[k], balls[k - 1], balls[k - 2]", "balls[k], balls[k - 1], balls[k]"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-feasible-empty-set-answered",
        bug="Answers where the balls do not meet.",
        replaces="implementations.ghazi2023.feasible:_onto_two",
        swap=("np.where(apart, np.nan, result)", "result"),
        caught_by=("ghazi2023/transcripts",),
    ),
    Mutant(
        name="ghazi2023-feasible-half-the-kink",
        bug="The kink draws half as far.",
        replaces="implementations.ghazi2023.quadratic:Kink.proximal",
        swap=("self.slope / (hessian", "self.slope / (2.0 * hessian"),
        caught_by=("ghazi2023/lemma-4.2",),
    ),
    Mutant(
        name="ghazi2023-feasible-kink-outside",
        bug="The kink's minimiser where it is outside the set.",
        replaces="implementations.ghazi2023.quadratic:regularised_minimiser",
        swap=("np.where(inside[:, None], free, np.nan)", "free"),
        caught_by=("ghazi2023/lemma-4.2",),
    ),
    Mutant(
        name="ghazi2023-feasible-excess-with-c",
        bug="c‖θ‖² for (c/2)‖θ‖² in the excess loss.",
        replaces="implementations.ghazi2023.quadratic:Summary.excess",
        swap=("0.5 * self.curvature", "self.curvature"),
        caught_by=("ghazi2023/lemma-4.2",),
    ),
    Mutant(
        name="ghazi2023-feasible-open-rows-of-all",
        bug="Writes answers of the open rows to all rows.",
        replaces="implementations.ghazi2023.feasible:_onto_known",
        swap=(
            "result[open_rows] = np.where(inside[:, None], nearest, np.nan)",
            "result[:] = np.where(inside[:, None], nearest, np.nan)[:1]",
        ),
        caught_by=("ghazi2023/feasible-sets",),
    ),
    Mutant(
        name="ghazi2023-feasible-slack-of-the-pair",
        bug="Decides what lies in a ball to a share of the pair's smaller radius.",
        replaces="implementations.ghazi2023.feasible:_onto_two",
        swap=("slack = 1e-9 * scale", "slack = 1e-9 * small.radius"),
        caught_by=("ghazi2023/feasible-sets",),
    ),
    Mutant(
        name="ghazi2023-feasible-centre-unknown",
        bug="Answers where a centre is NaN.",
        replaces="implementations.ghazi2023.feasible:project",
        swap=("| ~_centres_known(balls, len(points))", "& True"),
        caught_by=("ghazi2023/feasible-sets",),
    ),
]
