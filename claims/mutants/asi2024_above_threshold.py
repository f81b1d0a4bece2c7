"""AboveThreshold of asi2024 with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_MODULE = "implementations.asi2024.above_threshold"
MUTANTS = [
    Mutant(
        name="asi2024-threshold-half-noise",
        bug="Takes Lap(1/ε) for the threshold: forgets that it takes half of the budget.",
        replaces=f"{_MODULE}:threshold_scale",
        swap=("return 2.0 / epsilon", "return 1.0 / epsilon"),
        caught_by=("asi2024/lemma-2.4-privacy",),
    ),
    Mutant(
        name="asi2024-query-half-noise",
        bug="Takes Lap(2/ε) for the queries, as for the threshold.",
        replaces=f"{_MODULE}:query_scale",
        swap=("return 4.0 / epsilon", "return 2.0 / epsilon"),
        caught_by=("asi2024/lemma-2.4-privacy",),
    ),
    Mutant(
        name="asi2024-query-double-noise",
        bug="Takes Lap(8/ε) for the queries: private, but not as accurate as promised.",
        replaces=f"{_MODULE}:query_scale",
        swap=("return 4.0 / epsilon", "return 8.0 / epsilon"),
        caught_by=("asi2024/theorem-3.2-utility:corrected",),
    ),
    Mutant(
        name="asi2024-threshold-without-noise",
        bug="Compares with the threshold itself: the noise of the queries is taken to be enough.",
        replaces=f"{_MODULE}:AboveThreshold.__init__",
        swap=(
            "threshold - rng.laplace(scale=threshold_scale(epsilon), size=trials)",
            "np.full(trials, threshold)",
        ),
        caught_by=("asi2024/lemma-3.7:program", "asi2024/lemma-2.4-privacy:program"),
    ),
    Mutant(
        name="asi2024-query-noise-shared",
        bug="Draws one noise for all runs that are done side by side: the classic slip of vectorising.",
        replaces=f"{_MODULE}:AboveThreshold.answer",
        swap=("size=self._line.shape", "size=()"),
        caught_by=("asi2024/lemma-2.4-privacy:program", "asi2024/lemma-3.7:program"),
    ),
    Mutant(
        name="asi2024-halts-above",
        bug="Halts where the score is above the threshold, as the textbook's AboveThreshold does.",
        replaces=f"{_MODULE}:AboveThreshold.answer",
        swap=("~(noisy < self._line)", "(noisy < self._line)"),
        caught_by=("asi2024/lemma-3.7:program",),
    ),
    Mutant(
        name="asi2024-accuracy-without-union",
        bug="Leaves the union over T queries out of α.",
        replaces=f"{_MODULE}:accuracy",
        swap=("2.0 * queries / gamma", "2.0 / gamma"),
        caught_by=("asi2024/lemma-2.4-accuracy", "asi2024/lemma-3.6:corrected"),
    ),
    Mutant(
        name="asi2024-law-without-query-noise",
        bug="The law of the halting time takes the scale of the threshold for the queries too.",
        replaces=f"{_MODULE}:halting_law",
        swap=("query_scale(epsilon))", "threshold_scale(epsilon))"),
        caught_by=("asi2024/theorem-3.2-utility:corrected", "asi2024/lemma-3.7:program"),
    ),
    Mutant(
        name="asi2024-threshold-redrawn",
        bug="Adds fresh noise to the threshold at each query, beside that of line 2.",
        replaces=f"{_MODULE}:AboveThreshold.answer",
        swap=(
            "~(noisy < self._line)",
            "~(noisy < self._line - self._rng.laplace(scale=0.5 * self._scale, size=self._line.shape))",
        ),
        caught_by=("asi2024/algorithm-4", "asi2024/lemma-3.7:program"),
    ),
    Mutant(
        name="asi2024-halt-forgotten",
        bug="Forgets that a run has halted: it answers again when the score rises.",
        replaces=f"{_MODULE}:AboveThreshold.answer",
        swap=("self.running & ~(noisy", "~(noisy"),
        caught_by=("asi2024/algorithm-4",),
    ),
    Mutant(
        name="asi2024-gaussian-threshold",
        bug="Gaussian noise of the same variance for the threshold, which has no pure privacy.",
        replaces=f"{_MODULE}:AboveThreshold.__init__",
        swap=(
            "rng.laplace(scale=threshold_scale(epsilon), size=trials)",
            "rng.normal(scale=1.414*threshold_scale(epsilon), size=trials)",
        ),
        caught_by=("asi2024/algorithm-4",),
    ),
    Mutant(
        name="asi2024-query-noise-quarter-more",
        bug="Draws the noise of a query with 1.25 times its scale.",
        replaces=f"{_MODULE}:AboveThreshold.answer",
        swap=("scale=self._scale", "scale=1.25*self._scale"),
        caught_by=("asi2024/algorithm-4", "asi2024/lemma-3.7:program"),
    ),
    Mutant(
        name="asi2024-law-that-never-halts-at-once",
        bug="The law of the halting time leaves the last probability, of no halt, at 0.",
        replaces=f"{_MODULE}:halting_law_of_noise",
        swap=("law[-1] = running.sum()", "law[-1] = 0.0"),
        caught_by=("asi2024/lemma-3.6-transcripts", "asi2024/algorithm-4"),
    ),
]
