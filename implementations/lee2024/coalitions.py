"""Strategies of a coalition against a fingerprinting code (Definition C.4 of Lee, Liu and Lu 2024).

A coalition sees the words of its members (s, d) and makes a pirate word (d,). The marking condition: where
all members have the same bit, the pirate word has it too. `by_count` covers each strategy that looks at one
column at a time: what it does depends on how many members have a 1 there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from implementations import checks
from implementations.interfaces import Array
from implementations.lee2024.fingerprinting import Bits


def by_count(words: Bits, rule: Array, rng: np.random.Generator) -> Bits:
    """A 1 with probability rule[c] in a column where c of the s members have a 1, independently.

    Raises ValueError unless the rule has s + 1 entries in [0, 1] with rule[0] = 0 and rule[s] = 1, which is
    the marking condition.
    """
    table = np.asarray(rule, dtype=float)
    if table.shape != (words.shape[0] + 1,) or not ((table >= 0.0) & (table <= 1.0)).all():
        raise ValueError(f"rule must hold {words.shape[0] + 1} probabilities, got {rule}")
    if table[0] != 0.0 or table[-1] != 1.0:
        raise ValueError(f"rule must begin with 0 and end with 1 (the marking condition), got {rule}")
    counts = words.sum(axis=0, dtype=np.intp)
    return (rng.random(words.shape[1]) < table[counts]).astype(np.int8)


def rules(members: int) -> dict[str, Array]:
    """Named strategies of a coalition of s members as rules of `by_count`, (s + 1,) each.

    "spread" writes a 1 with probability equal to the members' mean: a randomly rounded average, and the law
    of a column where a random member is copied. The alternating rules write against the count.
    """
    checks.whole_number(members=members)
    s = members
    share = np.arange(s + 1, dtype=np.float64) / float(s)
    inside = (share > 0.0) & (share < 1.0)

    def marked(middle: Any) -> Array:
        return np.where(inside, middle, share)

    odd = np.arange(s + 1) % 2
    return {
        "majority": marked((share >= 0.5).astype(float)),
        "minority": marked((share < 0.5).astype(float)),
        "random": marked(np.full(s + 1, 0.5)),
        "all ones": marked(np.ones(s + 1)),
        "all zeros": marked(np.zeros(s + 1)),
        "spread": marked(share),
        "against the mean": marked(1.0 - share),
        "odd counts": marked(odd.astype(float)),
        "even counts": marked(1.0 - odd),
    }


def average_then_round(words: Bits) -> Bits:
    """The mean of the members' words, rounded: 1 where at least half of the members have a 1."""
    return (2 * words.sum(axis=0, dtype=np.intp) >= words.shape[0]).astype(np.int8)


def copy_member(words: Bits, rng: np.random.Generator) -> Bits:
    """The word of a random member, unchanged."""
    return words[rng.integers(words.shape[0])].copy()


def break_columns(pirate: Bits, words: Bits, fraction: float, rng: np.random.Generator) -> Bits:
    """Flip the pirate word in ⌊fraction·d⌋ random columns where all members agree.

    These are the errors that a robust code has to bear: the marking condition fails there. Raises ValueError
    for a fraction outside [0, 1], or more columns than there are with agreement.
    """
    if not 0.0 <= fraction <= 1.0:
        raise ValueError(f"fraction must be in [0, 1], got {fraction}")
    counts = words.sum(axis=0, dtype=np.intp)
    agreed = np.flatnonzero((counts == 0) | (counts == words.shape[0]))
    broken = math.floor(fraction * words.shape[1])
    if broken > agreed.size:
        raise ValueError(f"fraction must leave {broken} ≤ {agreed.size} columns where the members agree")
    result = pirate.copy()
    result[rng.choice(agreed, broken, replace=False)] ^= 1
    return result


def against_members(words: Bits) -> Bits:
    """Column j is written against member j mod s: the opposite of his bit, wherever the members differ.

    The members take turns in being protected, and what is written depends on who has which bit, not on a
    count alone: such a coalition chooses column by column.
    """
    s, d = words.shape
    counts = words.sum(axis=0, dtype=np.intp)
    turn = words[np.arange(d) % s, np.arange(d)]
    return np.where((counts > 0) & (counts < s), 1 - turn, words[0]).astype(np.int8)
