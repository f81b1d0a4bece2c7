"""Every constant that moves the power, the resolution or the cost of the audit.

Within their ranges none of them makes a false alarm of the test likelier: bets are chosen from earlier
samples and bounds are exact, whatever their values.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tuning:
    """The constants, with what each of them does."""

    # Batches and bets

    first_batch: int = 32
    """Samples of each dataset in the first batch of a pair."""
    first_share: float = 0.6
    """Share of the wealth that is betted from the start on; early bets on lucky events cost no more."""
    later_share: float = 0.2
    """Share of what is kept back that each batch adds to the bets."""
    growth: tuple[float, float] = (0.1, 0.75)
    """The least and the largest share of the samples before it that a batch is: small where a refutation is
    near, which small batches do not overshoot and learn more for."""
    afterwards: tuple[float, float] = (0.25, 0.15)
    """Share of the samples before it that a batch is after a refutation: first of single numbers and of
    outputs that repeat, of which small batches teach no more; second of all others."""
    longest: int = 256
    """After a refutation at most this multiple of its samples is drawn to know the size of the violation."""
    confirm: float = 0.05
    """Level of all tries together to confirm a refutation on fresh draws: half of it for the first, and so
    on."""
    many_pairs: int = 12
    """Where there are more pairs, the first look at each pair is one batch, learned from once."""
    learning_price: float = 2.4
    """How much more growth a bettor who has to learn needs than one who knows the event, measured on Laplace
    noise at 3,000 to 100,000 samples; it enters the resolution only."""
    hope: float = 2.0
    """Standard errors below zero at which an estimated excess is given up, for now; and by which shares are
    thought weaker where one event is chosen for a single test."""
    candidates: int = 4
    """Events of a threshold family that share its wealth."""
    luck: float = 0.5
    """Hits that the lesser dataset may have missed by luck in an event that was chosen because it looked
    small there."""
    unseen_from: int = 30
    """An event that occurs this often on one dataset and never on the other may be impossible there."""

    # What is kept and how often it is learned from

    least: int = 8
    """Fewer samples say nothing: to learn from, in an interval, or as hits of an event."""
    retained_rows: int = 32768
    """Samples of a dataset that all scores are learned from, and that a regression is fitted to, at most."""
    glance: int = 512
    """Samples of a dataset that are enough for a first look: which columns outputs have, whether a column has
    more than a few values, which pairs of datasets are promising; and runs or rows that repeat, at most."""
    patience: int = 4
    """Scores of rare events are learned from this multiple of the samples of others."""
    most_bytes: int = 2**27
    """Bytes of the samples of a dataset that are kept, or drawn and counted at once, at most."""
    learn_again: float = 1.5
    """Scores are fitted again when the samples kept have grown by this factor."""

    # Threshold families

    tail_ratio: float = 0.85
    """Beyond each threshold lies this share of the samples beyond the threshold before it."""
    few_values: int = 64
    """With no more distinct values each of them is a threshold, and the counts that order them may judge
    them."""
    repeats: int = 3
    """Outputs repeat where each distinct one occurs this often on average, and beyond the outermost threshold
    lie at least this number of samples of both datasets together."""
    steady: float = 2.0**-30
    """Scores of vectors are rounded to this share of the largest, so that batches agree on ties; what is less
    than this beside 1 is rounding, and a ridge of this size only keeps a fit finite."""

    # Scores of vectors

    wide: int = 100
    """From this many columns on, regressions are simplified."""
    few_columns: int = 7
    """Columns without symbols that are learned by a smooth function, at most; more by a weighted sum."""
    far: float = 8.0
    """Robust standard deviations from the median at which a column is cut off."""
    most_work: float = 1e9
    """Rows times squared columns of a regression, at most."""
    some_rows: int = 4096
    """Samples of a dataset that say where a column lies and how wide it is, that a regression starts on, and
    that are scored at once, as they stay in the cache."""
    folds: int = 5
    """Parts that the samples are cut into for a score that all of them judge."""
    most_chosen: int = 24
    """At most this many symbols, values or columns are each looked at by themselves."""

    # Values, symbols and lists

    parts: int = 16
    """Samples that ordered no more cells may also judge them, texts that are fewer are not looked into, and
    nothing is searched for in fewer samples."""
    most_numbers: int = 2**19
    """Numbers of each dataset, in all columns, that are looked at at once."""
    sure: float = 3.0
    """Log of the odds against chance that are asked of what is found, beyond the log of how many there may
    be."""
    little: float = 0.05
    """What is less than this part of something else is little beside it: scores that tie, the last step of a
    fit."""
    outer: float = 0.02
    """A value that a larger share of the outputs has in a column is an atom."""
    nearly: float = 0.9
    """What is this part of something is nearly all of it. A leak in more of the outputs says nothing of an
    audit; numbers of which this part are different are continuous; a simple event is of like power where it
    exceeds the claim by so much of what the audit's bound does; a resolution would have been caught with this
    probability."""

    # Fixed number of samples

    fixed_learning: float = 0.2
    """Share of the samples that the event is learned from."""

    @property
    def rare_rows(self) -> int:
        """Samples of a dataset that scores of rare events are learned from, at most."""
        return self.patience * self.retained_rows


TUNING = Tuning()
TINY, BOUND = 1e-300, 1e100
"""What keeps quotients and squares finite; nothing depends on them."""
