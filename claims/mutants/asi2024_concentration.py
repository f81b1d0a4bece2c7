"""The concentration score and the selection of asi2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_MODULE = "implementations.asi2024.concentration"
MUTANTS = [
    Mutant(
        name="asi2024-score-not-averaged",
        bug="Returns the sum over pairs without the factor 1/n.",
        replaces=f"{_MODULE}:concentration_score",
        swap=("@ w / w.sum()", "@ w"),
        caught_by=("asi2024/concentration-score:corrected",),
    ),
    Mutant(
        name="asi2024-pairs-at-the-edge",
        bug="Counts pairs at distance less than τ, where the score has at most τ.",
        replaces=f"{_MODULE}:_close",
        swap=("squares <= radius**2", "squares < radius**2"),
        caught_by=("asi2024/lemma-3.7:corrected",),
    ),
    Mutant(
        name="asi2024-radius-not-squared",
        bug="Compares squared distances with τ.",
        replaces=f"{_MODULE}:_close",
        swap=("squares <= radius**2", "squares <= radius"),
        caught_by=("asi2024/lemma-3.3", "asi2024/lemma-3.3:corrected"),
    ),
    Mutant(
        name="asi2024-short-cut-too-wide",
        bug="Takes users within τ of the mean for pairwise close, though they may stand opposite each other.",
        replaces=f"{_MODULE}:neighbour_counts",
        swap=("0.5 * radius", "radius"),
        caught_by=("asi2024/lemma-3.7-proof", "asi2024/lemma-3.7"),
    ),
    Mutant(
        name="asi2024-selection-from-a-third",
        bug="Lets the probability rise from n/3 on.",
        replaces=f"{_MODULE}:selection_probabilities",
        swap=("3.0 * n", "2.0 * n"),
        caught_by=("asi2024/theorem-3.2-privacy", "asi2024/lemma-3.5"),
    ),
    Mutant(
        name="asi2024-selection-slope-of-the-proof",
        bug="Gives p the slope 1/n that the proof of Lemma 3.3 believes it has.",
        replaces=f"{_MODULE}:selection_probabilities",
        swap=(
            "(6.0 * np.asarray(counts, dtype=float) - 3.0 * n) / n",
            "np.asarray(counts, dtype=float) / n - 0.5",
        ),
        caught_by=("asi2024/lemma-3.3-proof", "asi2024/lemma-3.3"),
    ),
    Mutant(
        name="asi2024-score-without-herself",
        bug="Leaves the user herself out of the score.",
        replaces=f"{_MODULE}:concentration_score",
        swap=(
            "neighbour_counts(values, tau, weights) @ w",
            "(neighbour_counts(values, tau, weights) - 1.0) @ w",
        ),
        caught_by=("asi2024/algorithm-1",),
    ),
    Mutant(
        name="asi2024-score-over-n-less-one",
        bug="Divides the score by n − 1.",
        replaces=f"{_MODULE}:concentration_score",
        swap=("/ w.sum()", "/ (w.sum() - 1.0)"),
        caught_by=("asi2024/algorithm-1", "asi2024/lemma-2.4-privacy:corrected"),
    ),
    Mutant(
        name="asi2024-selection-not-clipped",
        bug="Lets the selection probability be negative below n/2.",
        replaces=f"{_MODULE}:selection_probabilities",
        swap=("0.0, 1.0)", "-1.0, 1.0)"),
        caught_by=("asi2024/algorithm-1", "asi2024/lemma-3.3:corrected"),
    ),
    Mutant(
        name="asi2024-selection-by-a-step",
        bug="Keeps users by a step at 2n/3, without the ramp.",
        replaces=f"{_MODULE}:selection_probabilities",
        swap=(
            "(6.0 * np.asarray(counts, dtype=float) - 3.0 * n) / n",
            "np.where(3*np.asarray(counts)>=2*n, 1.0, 0.0)",
        ),
        caught_by=("asi2024/algorithm-1", "asi2024/lemma-3.3:corrected"),
    ),
    Mutant(
        name="asi2024-close-in-largest-coordinate",
        bug="Measures distances by their largest coordinate.",
        replaces=f"{_MODULE}:_close",
        swap=(
            "squares += (column[:, :, None] - column[:, None, :]) ** 2",
            "squares = np.maximum(squares, (column[:, :, None] - column[:, None, :]) ** 2)",
        ),
        caught_by=("asi2024/algorithm-1", "asi2024/lemma-3.3:corrected"),
    ),
]
