"""Ghazi, Kamath, Kumar, Meka, Manurangsi and Zhang (2023): private convex optimisation for whole users."""

from claims import Adjacency, Misprint, Paper

PAPER = Paper(
    "ghazi2023",
    reference="B. Ghazi, P. Kamath, R. Kumar, R. Meka, P. Manurangsi, C. Zhang: On User-Level Private "
    "Convex Optimization. ICML 2023",
    adjacency=Adjacency.REPLACE,
    findings=(
        "algorithm-4-utility",
        "algorithm-3:feasible-sets",
        "algorithm-2-utility",
        "theorem-3.6-proof",
        "theorem-5.1-proof",
        "theorem-5.3-proof",
        "lemma-c.1:any-subgradient",
        "theorem-d.4",
        "section-6-runtime:phases",
        "section-1.2-dimension",
        "section-1.2-fixed-n",
        "section-6-dependence",
        "theorem-d.7-proof",
        "section-1.2-smoothness",
    ),
    misprints=(
        Misprint(
            "Section 1.2, tightness",
            "Ω(1/√n + √d/(εn√m)) for convex SCO, after Levy et al., and d/(εn²m) for strongly convex ERM",
            "1/√(nm) and d/(ε²n²m), as in appendix D: a bound of 1/√n for every m contradicts Theorem 5.1",
        ),
        Misprint(
            "Observation 3.5, proof, section 3.1",
            "r₂ = 4κ − r₁",
            "r₂ = 4κ − |S′|, as in line 5 of Algorithm 1",
        ),
        Misprint(
            "Section 3.2, after Theorem 3.6",
            "“the function f being the empirical loss”",
            "its minimiser, as in line 4 of Algorithm 2",
        ),
        Misprint(
            "Algorithms 3 and 4, line 11",
            "θᵢ₋₁ as the centre of the ball",
            "θ̂ᵢ₋₁, which line 10 has",
        ),
        Misprint(
            "Algorithms 3 to 6",
            "nothing for a call of SCOutputPert that returns ⊥",
            "⊥, or any point of 𝒦, for the whole: both are post-processing",
        ),
        Misprint(
            "Algorithm 4, line 12, section 5.1",
            "users ℓ ∈ [2⁻ⁱn, 2⁻ⁱ⁺¹n]",
            "(2⁻ⁱn, 2⁻ⁱ⁺¹n], as the text says “do not reuse sample points across phases”: taken literally, a "
            "user is in two phases where 2⁻ⁱn is whole, and δ at ε = 1 is 2·10⁻⁵ where 10⁻⁶ is claimed",
        ),
        Misprint("Theorems 5.1 and 5.3", "n ≥ Õ(log(1/δ)log(m)/ε)", "Ω̃, as in Theorem 4.1"),
        Misprint("Theorem 5.1, proof", "σᵢ = σ(ε′, δ′, β′, 2G, λᵢ)", "σ(ε, δ, β′, 2G, λᵢ), as in line 13"),
        Misprint(
            "Theorem 5.1, proof",
            "“a minimum batch size … so that we maintain DP”",
            "so that ⊥ is not returned: the privacy of SCOutputPert has no condition on n",
        ),
        Misprint(
            "Lemma 5.2, section 5.1",
            "ℒ(θ*ᵢ; 𝒟) for the population minimiser θ*ᵢ, and 16G²/(λᵢnᵢ)",
            "the expectation over the batch for the minimiser on the batch, and 16G²/(λᵢnᵢm)",
        ),
        Misprint("Theorem 5.3, section 5.2", "𝔼 over π", "over x ~ 𝒟ⁿˣᵐ, as in Theorem 5.1"),
        Misprint(
            "Lemma 3.8, appendix A",
            "⟨u, v⟩ < 0 for two vectors drawn without replacement",
            "𝔼⟨u, v⟩ ≤ 0, for which the same sentence gives the reason",
        ),
        Misprint(
            "Algorithms 5 and 6, line 4, appendix B",
            "R′ without the constants of the proofs",
            "σ(√d + √(2 log(1/β))), and 30G√(log(2/β))/(μ√(nm)) in addition in Algorithm 6: with constants 1 "
            "and d = 1 the noise leaves the ball with probability 0.03 at β = 0.01",
        ),
        Misprint(
            "Proposition B.1, proof, appendix B.2",
            "“≤ β” at the end of two displays and of the last one, for the probability of the good event",
            "≥ 1 − β",
        ),
        Misprint(
            "Appendix C, end",
            "θ*,π₋ₙ in the last display of Lemma C.1, and Õ(√m) for the mean gradients of users",
            "θ*₋S, and Õ(G/√m)",
        ),
        Misprint(
            "Lemma D.2, appendix D.1",
            "Pr[U ≥ 70√d] ≤ e^{−10d} for U ~ χ²(d − 1)",
            "70d: from d = 5,000 on 70√d is below the mean of U",
        ),
        Misprint(
            "Theorem D.7, proof",
            "ψ = 1, where Lemma D.6 has ψ < 1",
            "any constant below 1",
        ),
        Misprint("Theorem D.8, appendix D.2", "cd/ε² ≤ n ≥ √d/ε", "cd/ε² ≥ n ≥ √d/ε, as below the theorem"),
    ),
    text="arXiv:2305.04912, with appendices A to D",
)
