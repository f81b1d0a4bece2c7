"""TDLap of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-truncated-laplace-no-plus-one",
        bug="Forgets the 1 in κ = 1 + ⌈ln(1/δ)/ε⌉: an endpoint may hold more than δ.",
        replaces="implementations.ghazi2023.truncated_laplace:half_width",
        swap=("return 1 + math.ceil", "return math.ceil"),
        caught_by=("ghazi2023/definition-3.4",),
    ),
    Mutant(
        name="ghazi2023-truncated-laplace-floor-width",
        bug="Rounds κ down.",
        replaces="implementations.ghazi2023.truncated_laplace:half_width",
        swap=("math.ceil(math.log(1.0 / delta) / epsilon)", "math.floor(math.log(1.0 / delta) / epsilon)"),
        caught_by=("ghazi2023/definition-3.4",),
    ),
    Mutant(
        name="ghazi2023-truncated-laplace-double-rate",
        bug="Decays with 2ε: the ratio of neighbouring masses is e^{2ε}.",
        replaces="implementations.ghazi2023.truncated_laplace:mass",
        swap=("np.exp(-epsilon *", "np.exp(-2.0 * epsilon *"),
        caught_by=("ghazi2023/definition-3.4",),
    ),
    Mutant(
        name="ghazi2023-truncated-laplace-unshifted",
        bug="Centres at 0 for κ: the mass at 0 is the largest.",
        replaces="implementations.ghazi2023.truncated_laplace:mass",
        swap=("- kappa))", "- 0))"),
        caught_by=("ghazi2023/definition-3.4",),
    ),
    Mutant(
        name="ghazi2023-truncated-laplace-tail-off-by-one",
        bug="P(R > s) for P(R ≥ s).",
        replaces="implementations.ghazi2023.truncated_laplace:upper_tail",
        swap=(
            "np.concatenate((np.cumsum(mass(epsilon, delta)[::-1])[::-1], [0.0]))",
            "np.concatenate((np.cumsum(mass(epsilon, delta)[::-1])[::-1][1:], [0.0, 0.0]))",
        ),
        caught_by=("ghazi2023/definition-3.4", "ghazi2023/theorem-3.3-utility"),
    ),
    Mutant(
        name="ghazi2023-truncated-laplace-one-draw-for-all",
        bug="One uniform number for all draws of a call.",
        replaces="implementations.ghazi2023.truncated_laplace:draw",
        swap=("rng.random(size)", "np.full(size, rng.random())"),
        caught_by=("ghazi2023/algorithm-1",),
    ),
    Mutant(
        name="ghazi2023-truncated-laplace-shifted-draws",
        bug="Draws R + 1 for R.",
        replaces="implementations.ghazi2023.truncated_laplace:draw",
        swap=('side="right")', 'side="right") + 1'),
        caught_by=("ghazi2023/algorithm-1",),
    ),
]
