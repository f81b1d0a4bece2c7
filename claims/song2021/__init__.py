"""Song, Steinke, Thakkar and Thakurta (2021): private GLMs without a dependence on the dimension."""

from claims import Adjacency, Paper

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
        "theorem-2.7:constant-1",
        "theorem-3.2:introduction",
        "section-3-sketch",
        "lemma-5.1",
        "lemma-a.2:any-glm-loss",
    ),
)
