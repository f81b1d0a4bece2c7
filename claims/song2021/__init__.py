"""Song, Steinke, Thakkar and Thakurta (2021): private GLMs without a dependence on the dimension."""

from claims import Adjacency, Misprint, Paper

PAPER = Paper(
    "song2021",
    reference="S. Song, T. Steinke, O. Thakkar, A. Thakurta: Evading the Curse of Dimensionality in "
    "Unconstrained Private GLMs. AISTATS 2021, PMLR 130:2638–2646",
    adjacency=Adjacency.REPLACE,
    findings=(
        "theorem-4.1-utility",
        "theorem-3.1:adaptive",
        "theorem-3.1:learning-rate",
        "theorem-2.6",
        "theorem-4.1-privacy",
        "section-3-unconstrained",
        "footnote-4",
        "theorem-d.4:any-step",
        "corollary-5.2:minimum",
        "section-6-privacy:fixed-batches",
        "section-3-tight",
    ),
    misprints=(
        Misprint(
            "Section 1.1",
            "min{1/√n, √rank/(εn)}",
            "the maximum, as in Theorem 3.2: a coin of bias 1/(2√n) costs every algorithm, private or not, "
            "0.2/√n",
        ),
        Misprint(
            "Footnote 2",
            "rank of the covariance matrix",
            "of 𝔼[xxᵀ], as in Theorem 3.2: for a constant x the covariance has rank 0",
        ),
        Misprint(
            "Theorem 2.7, section 2",
            "an equality sign",
            "an O(·): appendix D.2 uses the theorem “for some positive constant C”",
        ),
        Misprint(
            "Theorem 3.1, proof",
            "(6) for the average of θ₁, …, θ_T",
            "of θ₀, …, θ_{T−1}, over which (5) telescopes from Ψ(0); simulated risks of both averages stay "
            "below the bound",
        ),
        Misprint(
            "Section 3.2, sketch of the proof of Theorem 3.3",
            "that the risk is Θ(‖θ − (1/n)Σzᵢ‖₁)",
            "the distance from the majority: with half of the zᵢ at 0 and half at 1, θ = ½ has 0 on the "
            "right and not on the left; appendix B does without this step",
        ),
        Misprint(
            "Lemma A.2",
            "“any GLM loss”",
            "any convex one, as its proof uses monotone subgradients: for a concave link the distance grows "
            "like ηLT/2; it is used for convex losses only",
        ),
        Misprint(
            "Corollary B.4, proof",
            "that a difference of losses is at most 1 for every M(D)",
            "for M(D) cut to [0, 1]ᵈ, which makes no loss larger",
        ),
        Misprint(
            "Lemma 5.1",
            "g = −B(y − y₁)/‖x‖ + f(y₁) for every f",
            "for finite y₁; where y₁ = ∞, g is linear with coefficient −B/‖x‖, as the proof has it",
        ),
        Misprint(
            "Appendix E",
            "that the Gamma noise makes a step ε₀-private",
            "where a record is added or removed; 2ε₀ where one is replaced (Definition 2.5), and ε ≈ 5.0 "
            "holds for Poisson batches all the same, by exact composition",
        ),
    ),
    text="with the running head of AISTATS 2021 and appendices A to E, in November 2026; in our "
    "copy fractions and strict inequalities are not always legible",
)
