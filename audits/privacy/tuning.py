"""Every constant that moves the power, the resolution or the cost of the audit.

None of them makes a false alarm likelier: bets are chosen from earlier samples and bounds are exact, whatever
their values.
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
    """Share of the samples before it that a batch is after a refutation: of single numbers and of outputs
    that repeat, of which small batches teach no more, and of others."""
    longest: int = 256
    """After a refutation at most so many times its samples are drawn to know the size of the violation."""
    confirm: float = 0.05
    """Level at which fresh draws must confirm a refutation, halved for every further try."""
    explore: int = 512
    """Every pair gets this many samples before the promising ones are preferred."""
    many_pairs: int = 16
    """More pairs are halved again and again: the half that shows less is followed no further."""
    followed: int = 12
    """So many of many pairs are followed to the end."""
    halving: float = 0.5
    """The share of the samples in which many pairs are halved."""
    group: float = 200.0
    """Divided by the root of the number of samples: how many steps of the grid of ε share a bet."""
    learning_price: float = 2.4
    """How much more growth a bettor who has to learn needs than one who knows the event, measured on Laplace
    noise at 3,000 to 100,000 samples; it enters the resolution only."""
    caution: float = 1.0
    """An excess over the null of this many standard errors is not betted on."""
    hope: float = 2.0
    """Standard errors below zero at which an estimated excess is given up, for now."""
    temper: float = 0.7
    """Power of what events would have won, for their shares: below 1, as the luckiest is not the best."""
    candidates: int = 4
    """Events of a threshold family that share its wealth."""
    luck: float = 0.5
    """Hits that the lesser dataset may have missed by luck in an event that was chosen because it looked
    small there."""
    unseen: float = 0.1
    """Share of half a hit that every other candidate takes for an event that one dataset never hit."""
    unseen_from: int = 30
    """Such an event must have been hit this often on the other dataset."""

    # What is kept and how often it is learned from

    least: int = 8
    """Fewer samples say nothing: to learn from, in an interval or a leaf, as hits of an event, or as turns of
    a period."""
    retained_rows: int = 32768
    """Samples of a dataset that all scores are learned from, and that a regression is fitted to, at most."""
    rare_rows: int = 2**17
    """Samples of a dataset that scores of rare events are learned from, and samples times trees, at most."""
    most_bytes: int = 2**27
    """Bytes of the samples of a dataset that are kept, or drawn and counted at once, at most."""
    learn_again: tuple[float, float] = (1.5, 2.0)
    """Scores are fitted again when the samples kept have grown by the first factor, later by the second."""
    learn_often: tuple[int, int] = (1024, 8192)
    """From so many samples on the second factor holds, for single numbers and for others; from the second
    number on a dear learner that has found nothing waits for four times the samples."""
    last_growth: float = 1.2
    """Growth that is worth fitting the scores a last time, when no more samples are kept."""
    prune_from: int = 2048
    """Before batches of this size events and scores that are surely not among the best are dropped."""
    choose_at: float = 0.25
    """From this share of the samples on a score is dropped unless it is clearly better than the favourite."""

    # Threshold families

    tail_ratio: float = 0.85
    """Beyond each threshold lies this share of the samples beyond the threshold before it."""
    least_outside: int = 3
    """Beyond the outermost threshold lie at least this many samples of both datasets together."""
    few_values: int = 64
    """With no more distinct values each of them is a threshold, and the counts that order them may judge
    them."""
    most_atoms: int = 8192
    """With more distinct outputs there is no table of them."""
    repeats: int = 3
    """Outputs repeat where each distinct one occurs this often on average."""
    steady: float = 2.0**-30
    """Scores of vectors are rounded to this share of the largest, so that batches agree on ties."""

    # Scores of vectors

    few_cells: int = 16
    """With so few cells of single outputs the samples that ordered them may also judge them; columns of so
    few values are not searched for periods and modes."""
    ratio_rounding: float = 1e-7
    """Log ratios of cells are rounded by less and differ by more; only names of events rest on it."""
    most_measured: int = 8192
    """Centre and scale of a column are taken from this many samples of a dataset."""
    close: float = 0.5
    """A column of which less than this part of the spread is left, once what follows from columns before is
    taken off, is looked at by what is left."""
    flagged: float = 0.002
    """A value that more than this share of the outputs has in a column gets a column of its own."""
    most_flags: int = 3
    """So many values of each column at most, and of all columns together."""
    marks: tuple[int, int] = (32, 8)
    """Of the symbols in their places so many, the commonest, get columns of zeros and ones; or so many times
    the number of places, where that is more."""
    wide: int = 100
    """From this many columns on, regressions are simplified."""
    most_work: tuple[float, float] = (5e8, 8e9)
    """Rows times squared columns of a wide regression at most: on products of columns, and on the columns."""
    bends: tuple[float, ...] = (0.25, 0.5, 0.75)
    """Quantiles of a column at which a piecewise-linear function of it bends."""
    smooth_ridge: float = 3.0
    """Ridge of the regressions on piecewise-linear functions."""
    few_rows: int = 4096
    """Rows that Newton's method starts on, and rows that are scored at once: they stay in the cache."""
    folds: int = 5
    """Parts that the samples are cut into for a score that all of them judge."""
    most_chosen: int = 24
    """So many are chosen among all columns, pairs of columns or products, to be looked at one by one."""
    most_paired: int = 512
    """Products of two are looked at among so many columns at once."""

    # Periods, narrow modes and rare values of a number or a column

    hidden_least: int = 16
    """They are not looked for in fewer samples, nor is the parity of columns."""
    parts: int = 16
    """A period is cut into so many parts, a column for a choice of places too; a place is coarse where it
    holds a larger part of the samples."""
    most_joint: int = 12
    """The parity of any choice of so many columns is looked at."""
    most_signed: int = 7
    """All sums and differences of so many columns are looked at."""
    constant: float = 1e-9
    """A combination of numbers is constant where its variance is this part of theirs, and varies elsewhere
    where it is more than the root of this part."""
    most_tripled: int = 64
    """The parity of every two or three of so many columns is looked at, and of all columns."""
    most_numbers: int = 2**21
    """So many numbers of each dataset, in all columns, are looked at at once."""
    sure: float = 2.0
    """Log of the odds against chance that are asked of what is found, beyond the log of how many there may
    be."""
    fine_from: int = 8192
    """So many samples of a dataset tell short periods of single numbers apart."""
    period_bins: int = 100_800
    """A period is looked for down to two of so many parts of the range of single numbers, and of a quarter as
    many of few numbers and of other outputs. Of integers remainders of the division by so many are looked at:
    2⁶·3²·5²·7 has the divisors that people use."""
    round_rows: int = 32
    """Samples of each dataset that say how well each round period tells the datasets apart."""
    lags: int = 5
    """Numbers are compared with the numbers that stand up to so many places before them."""
    ends: int = 5
    """So many of the smallest and of the largest numbers of an output are looked at by their order."""
    divisors: int = 1024
    """Of integers the remainders of the division by every number below this are looked at."""
    most_turned: int = 48
    """Of numbers below this all multiples of one turn are looked at."""
    narrow: float = 0.05
    """An interval is narrow where it is this part as wide as others around it that hold as many samples."""

    # Trees

    whole_trees: int = 4
    """So many trees are fitted to all samples."""
    most_distinct: int = 512
    """Samples that say whether a column has more than a few values."""

    # Fixed number of samples

    fixed_learning: float = 0.2
    """Share of the samples that the event is learned from."""
    fixed_caution: tuple[float, float] = (1.0, 2.0)
    """Standard errors that are taken off the bound expected of an event before events are compared: where a
    model says how likely it is, and where counts alone do."""
    misfit: float = 0.3
    """Error of log Q(S) that a calibration has at least; where counts are sharper, they decide."""
    line_precision: float = 1e-4
    """Precision of the prior of a calibration: it keeps the line finite where nothing overlaps."""


TUNING = Tuning()
