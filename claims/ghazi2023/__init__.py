"""Ghazi, Kamath, Kumar, Meka, Manurangsi and Zhang (2023): private convex optimisation for whole users."""

from claims import Adjacency, Paper

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
        "algorithm-4",
        "algorithm-5",
        "section-1.2-tightness",
        "lemma-3.8-proof",
        "lemma-d.2-proof",
        "proposition-b.1-proof",
    ),
)
