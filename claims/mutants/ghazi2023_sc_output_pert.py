"""SCOutputPert and its certificates of ghazi2023 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

MUTANTS = [
    Mutant(
        name="ghazi2023-sc-output-pert-last-step",
        bug="Lemma C.1 without the triangle inequality for the last user.",
        replaces="implementations.ghazi2023.certificate:lemma_factor",
        swap=("r / left + (r + 1) / (left - 1)", "r / left"),
        caught_by=("ghazi2023/lemma-c.1:corrected",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-quadratic-without-s",
        bug="The sharp factor as if nobody were deleted before.",
        replaces="implementations.ghazi2023.certificate:quadratic_factor",
        swap=("n / (left * (left - 1))", "n / (n * (n - 1))"),
        caught_by=("ghazi2023/lemma-c.1:corrected",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-half-target",
        bug="5G√log(1/β)/(μn√m) for 10G: the target of half the constant.",
        replaces="implementations.ghazi2023.sc_output_pert:target_sensitivity",
        swap=("return 10.0 *", "return 5.0 *"),
        caught_by=("ghazi2023/algorithm-3", "ghazi2023/theorem-3.1:corrected", "ghazi2023/table-1"),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-no-root-m",
        bug="m for √m.",
        replaces="implementations.ghazi2023.sc_output_pert:target_sensitivity",
        swap=("(strong_convexity * n * math.sqrt(m))", "(strong_convexity * n * m)"),
        caught_by=("ghazi2023/theorem-3.1:corrected", "ghazi2023/algorithm-3"),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-no-union",
        bug="The corrected Δ without the union over users and subsets.",
        replaces="implementations.ghazi2023.sc_output_pert:target_sensitivity",
        swap=("log_term += (4 * kappa + 1) * math.log(n)", "log_term += 0.0"),
        caught_by=("ghazi2023/theorem-3.1:corrected",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-no-noise-calibration",
        bug="Hands β for δ to Algorithm 1.",
        replaces="implementations.ghazi2023.sc_output_pert:parameters",
        swap=(
            "return del_output_pert.parameters(epsilon, delta, sensitivity)",
            "return del_output_pert.parameters(epsilon, beta, sensitivity)",
        ),
        caught_by=("ghazi2023/algorithm-3",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-noise-on-one-axis",
        bug="A noise of half the scale where the certificate holds.",
        replaces="implementations.ghazi2023.sc_output_pert:sc_output_pert",
        swap=("noise = p.sigma *", "noise = 0.0 *"),
        caught_by=("ghazi2023/theorem-4.1",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-certificate-of-2-kappa",
        bug="Certifies stability under 2κ deletions.",
        replaces="implementations.ghazi2023.sc_output_pert:certified",
        swap=("r = 4 * p.kappa", "r = 2 * p.kappa"),
        caught_by=("ghazi2023/algorithm-2",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-certificate-against-sigma",
        bug="Holds the certificate against σ.",
        replaces="implementations.ghazi2023.sc_output_pert:certified",
        swap=("<= p.target", "<= p.sigma"),
        caught_by=("ghazi2023/algorithm-2",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-always-quadratic",
        bug="Takes the sharp factor for every loss.",
        replaces="implementations.ghazi2023.sc_output_pert:certified",
        swap=("quadratic_factor(n, r) if quadratic else lemma_factor(n, r)", "quadratic_factor(n, r)"),
        caught_by=("ghazi2023/algorithm-2",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-mean-norm",
        bug="The mean norm of the users' gradients for the largest.",
        replaces="implementations.ghazi2023.sc_output_pert:largest_norm",
        swap=(".max(axis=-1)", ".mean(axis=-1)"),
        caught_by=("ghazi2023/algorithm-2",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-answers-without-certificate",
        bug="Answers where nothing is certified.",
        replaces="implementations.ghazi2023.sc_output_pert:sc_output_pert",
        swap=("np.where(good[:, None], minimiser + noise, np.nan)", "minimiser + noise"),
        caught_by=("ghazi2023/algorithm-2",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-one-noise-for-all",
        bug="One noise for all trials.",
        replaces="implementations.ghazi2023.sc_output_pert:sc_output_pert",
        swap=("rng.standard_normal(minimiser.shape)", "rng.standard_normal((1, minimiser.shape[1]))"),
        caught_by=("ghazi2023/algorithm-2",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-one-noise-for-all-coordinates",
        bug="The same noise in all coordinates.",
        replaces="implementations.ghazi2023.sc_output_pert:sc_output_pert",
        swap=("rng.standard_normal(minimiser.shape)", "rng.standard_normal((minimiser.shape[0], 1))"),
        caught_by=("ghazi2023/algorithm-2",),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-fourth-root-of-m",
        bug="Noise that falls like m^(−1/4).",
        replaces="implementations.ghazi2023.sc_output_pert:target_sensitivity",
        swap=("n * math.sqrt(m))", "n * m**0.25)"),
        caught_by=(
            "ghazi2023/algorithm-2",
            "ghazi2023/theorem-4.1",
            "ghazi2023/theorem-4.1:fixed-n",
            "ghazi2023/theorem-4.3",
            "ghazi2023/theorem-5.1:last-phase",
            "ghazi2023/theorem-5.3:last-phase",
        ),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-noise-off-in-d",
        bug="Noise of scale σ·√d.",
        replaces="implementations.ghazi2023.sc_output_pert:sc_output_pert",
        swap=("noise = p.sigma *", "noise = p.sigma * minimiser.shape[1] ** 0.5 *"),
        caught_by=(
            "ghazi2023/theorem-4.1",
            "ghazi2023/theorem-4.3",
            "ghazi2023/theorem-5.1:last-phase",
            "ghazi2023/theorem-5.3:last-phase",
        ),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-noise-off-in-n",
        bug="Noise that falls like n^(−3/4).",
        replaces="implementations.ghazi2023.sc_output_pert:target_sensitivity",
        swap=("* n * math.sqrt(m))", "* n**0.75 * math.sqrt(m))"),
        caught_by=("ghazi2023/theorem-4.1", "ghazi2023/theorem-4.3"),
    ),
    Mutant(
        name="ghazi2023-sc-output-pert-noise-free-of-users",
        bug="Noise of one user, whatever n.",
        replaces="implementations.ghazi2023.sc_output_pert:target_sensitivity",
        swap=("* n * math.sqrt(m))", "* math.sqrt(m))"),
        caught_by=("ghazi2023/theorem-5.3:many-users",),
    ),
]
