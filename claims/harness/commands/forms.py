"""`dpclaims rates --csv F --form …` and `--compare …`: laws that are no single power, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from claims.harness.commands.exponents import status_of
from claims.harness.commands.measurements import by_group, draw
from claims.harness.commands.rates_asked import RatesAsked
from claims.harness.exchange import FAILED, PASSED, UNDECIDED, Case, Outputs, from_here, must_plot, publish
from claims.harness.run.serialise import print_json

if TYPE_CHECKING:
    from audits.rates import Exponent
    from audits.rates.forms import FormChoice, FormFit


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is found of the rows of one group: its words, its JSON, fits to draw, the word that counts.

    answer  "better", "open"; of one form "none" where no power of an axis is left, "left" or "open".
    """

    lines: Sequence[str]
    document: Mapping[str, Any]
    fits: Sequence[FormFit]
    answer: str


OUTCOMES = {"better": PASSED, "none": PASSED, "left": FAILED, "open": UNDECIDED}


def forms_command(asked: RatesAsked, outputs: Outputs, *, json: bool) -> int:
    """Fit a form, or compare two, to the rows of each group; prints what is found, returns the exit status.

    Of one form: 0 where risk over form has no power of an axis left, within the tolerance; 1 where it has, at
    the level --alpha for all axes and groups together; 3 where neither is shown. Of two: 0 where one is
    better, 3 where it cannot be told. Raises ValueError for a form that is none, and for options that say
    nothing of forms.
    """
    form, against = asked.form, asked.compare
    if asked.claimed or asked.baseline or asked.predict or asked.vanishing or asked.side != "tight":
        raise ValueError(
            "--form and --compare go with --csv, --risk, --group, --trial, --error, --tolerance, --alpha, "
            "--plot, --junit, --summary, --json only"
        )
    if form is not None and against:
        raise ValueError("--form fits one form and --compare two: give one of them")
    if form is None and len(against) != 2:
        raise ValueError(f"--compare must be given twice, a form each, got {len(against)}")

    must_plot(asked.plot)

    def work(rows: Any, alpha: float) -> Found:
        return _two(rows, asked, against) if form is None else _one(rows, asked, form, alpha)

    found = by_group(asked, work)
    if asked.plot is not None:
        shown = [(name, fit, fit.form.axes) for name, one in found.items() for fit in one.fits]
        draw(shown, asked.plot)
    cases = [_case(name, one, asked, form or " against ".join(against)) for name, one in found.items()]
    publish("dpclaims rates", f"dpclaims: forms of {asked.csv}", cases, outputs)
    if json:
        documents = [{"group": name, **one.document} for name, one in found.items()]
        print_json({"format": "dpclaims-forms/2", "groups": documents})
    else:
        for name, one in found.items():
            print("\n".join([*[f"{name}:"][: bool(name)], *one.lines]))
    return status_of(case.outcome for case in cases)


def _options(asked: RatesAsked) -> dict[str, Any]:
    return {"error": asked.error, "trial": False if asked.trial == "none" else asked.trial}


def _one(table: Any, asked: RatesAsked, form: str, alpha: float) -> Found:
    from audits.rates.forms import fit_form

    fit = fit_form(table, str(asked.risk), form, **_options(asked))
    each = alpha / max(len(fit.trends), 1)
    left = {axis: _left(trend, asked.tolerance, each) for axis, trend in fit.trends.items()}
    answer = next((word for word in ("left", "open") if word in left.values()), "none" if left else "open")
    return Found(lines=[*_fit(fit, left)], document=_fitted(fit, left), fits=[fit], answer=answer)


def _two(table: Any, asked: RatesAsked, forms: list[str]) -> Found:
    from audits.rates.forms import compare_forms, fit_form

    choice = compare_forms(table, str(asked.risk), *forms, **_options(asked))
    return Found(
        lines=[*_choice(choice, forms)], document={"forms": forms, **asdict(choice)},
        fits=[fit_form(table, str(asked.risk), text, **_options(asked)) for text in forms if asked.plot],
        answer="better" if choice.better else "open",
    )  # fmt: skip


def _case(name: str, found: Found, asked: RatesAsked, what: str) -> Case:
    title = f"{name}: {what}" if name else what
    return Case(
        group="dpclaims.rates", name=title, title=title, verdict=found.answer,
        outcome=OUTCOMES[found.answer], message="; ".join(line.strip() for line in found.lines),
        place=(from_here(asked.csv), 1),
    )  # fmt: skip


def _left(trend: Exponent, tolerance: float, alpha: float) -> str:
    """Whether a power of the axis is left in risk over form: "none" within the tolerance, "left", "open"."""
    from audits.rates import Exponent, compare_exponents

    nothing = Exponent(estimate=0.0, standard_error=0.0)
    found = compare_exponents(trend, nothing, tolerance=tolerance, alpha=alpha)
    return {"worse": "left", "same": "none"}.get(found.answer, "open")


def _fit(fit: FormFit, left: Mapping[str, str]) -> Iterator[str]:
    yield f"{fit.form.text}: {len(fit.cells['risk'])} cells, scatter beyond the errors {fit.misfit:.2g}"
    for name, found in fit.coefficients.items():
        if math.isinf(found.standard_error):
            yield f"  {name} = 0: the measurements have no use for its term"
            continue
        low, high = found.interval(0.025)
        need = "needed" if low > 0.0 else "not shown to be needed"
        yield f"  {name} = {found.estimate:.4g} [{low:.4g}, {high:.4g}]: its term is {need}"
    yield from (f"  {sentence}" for sentence in fit.crossings)
    words = {"none": "nothing is left", "left": "a term is missing", "open": "it is open whether any is left"}
    for axis, trend in fit.trends.items():
        low, high = trend.interval(0.05)
        yield (
            f"  risk over form goes like {axis}^{trend.estimate:.3g} [{low:.3g}, {high:.3g}]: "
            f"{words[left[axis]]}"
        )


def _choice(choice: FormChoice, forms: list[str]) -> Iterator[str]:
    for form, error in zip(forms, choice.errors, strict=True):
        yield f"{form}: cells foreseen from the others are off by {error:.3g} (root mean square of the log)"
    interval = f"weight of the first {choice.weight:.3g} [{choice.low:.3g}, {choice.high:.3g}]"
    if choice.better:
        yield f"better: {choice.better} ({interval}; 1 where the first form is right, 0 where the second is)"
    else:
        yield f"cannot be told in this range ({interval} has 1/2 in it); {choice.advice}"


def _fitted(fit: FormFit, left: Mapping[str, str]) -> dict[str, Any]:
    return {
        "form": fit.form.text, "misfit": fit.misfit,
        "coefficients": {name: asdict(e) for name, e in fit.coefficients.items()},
        "left": {axis: asdict(trend) | {"answer": left[axis]} for axis, trend in fit.trends.items()},
        "crossings": list(fit.crossings),
    }  # fmt: skip
