"""The instances of appendix D of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-hard-instances-delta-of-24",
        bug="The corrected δ with 8 for 34.",
        replaces="implementations.ghazi2023.hard_instances:corrected_delta",
        swap=("math.sqrt(d) / (34.0 * psi * n)", "math.sqrt(d) / (8.0 * psi * n)"),
        caught_by=("ghazi2023/theorem-d.4:corrected",),
    ),
    Mutant(
        name="ghazi2023-hard-instances-shows-all",
        bug="Shows all users.",
        replaces="implementations.ghazi2023.hard_instances:shown_users",
        swap=("math.floor(delta * n * (1.0 + 1e-12))", "n"),
        caught_by=("ghazi2023/theorem-d.4:spends-delta",),
    ),
    Mutant(
        name="ghazi2023-hard-instances-error-without-m",
        bug="The error of the shown mean without m.",
        replaces="implementations.ghazi2023.hard_instances:name_and_shame_error",
        swap=("(k * m)", "k"),
        caught_by=("ghazi2023/theorem-d.4:spends-delta",),
    ),
    Mutant(
        name="ghazi2023-hard-instances-one-user-always",
        bug="Shows the first k users for k at random.",
        replaces="implementations.ghazi2023.hard_instances:name_and_shame",
        swap=(
            "chosen = np.argpartition(rng.random((size, n)), k - 1, axis=1)[:, :k]",
            "chosen = np.tile(np.arange(k), (size, 1))",
        ),
        caught_by=("ghazi2023/theorem-d.4:spends-delta",),
    ),
    Mutant(
        name="ghazi2023-hard-instances-sigma-without-root-d",
        bug="σ = B/(1000·d) in the instance.",
        replaces="implementations.ghazi2023.hard_instances:Instance.sigma",
        swap=("1000.0 * math.sqrt(self.d)", "1000.0 * self.d"),
        caught_by=("ghazi2023/theorem-d.7:corrected",),
    ),
    Mutant(
        name="ghazi2023-hard-instances-rounds-up",
        bug="Shows ⌈δn⌉ users.",
        replaces="implementations.ghazi2023.hard_instances:shown_users",
        swap=("math.floor(delta * n * (1.0 + 1e-12))", "math.ceil(delta * n)"),
        caught_by=("ghazi2023/theorem-d.4:corrected",),
    ),
    Mutant(
        name="ghazi2023-hard-instances-once-lipschitz",
        bug="Calls the instance G-Lipschitz.",
        replaces="implementations.ghazi2023.hard_instances:Instance.steepest",
        swap=("2.0 * self.radius", "self.radius"),
        caught_by=("ghazi2023/theorem-d.7:corrected",),
    ),
    Mutant(
        name="ghazi2023-hard-instances-log-without-root",
        bug="log for √log in the admitted δ.",
        replaces="implementations.ghazi2023.hard_instances:log_admitted_delta",
        swap=("0.5 * math.log", "math.log"),
        caught_by=("ghazi2023/theorem-d.4:corrected",),
    ),
]
