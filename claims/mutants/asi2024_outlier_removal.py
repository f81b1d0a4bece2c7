"""The outlier-removing mean of asi2024 (Algorithm 1) with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_MODULE = "implementations.asi2024.outlier_removal"
MUTANTS = [
    Mutant(
        name="asi2024-noise-of-one-query",
        bug="Leaves T out of the variance of line 14.",
        replaces=f"{_MODULE}:printed_noise",
        swap=("8.0 * queries * first", "8.0 * first"),
        caught_by=("asi2024/theorem-3.2-utility:corrected",),
    ),
    Mutant(
        name="asi2024-noise-linear-in-queries",
        bug="Composes T answers linearly: σ grows like T.",
        replaces=f"{_MODULE}:printed_noise",
        swap=("8.0 * queries * first", "8.0 * queries**2 * first"),
        caught_by=("asi2024/theorem-3.2-utility:corrected",),
    ),
    Mutant(
        name="asi2024-noise-not-over-users",
        bug="Divides the noise by √n, as if it were averaged.",
        replaces=f"{_MODULE}:printed_noise",
        swap=("/ (n * epsilon)", "/ (math.sqrt(n) * epsilon)"),
        caught_by=("asi2024/theorem-4.1-utility:corrected", "asi2024/theorem-3.2-utility:corrected"),
    ),
    Mutant(
        name="asi2024-whole-budget-for-the-check",
        bug="Passes ε in place of ε/2 to AboveThreshold: the answers then have no budget of their own.",
        replaces=f"{_MODULE}:printed_plan",
        swap=("budget=epsilon / 2.0", "budget=epsilon"),
        caught_by=("asi2024/theorem-3.2-utility:corrected",),
    ),
    Mutant(
        name="asi2024-corrected-budget-of-sensitivity-one",
        bug="Passes ε/2 in the corrected plan: forgets that the score has sensitivity 2 − 2/n.",
        replaces=f"{_MODULE}:corrected_plan",
        swap=("budget=epsilon / 4.0", "budget=epsilon / 2.0"),
        caught_by=("asi2024/lemma-3.6:corrected",),
    ),
    Mutant(
        name="asi2024-corrected-noise-of-one-query",
        bug="Leaves √T out of the corrected noise.",
        replaces=f"{_MODULE}:corrected_plan",
        swap=("moved * math.sqrt(queries)", "moved"),
        caught_by=("asi2024/lemma-3.6:corrected",),
    ),
    Mutant(
        name="asi2024-corrected-noise-whole-budget",
        bug="Calibrates the corrected noise to ε in place of ε/2: the check's half is spent twice.",
        replaces=f"{_MODULE}:corrected_plan",
        swap=("mu_star(epsilon / 2.0", "mu_star(epsilon"),
        caught_by=("asi2024/lemma-3.6:corrected",),
    ),
    Mutant(
        name="asi2024-too-few-users",
        bug="Takes the 120 of a check with budget ε/2 for the number of users.",
        replaces=f"{_MODULE}:corrected_users",
        swap=("240.0", "120.0"),
        caught_by=("asi2024/lemma-3.6:corrected",),
    ),
    Mutant(
        name="asi2024-replaced-user-once",
        bug="Counts the replaced user once: she may be kept in both datasets, at two places.",
        replaces=f"{_MODULE}:displacement_bound",
        swap=("(flips(zeta) + 2)", "(flips(zeta) + 1)"),
        caught_by=("asi2024/lemma-3.5:corrected", "asi2024/lemma-3.6:corrected"),
    ),
    Mutant(
        name="asi2024-flips-of-the-proof",
        bug="Takes the mean 1 of the printed Lemma 3.3 for the number of users that flip.",
        replaces=f"{_MODULE}:displacement_bound",
        swap=("flips(zeta)", "flips(zeta, 1.0)"),
        caught_by=("asi2024/lemma-3.5:corrected", "asi2024/lemma-3.6:corrected"),
    ),
    Mutant(
        name="asi2024-counts-within-tau",
        bug="Counts users within τ in line 8, where the algorithm has 2τ.",
        replaces=f"{_MODULE}:look",
        swap=("neighbour_counts(x, 2.0 * tau, w)", "neighbour_counts(x, tau, w)"),
        caught_by=("asi2024/lemma-3.7:program",),
    ),
    Mutant(
        name="asi2024-check-left-out",
        bug="Answers whatever AboveThreshold says.",
        replaces=f"{_MODULE}:OutlierRemovingMean.answer",
        swap=(
            "self.running & self._above.answer(seen.score)",
            "self.running | self._above.answer(seen.score)",
        ),
        caught_by=("asi2024/lemma-3.7:program",),
    ),
    Mutant(
        name="asi2024-answer-noise-shared",
        bug="Draws one noise for all runs that are done side by side.",
        replaces=f"{_MODULE}:OutlierRemovingMean.answer",
        swap=("standard_normal(means.shape)", "standard_normal(means.shape[1])"),
        caught_by=("asi2024/theorem-3.2-utility:program",),
    ),
    Mutant(
        name="asi2024-answer-noise-half",
        bug="Adds half of the noise of the plan.",
        replaces=f"{_MODULE}:OutlierRemovingMean.answer",
        swap=("plan.noise * self._rng", "0.5 * plan.noise * self._rng"),
        caught_by=("asi2024/theorem-3.2-utility:program",),
    ),
    Mutant(
        name="asi2024-mean-over-all-users",
        bug="Divides the sum over the kept users by n in place of their number.",
        replaces=f"{_MODULE}:kept_mean",
        swap=("np.maximum(kept.sum(axis=-1, keepdims=True), 1.0)", "w.sum()"),
        caught_by=("asi2024/lemma-3.7:program",),
    ),
    Mutant(
        name="asi2024-keeps-the-outliers",
        bug="Keeps users with probability 1 − p.",
        replaces=f"{_MODULE}:kept_mean",
        swap=("rng.random(shape) < p", "rng.random(shape) >= p"),
        caught_by=("asi2024/lemma-3.7:program",),
    ),
]
