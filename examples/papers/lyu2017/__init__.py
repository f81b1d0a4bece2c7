"""Lyu, Su and Li (2017): six versions of the sparse vector technique, and which of them are private."""

from claims import Adjacency, Paper

PAPER = Paper(
    "lyu2017",
    reference="M. Lyu, D. Su, N. Li: Understanding the Sparse Vector Technique for Differential Privacy. "
    "PVLDB 10(6), 2017, doi:10.14778/3055330.3055331",
    adjacency=Adjacency.ADD_REMOVE,
)
