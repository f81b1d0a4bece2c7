"""How outputs are drawn: pairs of datasets, and the processes that draw."""
