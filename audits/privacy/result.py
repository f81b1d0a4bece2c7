"""What an audit found: verdict, anytime-valid lower bound, resolution; `show` has the words for it."""

from __future__ import annotations

import html
import math
import sys
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from audits.evidence import Evidence, Verdict
from audits.privacy.claims import Claim, Renyi
from audits.privacy.outputs.outputs import number_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FIELDS = (
    "verdict", "epsilon_claimed", "delta", "epsilon_lower", "confidence", "e_value", "samples", "seconds",
    "pair", "direction", "event", "resolution", "method", "seed", "versions", "alpha", "epsilon_estimate",
    "largest_e_value", "max_samples", "premise", "premise_samples", "footprints", "planted", "simplest",
    "note", "pairs", "epsilon_shown", "claim", "lower", "tested_at",
)  # fmt: skip
"""Of the document of a result, in its order."""
VERDICTS = {
    "refuted": Verdict.REFUTED,
    "not-refuted": Verdict.CONSISTENT,
    "undecided": Verdict.INCONCLUSIVE,
}
MORE_LIKELY = {"forward": "likelier on D", "backward": "likelier on D′"}
TOO_SHORT = " were too short"
HEADS = {"refuted": "REFUTED", "not-refuted": "NOT REFUTED", "undecided": "UNDECIDED"}
SYMBOLS = {"δ": "δ above the curve", "factor": "factor of the Rényi curve"}
"""Units that need more words than a symbol."""
NO_PROOF = "This is no proof that it is private."


@dataclass(frozen=True, slots=True)
class Resolution:
    """The smallest violation that this audit would have caught with probability 0.9, on the events it tried.

    epsilon  in the unit of the claim: had the best placed of these events shown this, as P(S) =
             e^epsilon·Q(S) + δ does, the claim would have been refuted.
    delta    likewise had P(S) been so much more than the claim allows.

    A mechanism that uses up its ε on a common event is caught at `epsilon`; one that does so only far out
    in a tail, as Gaussian noise does, needs more samples.
    It says nothing of events, pairs or datasets that were not tried: it is no proof of privacy.
    """

    epsilon: float = math.inf
    delta: float = math.inf


@dataclass(frozen=True, slots=True)
class Planted:
    """What an audit makes of one kind of leak, planted into its own outputs; sizes are None where there is
    none to be told.

    leak       what was planted, as "a value released".
    measure    what sizes are: "chance" (with which an output shows the leak, on the first dataset only) or
               "noise" (the share by which noise is too small).
    caught     the least size that was planted and caught twice, in a tenth of the samples.
    missed     the largest size that was planted and missed.
    samples    of the planted runs.
    """

    leak: str
    measure: str
    caught: float | None
    missed: float | None
    samples: int

    def said(self, size: float | None) -> str:
        """The leak with a size, in words.

        >>> Planted("a value released", "chance", 5e-4, 2e-4, 100).said(5e-4)
        'a value released once in 2,000'
        """
        if size is None:
            return f"{self.leak} (not tried)"
        chance = self.measure == "chance"
        return f"{self.leak} {f'once in {1.0 / size:,.0f}' if chance else f'{100.0 * size:.2g} % too small'}"


@dataclass(frozen=True, slots=True)
class Footprints:
    """What the low-order bits of doubles tell, apart from the verdict; see `footprints.look`.

    epsilon_lower  they show at least this, in the unit of the claim, with probability `confidence`; above the
                   claim the program leaks by the bits of its outputs, whatever the mechanism on real numbers
                   does. 0 where nothing is shown.
    event          the event in words; empty where nothing is shown.
    samples        outputs of each dataset that were looked at.
    """

    epsilon_lower: float
    event: str
    samples: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Share:
    """The probability of an event on a dataset: its share of fresh outputs, and a confidence interval."""

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.3g} [{self.low:.3g}, {self.high:.3g}]"


@dataclass(frozen=True, slots=True)
class Witness:
    """The simplest event that shows the violation, counted on outputs that had no part in choosing it.

    event       in words of the output; every number in them is exact.
    first, second   its probabilities on the two datasets of the pair, intervals included.
    epsilon     shown by them, in the `unit` of the claim: for ε log((low − δ)/high) of the greater and the
                lesser probability.
    confidence  with which both intervals, and so `epsilon`, hold.
    samples     fresh outputs of each dataset; not among the audit's `samples`.
    alike       whether it is of like power: it exceeds the claim by at least 0.9 of what the audit's bound
                does. Otherwise it shows a violation, but a smaller one.
    """

    event: str
    first: Share
    second: Share
    epsilon: float
    confidence: float
    samples: int
    alike: bool
    unit: str = "ε"

    def __str__(self) -> str:
        weaker = "" if self.alike else "; weaker than the event that was found"
        return (
            f"{self.event}: probability {self.first} on the first dataset, {self.second} on the second, so "
            f"{self.unit} ≥ {self.epsilon:.4g} ({self.samples:,} fresh outputs of each{weaker})"
        )


@dataclass(frozen=True, slots=True)
class Look:
    """One look of the audit: samples of each dataset so far, log e-value against the claim, lower bound;
    and what is done next where that takes no more bets."""

    samples: int
    log_e_value: float
    lower: float
    next: str = ""
    unit: str = "ε"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One event of the winning family on all its samples: its shares on the dataset that
    should have more in it, and on the other."""

    first: float
    second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """The outcome of `audit_privacy`.

    verdict          "refuted", "not-refuted" or "undecided", for a reason that `note` says: an assumption
                     that fails, the time limit, too few samples for the resolution asked for.
    claim            as asked: a claim of `audits.privacy.claims`, `Approximate` for ε and δ.
    lower            with probability `confidence` the value of the claim's parameter (ε at δ, ρ, μ …) that
                     the mechanism needs is at least this, whenever the audit stopped; 0 where nothing is
                     shown.
    tested_at        the ε′ at which the claim was last tested: the hockey-stick divergence there against
                     δ(ε′); the claimed ε of (ε, δ).
    alpha            the error level.
    estimate         value of the event that carries the bound, as its shares have it: no bound, and where the
                     event was chosen among many a little too large.
    e_value          the largest wealth so far, a running maximum: evidence against the
                     claim, at least 1/α where refuted (sequential). The wealth itself at each look is in
                     `trace`. The fixed-size method bets nothing: 1.
    samples          drawn on each dataset, all pairs together, those used for learning included.
    seconds          wall-clock time, that of what comes after the verdict included.
    pair             the pair of datasets with the strongest evidence; `pair_index` its place in the list.
    direction        "forward": the first dataset's outputs fall into the event too often; "backward": the
                     second's.
    event            the event in words, with its share of the outputs on both datasets.
    resolution       what would have been caught; see `Resolution`.
    method, seed     as asked; seed None where a generator was passed or the mechanism is unseeded.
    errors, asked    what was asked of `audit_privacy` as errors and resolution.
    replayable       False where the mechanism does not take its randomness from the generator.
    constant         whether each dataset of the pair gave the same output again and again.
    note             conditions or reasons, in a sentence; empty where there are none.
    trace            the looks in order, for plots.
    curve            events of the winning family with their shares, for the privacy curve.
    max_samples      the budget of samples of each dataset.
    premise          the assumption of the test that fails, in a sentence; empty where none does.
    premise_samples  outputs drawn of each dataset to test assumptions; not among `samples`.
    pairs            how many pairs were audited.
    footprints       what the low-order bits of doubles tell, apart from the verdict; None for other outputs.
    simplest         after a refutation, the simplest event that shows it, with its probabilities on both
                     datasets; None where there is none.
    planted          what leaks would have been caught, by planting some; empty where that was not asked for.
    """

    verdict: str
    claim: Claim
    lower: float = 0.0
    alpha: float
    e_value: float = 1.0
    samples: int = 0
    seconds: float
    pair: tuple[Any, Any]
    pair_index: int = 0
    direction: str = "forward"
    event: str
    resolution: Resolution = Resolution()
    method: str
    seed: int | None
    replayable: bool = True
    constant: bool = False
    errors: str = "raise"
    asked: float | None = None
    note: str = ""
    trace: tuple[Look, ...] = field(default=(), repr=False)
    curve: tuple[CurvePoint, ...] = field(default=(), repr=False)
    premise: str = ""
    premise_samples: int = 0
    estimate: float = 0.0
    tested_at: float = math.nan
    max_samples: int = 0
    planted: tuple[Planted, ...] = ()
    simplest: Witness | None = None
    footprints: Footprints | None = None
    pairs: int = 1

    @property
    def epsilon_claimed(self) -> float:
        """The claimed ε; NaN where the claim is in another unit, as the other names with ε are."""
        return self._if_epsilon(self.claim.value)

    @property
    def delta(self) -> float:
        """The claimed δ beside ε."""
        return self._if_epsilon(failure(self.claim))

    @property
    def epsilon_lower(self) -> float:
        """`lower`, where it is an ε."""
        return self._if_epsilon(self.lower)

    def _if_epsilon(self, value: float) -> float:
        return value if self.claim.unit == "ε" else math.nan

    @property
    def confidence(self) -> float:
        """1 − α."""
        return 1.0 - self.alpha

    @property
    def refuted(self) -> bool:
        """Whether the data contradict the claim at the audit's error level."""
        return self.verdict == "refuted"

    @property
    def shown(self) -> float:
        """The value to be told of: that of the witness, or the lower bound where there is none or where that
        is much more; it is wrong with probability `alpha_shown`."""
        witness = self.simplest
        if witness is None or (not witness.alike and self.lower > witness.epsilon):
            return self.lower
        return witness.epsilon

    @property
    def alpha_shown(self) -> float:
        """The probability that `shown` is wrong, at most. The witness' bound and the test's are wrong
        with probability `alpha` each; which of them is shown goes by the samples, so that both count."""
        return self.alpha if self.simplest is None else min(1.0, 2.0 * self.alpha)

    # --- in words ---

    @property
    def bound(self) -> str:
        """The number of the first line, in words: see `shown`."""
        found = f"{self.shown:.4g}"
        return f"{self.symbol} {'>' if self.refuted and found == f'{self.claim.value:.4g}' else '≥'} {found}"

    @property
    def symbol(self) -> str:
        """What the claim bounds, in words."""
        return SYMBOLS.get(self.claim.unit, self.claim.unit)

    @property
    def claim_said(self) -> str:
        """The claim, in words."""
        value, delta = f"{self.symbol} = {self.claim.value:g}", failure(self.claim)
        if self.claim.unit == "ε":
            return f"({value}, δ = {delta:g})"
        return f"{value}, δ = {delta:g}" if delta else value

    def headline(self, name: str = "the mechanism") -> str:
        """The verdict and its number, in a sentence or two."""
        return f"{HEADS[self.verdict]}: {self.meaning(name)}"

    def meaning(self, name: str = "the mechanism") -> str:
        """What stands behind the verdict in the headline."""
        claim = self.claim_said
        if self.refuted:
            percent = f"{100.0 * (1.0 - self.alpha_shown):.6g}"
            sure = f"1 − {self.alpha_shown:.3g}" if percent == "100" else f"{percent} %"
            unless = ", unless it returns earlier answers" if self.constant else ""
            delta = failure(self.claim)
            at = f"δ = {delta:g}, " if delta or self.claim.unit == "ε" else ""
            said = f"claimed {self.claim.value:g} ({at}confidence {sure})"
            return f"{self.bound}, {said}: {name}{unless}."
        if self.verdict == "not-refuted":
            same = ", whose outputs on a dataset were all the same" if self.constant else ""
            return f"no violation of {claim} was found in {name}{same}, only {self.bound}. {NO_PROOF}"
        why, _, remedy = self.note.partition(". ")
        if self.premise:
            why, remedy = "the samples cannot be used for an audit", ""
        elif not self.note:
            why, remedy = f"{self.samples:,} samples were too few", f"Give max_samples={10 * self.samples}."
        elif not why.endswith(TOO_SHORT):
            why, remedy = "nothing is decided", self.note
        return " ".join(filter(None, [f"{why} for {name} and {claim}.", remedy, NO_PROOF]))

    @property
    def event_said(self) -> str:
        """The event that carries the bound, and on which dataset of the pair (D, D′) it is likelier."""
        return f"{self.event} ({MORE_LIKELY[self.direction]})"

    @property
    def looked(self) -> bool:
        """Whether the audit came so far that there is something to be said of what it would have shown."""
        return bool(self.planted or not self.note or math.isfinite(self.resolution.epsilon))

    @property
    def resolution_said(self) -> str:
        """What the events at hand would have shown; says so where that is nothing."""
        if not math.isfinite(self.resolution.epsilon):
            return "too few samples: no violation of any size would have been caught reliably"
        of = "an ε of" if self.claim.unit == "ε" else f"{self.symbol} ="
        return (
            f"{of} {self.resolution.epsilon:.4g} or more, or {self.resolution.delta:.3g} more δ, would "
            "have been found in 9 of 10 runs, if it shows in the best event tried"
        )

    @property
    def passed(self) -> tuple[str, str]:
        """What a pass is worth, a label and a text: planted leaks that were caught, the commonest mistakes
        first; without planted leaks the resolution."""
        caught = ", ".join(one.said(one.caught) for one in self.planted if one.caught is not None)
        nothing = "none of the planted leaks" if self.planted else "no leak was planted"
        label = "would have caught" if self.planted else "resolution"
        return label, caught or f"{nothing}; {self.resolution_said}"

    @property
    def low_bits(self) -> str:
        """What the low-order bits tell, in a sentence; empty where they tell no more than the claim, or where
        the numbers themselves do, as the exponent is part of the event."""
        found = self.footprints
        if found is None or found.epsilon_lower <= self.claim.value or self.refuted:
            return ""
        return (
            f"the program leaks by the lowest bits of its doubles: {self.symbol} ≥ {found.epsilon_lower:.3g} "
            f"({found.event}). The verdict is on real numbers."
        )

    @property
    def replay(self) -> str:
        """What gives this run again, as options of the command."""
        seed = f"--seed {self.seed}" if self.seed is not None else "(no seed: it cannot be replayed)"
        further = "" if self.errors == "raise" else f" --errors {self.errors}"
        further += "" if self.asked is None else f" --resolution {self.asked!r}"
        return (
            f"{options_of_claim(self.claim)}--alpha {number_words(self.alpha)} "
            f"--max-samples {self.max_samples} --method {self.method} {seed}{further}"
        )

    def summary(self) -> str:
        """The verdict, and a line for each fact beside it."""
        from audits.privacy.show import facts

        return "\n".join([self.headline(), *(f"{label}: {text}" for label, text in facts(self))])

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return f"<pre style='white-space: pre-wrap'>{html.escape(self.summary())}</pre>"

    def evidence(self, of: str = "") -> Evidence:
        """This audit as one piece of evidence about the claim; `of` names the mechanism in it."""
        at = f" at δ = {self.delta:g}" if self.claim.unit == "ε" else ""
        return Evidence(
            quantity=f"{self.symbol} of {of}{at}" if of else f"{self.symbol}{at}",
            # Without a refutation an estimate says more of the event's few counts than of the mechanism.
            estimate=max(self.lower, self.estimate if self.refuted else 0.0),
            low=self.lower,
            high=math.inf,
            confidence=self.confidence,
            method=self.method,
            samples=2 * self.samples,
            claimed=self.claim.value,
            verdict=VERDICTS[self.verdict],
            resolution=self.resolution.epsilon,
            alpha_spent=self.alpha,
            # No seconds: equal audits are equal evidence.
            note=f"{self.direction}: {self.event}",
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields of `dpclaims audit --json`, in its order; infinite values are None."""
        import scipy

        versions = {"python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__}
        claim = {"unit": self.claim.unit, "value": self.claim.value} | _plain(self.claim)
        own = {
            "claim": claim,
            "pair": [*map(short, self.pair)],
            "versions": versions,
            "largest_e_value": _plain(self.e_value),
            "epsilon_estimate": _plain(self._if_epsilon(self.estimate)),
            "epsilon_shown": _plain(self._if_epsilon(self.shown)),
        }
        return {name: own[name] if name in own else _plain(getattr(self, name)) for name in FIELDS}

    def plot(self) -> Figure:
        """Wealth and ε-lower-bound against samples, and the privacy curve with the winning event."""
        from audits.privacy.plots import draw

        return draw(self)


def _plain(value: Any) -> Any:
    """What JSON can hold of a field."""
    if isinstance(value, tuple):
        return [_plain(part) for part in cast(tuple[Any, ...], value)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not is_dataclass(value):
        return value
    return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}


def failure(claim: Claim) -> float:
    """The probability with which a claim may fail, its δ; 0 for claims without."""
    return getattr(claim, "failure", 0.0)


def options_of_claim(claim: Claim) -> str:
    """The claim as options of the command; none for a curve, as its file is not known here."""
    if isinstance(claim, Renyi):
        orders = claim.order if isinstance(claim.order, tuple) else (claim.order,)
        bounds = claim.epsilon if isinstance(claim.epsilon, tuple) else (claim.epsilon,)
        return "".join(f"--renyi {a!r}:{e!r} " for a, e in zip(orders, bounds, strict=True))
    name = {"ε": "--epsilon", "ρ": "--rho", "μ": "--mu"}.get(claim.unit)
    delta = f"--delta {number_words(failure(claim))} " if failure(claim) or claim.unit == "ε" else ""
    return f"{name} {number_words(claim.value)} {delta}" if name else ""


def short(data: Any) -> str:
    """A dataset in at most 200 characters."""
    plain = data.item() if isinstance(data, np.generic) else data
    text = np.array2string(data, threshold=12) if isinstance(data, np.ndarray) else repr(plain)
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:199] + "…"
