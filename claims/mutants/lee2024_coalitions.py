"""Coalition strategies of lee2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_PLACE = "implementations.lee2024.coalitions"

MUTANTS = [
    Mutant(
        name="lee2024-rule-shifted",
        bug="Looks up the rule at the number of zeros.",
        replaces=f"{_PLACE}:by_count",
        swap=("table[counts]", "table[words.shape[0] - counts]"),
        caught_by=("lee2024/definition-c.4:scores",),
    ),
    Mutant(
        name="lee2024-minority-copied",
        bug="Rounds the average the wrong way.",
        replaces=f"{_PLACE}:average_then_round",
        swap=(">= words.shape[0]", "< words.shape[0]"),
        caught_by=("lee2024/definition-c.4:scores",),
    ),
    Mutant(
        name="lee2024-spread-inverted",
        bug="Writes a 1 against the mean in the spread strategy.",
        replaces=f"{_PLACE}:rules",
        swap=('"spread": marked(share)', '"spread": marked(0.0 * share)'),
        caught_by=("lee2024/definition-c.4:scores",),
    ),
    Mutant(
        name="lee2024-majority-strict",
        bug="Takes more than half for at least half.",
        replaces=f"{_PLACE}:rules",
        swap=("(share >= 0.5)", "(share > 0.5)"),
        caught_by=("lee2024/algorithm-2",),
    ),
    Mutant(
        name="lee2024-copy-first",
        bug="Copies the first member each time.",
        replaces=f"{_PLACE}:copy_member",
        swap=("words[rng.integers(words.shape[0])]", "words[0]"),
        caught_by=("lee2024/algorithm-2:laws",),
    ),
    Mutant(
        name="lee2024-break-half",
        bug="Breaks half as many columns.",
        replaces=f"{_PLACE}:break_columns",
        swap=("math.floor(fraction * words.shape[1])", "math.floor(0.5 * fraction * words.shape[1])"),
        caught_by=("lee2024/algorithm-2",),
    ),
]
