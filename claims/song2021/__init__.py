"""Song, Steinke, Thakkar and Thakurta (2021): private GLMs without a dependence on the dimension."""

from claims import Adjacency, Paper

PAPER = Paper(
    "song2021",
    reference="S. Song, T. Steinke, O. Thakkar, A. Thakurta: Evading the Curse of Dimensionality in "
    "Unconstrained Private GLMs. AISTATS 2021, PMLR 130:2638–2646",
    adjacency=Adjacency.REPLACE,
)
