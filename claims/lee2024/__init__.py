"""Lee, Liu and Lu (2024): rank-dependent risk by sampling, and lower bounds by fingerprinting."""

from claims import Adjacency, Paper

PAPER = Paper(
    "lee2024",
    reference="Lee, Liu, Lu (2024). The Power of Sampling: Dimension-free Risk Bounds in Private ERM.",
    adjacency=Adjacency.REPLACE,
)
