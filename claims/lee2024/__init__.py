"""Lee, Liu and Lu (2024): rank-dependent risk by sampling, and lower bounds by fingerprinting."""

from claims import Adjacency, Paper

PAPER = Paper(
    "lee2024",
    reference="Lee, Liu, Lu (2024). The Power of Sampling: Dimension-free Risk Bounds in Private ERM.",
    adjacency=Adjacency.REPLACE,
    findings=(
        "lemma-2.6",
        "theorem-3.7",
        "assumption-1.2",
        "theorem-2.2-privacy",
        "lemma-3.5",
        "definition-c.4",
        "theorem-3.7-proof",
        "theorem-3.1:by-extension",
        "theorem-2.2-oracle-proof:risk",
        "section-1.1",
        "lemma-2.5",
        "theorem-3.7-proof:constants",
        "lemma-d.1:every-epsilon",
        "theorem-2.2-oracle-proof",
        "lemma-2.7:second-term-zero",
        "section-3.2-example:ball",
    ),
)
