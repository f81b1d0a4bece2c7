"""The algorithms and instances of Song, Steinke, Thakkar and Thakurta (2021), "Evading the Curse of
Dimensionality in Unconstrained Private GLMs", AISTATS 2021, arXiv:2006.06783."""
