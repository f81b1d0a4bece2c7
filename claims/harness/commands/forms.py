"""`dpclaims rates --csv F --form …` and `--compare …`: laws that are no single power, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from claims.harness.commands.measurements import EQUIVALENCE_ALPHA, Measured, read_table
from claims.harness.exchange import must_be_writable, save_plot
from claims.harness.run.result import DIFFERS, PASSED, UNDECIDED
from claims.harness.run.serialise import dumps

if TYPE_CHECKING:
    from audits.rates import Exponent
    from audits.rates.forms import FormChoice, FormFit


def forms_command(asked: Measured, form: str | None, against: list[str], *, json: bool) -> int:
    """Fit a form, or compare two; prints what is found, returns the exit status.

    Of one form: 0 where risk over form has no power of an axis left, within the tolerance; 1 where it has, at
    the level --alpha; 3 where neither is shown. Of two: 0 where one is better, 3 where it cannot be told.
    Raises ValueError for a form that is none, and for options that say nothing of forms.
    """
    if asked.claimed or asked.group or asked.baseline.file or asked.predict:
        raise ValueError(
            "--form and --compare go with --csv, --risk, --trial, --error, --tolerance, --alpha, --plot only"
        )
    must_be_writable("--plot", asked.plot, parents=False)
    if form is not None and against:
        raise ValueError("--form fits one form and --compare two: give one of them")
    if form is None and len(against) != 2:
        raise ValueError(f"--compare must be given twice, a form each, got {len(against)}")
    from audits.rates.forms import compare_forms, fit_form

    assert asked.risk is not None
    table = read_table(asked)
    options = {"error": asked.error, "trial": False if asked.trial == "none" else asked.trial}
    if form is None:
        choice = compare_forms(table, asked.risk, *against, level=EQUIVALENCE_ALPHA, **options)
        _draw([fit_form(table, asked.risk, text, **options) for text in against] if asked.plot else [], asked)
        print(dumps(_chosen(choice, against)) if json else "\n".join(_choice(choice, against)))
        return PASSED if choice.better else UNDECIDED
    fit = fit_form(table, asked.risk, form, **options)
    _draw([fit], asked)
    left = {axis: _left(trend, asked) for axis, trend in fit.trends.items()}
    print(dumps(_fitted(fit, left)) if json else "\n".join(_fit(fit, left)))
    if any(word == "left" for word in left.values()):
        return DIFFERS
    return PASSED if left and all(word == "none" for word in left.values()) else UNDECIDED


def _draw(fits: Sequence[FormFit], asked: Measured) -> None:
    """A panel an axis: measured risks and those of each form; under it, how far they are off, as shares."""
    if asked.plot is None:
        return
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError(f"--plot needs the library Matplotlib, which is not installed ({error})") from error
    axes = list(dict.fromkeys(axis for fit in fits for axis in fit.form.axes))
    figure = Figure(figsize=(4.5 * len(axes), 5.5), layout="constrained")
    above, below = figure.subplots(2, len(axes), squeeze=False, sharex="col", height_ratios=(3, 2))
    for axis, upper, lower in zip(axes, above, below, strict=True):
        for k, fit in enumerate(fit for fit in fits if axis in fit.form.axes):
            x, risk, fitted = (fit.cells[name] for name in (axis, "risk", "fitted"))
            error = 2.0 * fit.cells["standard_error"]
            if k == 0:
                upper.errorbar(x, risk, yerr=error, fmt="o", color="C0", label="measured, ± 2 errors")
            upper.plot(x, fitted, "_", markersize=14, color=f"C{k + 1}", label=fit.form.text)
            lower.errorbar(x, risk / fitted - 1.0, yerr=error / fitted, fmt="o", color=f"C{k + 1}")
        upper.set(xscale="log", yscale="log", ylabel="risk")
        upper.legend(fontsize="small")
        lower.axhline(0.0)
        lower.set(xlabel=axis, ylabel="residual")
        lower.xaxis.set_minor_formatter("")  # labels between the powers of ten lie over each other
    save_plot(figure, asked.plot)


def _left(trend: Exponent, asked: Measured) -> str:
    """Whether a power of the axis is left in risk over form: "none" within the tolerance, "left", "open"."""
    low, high = trend.interval(asked.alpha / 2.0)
    if low > asked.tolerance or high < -asked.tolerance:
        return "left"
    low, high = trend.interval(EQUIVALENCE_ALPHA)
    return "none" if -asked.tolerance <= low and high <= asked.tolerance else "open"


def _fit(fit: FormFit, left: dict[str, str]) -> Iterator[str]:
    yield f"{fit.form.text}: {len(fit.cells['risk'])} cells, scatter beyond the errors {fit.misfit:.2g}"
    for term in fit.form.terms:
        found = fit.coefficients[term.coefficient]
        if math.isinf(found.standard_error):
            yield f"  {term.coefficient} = 0: the measurements have no use for {term.text}"
            continue
        low, high = found.interval(0.025)
        need = "needed" if low > 0.0 else "not shown to be needed"
        yield f"  {term.coefficient} = {found.estimate:.4g} [{low:.4g}, {high:.4g}]: {term.text} is {need}"
    yield from (f"  {sentence}" for sentence in fit.crossings)
    words = {"none": "nothing is left", "left": "a term is missing", "open": "it is open whether any is left"}
    for axis, trend in fit.trends.items():
        low, high = trend.interval(EQUIVALENCE_ALPHA)
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


def _fitted(fit: FormFit, left: dict[str, str]) -> dict[str, Any]:
    return {
        "format": "dpclaims-form/1", "form": fit.form.text, "misfit": fit.misfit,
        "coefficients": {name: asdict(e) for name, e in fit.coefficients.items()},
        "left": {axis: asdict(trend) | {"answer": left[axis]} for axis, trend in fit.trends.items()},
        "crossings": list(fit.crossings),
    }  # fmt: skip


def _chosen(choice: FormChoice, forms: list[str]) -> dict[str, Any]:
    return {"format": "dpclaims-forms/1", "forms": forms, **asdict(choice)}
