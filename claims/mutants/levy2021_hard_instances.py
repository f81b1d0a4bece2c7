"""The instances of the lower bounds of levy2021 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="levy2021-ones-and-zeros-exchanged",
        bug="Gives the number of zeros where the number of ones is asked for.",
        replaces="implementations.levy2021.hard_instances:zero_one_users",
        swap=("[n - ones, ones]", "[ones, n - ones]"),
        caught_by=("levy2021/limit-fixed-n",),
    ),
    Mutant(
        name="levy2021-excess-without-radius",
        bug="Compares with the minimiser of the unit ball, whatever R is.",
        replaces="implementations.levy2021.hard_instances:LinearLoss.excess",
        swap=("self.radius * math.sqrt(float(mu @ mu))", "math.sqrt(float(mu @ mu))"),
        caught_by=("levy2021/proposition-6",),
    ),
]
