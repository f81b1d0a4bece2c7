"""Laws that are no single power: sums of terms with coefficients ≥ 0, and which of two forms fits better.

A form is text, "a/n + b*sqrt(d)/(n*sqrt(m))" or "log(n)/n": columns of the table, names of coefficients, each
a factor of its own term (left out where there is one term), numbers, + - * / ** and sqrt, log, exp.
Coefficients are fitted by weighted least squares on the relative scale: with the law f = Σ c_k t_k,
m/f = Σ c_k t_k/f + error, where the error has the variance v/f² + τ². Their intervals are those of `regress`.

Two forms are compared by the squared errors of the log risk where each cell is foreseen from the others. With
predictions p₁, p₂ and Δ = p₁ − p₂, Σ(y − p₂)² − Σ(y − p₁)² = ΣΔ²·(2α − 1), α the slope of y − p₂ against Δ
(Davidson and MacKinnon 1981): the first form is better where the interval of α lies above ½.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.bounds import t_quantile
from audits.rates.cells import Cells, cells_of, log_risk, near
from audits.rates.exponents import Exponent
from audits.rates.plot import plot_along
from audits.rates.regression import exponent_of, misfit_of, regress, weights_of

Array = NDArray[np.float64]
STRETCHES = (1.25, 1.5, 2, 2.5, 3)
"""How many times as many decades are looked at, for what would tell two forms apart."""

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {"sqrt": np.sqrt, "log": np.log, "exp": np.exp}


@dataclass(frozen=True, slots=True)
class Form:
    """A sum of terms: its text, the names of its coefficients, the columns in it, its tree."""

    text: str
    coefficients: tuple[str, ...]
    axes: tuple[str, ...]
    tree: ast.expr

    def at(self, axes: Mapping[str, Array], values: Array) -> Array:
        """The form with these coefficients, an entry a cell."""
        names = {**axes, **dict(zip(self.coefficients, values, strict=True))}
        with np.errstate(all="ignore"):
            found = np.asarray(_value(self.tree, names), dtype=np.float64)
        return np.broadcast_to(found, np.shape(next(iter(axes.values()))))

    def terms(self, axes: Mapping[str, Array]) -> Array:
        """The terms (cells, k), each the form with one coefficient 1 and the others 0.

        Raises ValueError where one is not > 0 and finite in every cell, or the form is not their sum.
        """
        units = np.eye(len(self.coefficients))
        found = np.column_stack([self.at(axes, unit) for unit in units])
        for name, column in zip(self.coefficients, found.T, strict=True):
            if not (np.isfinite(column).all() and (column > 0.0).all()):
                raise ValueError(f"form: the term of {name!r} must be finite and > 0 in every cell")
        values = np.arange(2.0, 2.0 + len(units))
        if not np.allclose(self.at(axes, values), found @ values, rtol=1e-9, atol=0.0):
            raise ValueError(f"form must be a sum of terms with a coefficient each, got {self.text!r}")
        return found


def parsed(text: str, columns: Sequence[str]) -> Form:
    """The form of this text; ValueError for what is none.

    >>> parsed("a/n + b*log(n)/n", ["n"]).coefficients, parsed("log(n)/n", ["n"]).coefficients
    (('a', 'b'), ('c',))
    """
    try:
        tree = ast.parse(text.replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        raise ValueError(f"form must be a formula such as 'a/n + b/sqrt(n)', got {text[:60]!r}") from None
    known = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    axes = tuple(name for name in columns if name in known)
    if not axes:
        raise ValueError(f"form must name columns out of {list(columns)}, got {text!r}")
    coefficients = tuple(sorted(set(known) - _FUNCTIONS.keys() - set(axes)))
    if not coefficients:
        return Form(text, ("c",), axes, ast.BinOp(ast.Name("c"), ast.Mult(), tree))
    return Form(text, coefficients, axes, tree)


def _value(tree: ast.expr, names: Mapping[str, Any]) -> Any:
    match tree:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp() if type(tree.op) in _OPERATORS:
            return _OPERATORS[type(tree.op)](_value(tree.left, names), _value(tree.right, names))
        case ast.UnaryOp() if type(tree.op) in _OPERATORS:
            return _OPERATORS[type(tree.op)](_value(tree.operand, names))
        case ast.Call(func=ast.Name(id=name), args=[one], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_value(one, names))
        case _:
            raise ValueError(f"form: {ast.unparse(tree)!r} is no column, coefficient, number or operation")


# --- One form -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFit:
    """Fitted coefficients of a form.

    coefficients  by name; the standard error is inf for one that would be negative, and is 0 then.
    trends        by axis, the power of it that is left in risk over form, 0 where the form is right.
    crossings     sentences, where two terms are equal.
    misfit        τ, relative scatter beyond the Monte Carlo error.
    cells         columns, an entry a cell: axis values, "risk", "standard_error".
    """

    form: Form
    coefficients: Mapping[str, Exponent]
    trends: Mapping[str, Exponent]
    crossings: tuple[str, ...]
    misfit: float
    cells: Mapping[str, Array]

    def plot(self, axis: str, ax: Any = None) -> Any:
        """Measured and fitted risks along one axis, the others divided out, with the residuals under them."""
        found = np.array([each.estimate for each in self.coefficients.values()])
        return plot_along(
            axis, {name: self.cells[name] for name in self.form.axes},
            (self.cells["risk"], self.cells["standard_error"]),
            lambda at: self.form.terms(at) @ found, self.form.text, ax,
        )  # fmt: skip


def fit_form(table: Any, risk: str, text: str, **options: Any) -> FormFit:
    """Fit risk ≈ Σ c_k t_k with c_k ≥ 0.

    options  columns `error` and `trial` as in `fit_rate`.
    Raises ValueError for a form that is none, and as `fit_rate`.

    >>> n = np.array([1e2, 2e2, 4e2, 8e2, 16e2, 32e2, 64e2])
    >>> fit = fit_form({"n": n, "risk": 3.0 / n + 0.05 / np.sqrt(n)}, "risk", "a/n + b/sqrt(n)")
    >>> {name: round(float(c.estimate), 6) for name, c in fit.coefficients.items()}
    {'a': 3.0, 'b': 0.05}
    """
    form = parsed(text, [str(c) for c in table if c != risk])
    cells = cells_of(table, risk, form.axes, least=1, **options)
    design = form.terms(cells.axes)
    found = _coefficients(design, cells.risk, cells.error)
    law = design @ found
    relative = near(cells, law).less(np.log(law) - 1.0)
    used = np.flatnonzero(found > 0.0)
    columns = (design * found)[:, used] / law[:, None]
    fit = regress(columns, relative)
    unused = Exponent(estimate=0.0, standard_error=math.inf)
    coefficients = dict.fromkeys(form.coefficients, unused)
    for i, k in enumerate(used):
        coefficients[form.coefficients[k]] = exponent_of(fit, i).times(float(found[k]))
    trends: dict[str, Exponent] = {}
    for axis, values in cells.axes.items():
        along = np.log(values / np.exp(np.log(values).mean()))
        if len(np.unique(values)) > 2:
            try:
                trends[axis] = exponent_of(
                    regress(np.column_stack([columns, along]), relative), columns.shape[1]
                )
            except ValueError:  # too few cells for it
                continue
    crossings = tuple(_crossings(form, found, cells))
    return FormFit(
        form=form, coefficients=coefficients, trends=trends, crossings=crossings, misfit=fit.misfit,
        cells={**cells.axes, "risk": cells.risk, "standard_error": cells.error},
    )  # fmt: skip


def _coefficients(terms: Array, mean: Array, error: Array) -> Array:
    """Non-negative least squares on the relative scale; weights 1/(v + τ²f²) from the last fit, in turn."""
    from scipy.optimize import nnls

    if mean.max() <= 0.0:
        raise ValueError(f"form: a mean risk must be > 0, got {mean.max():.6g} at most")
    law, found = np.maximum(np.abs(mean), np.abs(mean).max() * 1e-9), np.zeros(terms.shape[1])
    for _ in range(30):
        share, variance = terms / law[:, None], (error / law) ** 2
        root = np.sqrt(weights_of(variance, misfit_of(share, mean / law, variance)))
        last, (found, _) = found, nnls(share * root[:, None], mean / law * root)
        if not found.any():
            raise ValueError("form: no term has a coefficient > 0")
        law = terms @ found
        if np.allclose(found, last, rtol=1e-10, atol=0.0):
            break
    return found


def _crossings(form: Form, found: Array, cells: Cells) -> Iterator[str]:
    """Where two terms are equal along an axis, the other axes at their geometric means."""
    from scipy.optimize import brentq

    centre = {axis: np.exp(np.log(values).mean(keepdims=True)) for axis, values in cells.axes.items()}

    def gap(log_x: float, axis: str, k: int, other: int) -> float:
        terms = form.terms(centre | {axis: np.exp([log_x])})[0] * found
        return math.log(terms[k] / terms[other])

    for axis, values in cells.axes.items():
        ends = math.log(values.min()), math.log(values.max())
        for pair in itertools.combinations(np.flatnonzero(found > 0.0).tolist(), 2):
            first, last = (gap(end, axis, *pair) for end in ends)
            if first * last < 0.0:
                place = math.exp(brentq(gap, *ends, args=(axis, *pair)))
                larger, then = (form.coefficients[k] for k in (pair if first > 0.0 else pair[::-1]))
                yield f"the term of {larger} is larger up to {axis} = {place:.4g}, that of {then} beyond"


# --- Two forms ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FormChoice:
    """Which of two forms foresees cells better.

    better   the form, or None where it cannot be told in this range.
    errors   of both, root mean squares of the log risk of cells that are foreseen from the others.
    weight   α, 1 where the first form is right and 0 where the second is, with its interval low … high.
    advice   sizes that would tell, "" where it can be told.
    """

    better: str | None
    errors: tuple[float, float]
    weight: float
    low: float
    high: float
    advice: str


def compare_forms(
    table: Any, risk: str, first: str, second: str, *, level: float = 0.05, **options: Any
) -> FormChoice:
    """Which of two forms is nearer to the risk in cells that it was not fitted to.

    level    probability, at most, that the form that is not right is called better, where one of them is.
    options  as `fit_form`. Raises ValueError for means ≤ 0, too few cells, and as `fit_form`.

    >>> n = np.geomspace(1e2, 1e6, 12)
    >>> table = {"n": n, "risk": np.log(n) / n * np.exp(0.001 * np.random.default_rng(0).normal(size=12))}
    >>> compare_forms(table, "risk", "log(n)/n", "n**-0.86").better
    'log(n)/n'
    """
    names = [str(c) for c in table if c != risk]
    forms = [parsed(text, names) for text in (first, second)]
    axes = tuple(dict.fromkeys(a for form in forms for a in form.axes))
    cells = cells_of(table, risk, axes, least=1, **options)
    if cells.risk.min() <= 0.0:
        raise ValueError(f"mean risk must be > 0 in every cell, to compare forms, got {cells.risk.min():.6g}")
    seen, designs = log_risk(cells), [form.terms(cells.axes) for form in forms]
    apart = ~np.eye(cells.risk.size, dtype=bool)
    told = [
        np.log(
            [
                d[i] @ _coefficients(d[keep], cells.risk[keep], cells.error[keep])
                for i, keep in enumerate(apart)
            ]
        )
        for d in designs
    ]
    difference = told[0] - told[1]
    if np.abs(difference).max() < 1e-9:
        raise ValueError(f"the forms {first!r} and {second!r} are the same in all cells")
    slope = exponent_of(regress(difference[:, None], seen.less(told[1])), 0)
    # What the fits of both forms took is missing from the degrees of freedom.
    df = max(slope.degrees_of_freedom + 1.0 - max(d.shape[1] for d in designs), 1.0)
    slope = replace(slope, degrees_of_freedom=df)
    low, high = slope.interval(level)
    better = first if low > 0.5 else second if high < 0.5 else None
    errors = tuple(float(np.sqrt(np.mean((seen.y - p) ** 2))) for p in told)
    scatter = slope.standard_error * float(np.linalg.norm(difference))
    return FormChoice(
        better=better, errors=(errors[0], errors[1]), weight=slope.estimate, low=low, high=high,
        advice="" if better else _sizes(forms, cells, scatter, level),
    )  # fmt: skip


def _sizes(forms: Sequence[Form], cells: Cells, scatter: float, level: float) -> str:
    """How far as many cells would have to reach on the longest axis, with this scatter of the log risk."""
    axis = max(cells.axes, key=lambda name: float(np.ptp(np.log(cells.axes[name]))))
    values, least = cells.axes[axis], cells.axes[axis].min()
    if values.max() == least:
        return "it cannot be told in this range"
    laws = [_coefficients(form.terms(cells.axes), cells.risk, cells.error) for form in forms]
    for power in STRETCHES:
        wider = {**cells.axes, axis: least * (values / least) ** power}
        apart = min(_distance(forms[k], forms[1 - k], wider, laws[k]) for k in range(2))
        if t_quantile(level, values.size - 2.0) * scatter <= 0.5 * apart:
            return f"as many cells up to {axis} = {wider[axis].max():.3g} would tell"
    return f"{STRETCHES[-1]} times as many decades of {axis} would not tell: fewer errors in each cell could"


def _distance(right: Form, wrong: Form, axes: Mapping[str, Array], found: Array) -> float:
    """√Σ(log f − log g)² of a law and the best fit to it by the other form."""
    law, terms = right.terms(axes) @ found, wrong.terms(axes)
    return float(np.linalg.norm(np.log(terms @ _coefficients(terms, law, np.zeros(law.size)) / law)))
