"""Laws that are no single power: sums of terms with coefficients ≥ 0, and which of two forms fits better.

A form is text, "a/n + b*sqrt(d)/(n*sqrt(m))" or "log(n)/n": columns of the table, names of coefficients, one
a term (left out where the term has none), numbers, + - * / ** and sqrt, log, exp. Coefficients are fitted by
weighted least squares on the relative scale: with the law f = Σ c_k t_k, m/f = Σ c_k t_k/f + error, where the
error has the variance v/f² + τ². Their intervals are those of `regress`.

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

from audits.rates.cells import Cells, Columns, cells_of, log_risk, near
from audits.rates.exponents import Exponent
from audits.rates.regression import exponent_of, regress

Array = NDArray[np.float64]
MOST_LEVELS = 12

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {"sqrt": np.sqrt, "log": np.log, "exp": np.exp}


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a form: its text, its coefficient (generated where the text has none), its tree."""

    text: str
    coefficient: str
    tree: ast.expr

    def at(self, axes: Mapping[str, Any], coefficient: float = 1.0) -> Array:
        """The term at values of the axes."""
        with np.errstate(all="ignore"):
            return np.asarray(_value(self.tree, {**axes, self.coefficient: coefficient}), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Form:
    """A sum of terms and the columns in it."""

    text: str
    terms: tuple[Term, ...]
    axes: tuple[str, ...]

    def design(self, axes: Mapping[str, Array]) -> Array:
        """The terms (cells, k); ValueError where one is not > 0 and finite in every cell."""
        size = len(next(iter(axes.values())))
        columns = [np.broadcast_to(term.at(axes), (size,)) for term in self.terms]
        for term, column in zip(self.terms, columns, strict=True):
            if not (np.isfinite(column).all() and (column > 0.0).all()):
                raise ValueError(f"form: the term {term.text!r} must be finite and > 0 in every cell")
            if not np.allclose(term.at(axes, 6.0), 6.0 * column, rtol=1e-9, atol=0.0):
                raise ValueError(f"form: coefficient {term.coefficient!r} must be a factor of {term.text!r}")
        return np.column_stack(columns)


def parsed(text: str, columns: Sequence[str]) -> Form:
    """The form of this text; ValueError for what is no sum of terms with one coefficient each.

    >>> [t.coefficient for t in parsed("a/n + b*log(n)/n", ["n"]).terms], parsed("log(n)/n", ["n"]).axes
    (['a', 'b'], ('n',))
    """
    try:
        tree = ast.parse(text.replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        raise ValueError(f"form must be a formula such as 'a/n + b/sqrt(n)', got {text[:60]!r}") from None
    known = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _FUNCTIONS.keys()
    axes = tuple(name for name in columns if name in known)
    if not axes:
        raise ValueError(f"form must name columns out of {list(columns)}, got {text!r}")
    terms: list[Term] = []
    for k, part in enumerate(_summands(tree)):
        free = sorted({n.id for n in ast.walk(part) if isinstance(n, ast.Name)} & (known - {*axes}))
        if len(free) > 1:
            raise ValueError(f"form: a term has one coefficient, got {free} in {ast.unparse(part)!r}")
        name = free[0] if free else f"c{k + 1}"
        if not free:
            part = ast.BinOp(ast.Name(name), ast.Mult(), part)
        if any(term.coefficient == name for term in terms):
            raise ValueError(f"form: each term needs a coefficient of its own, got {name!r} twice")
        terms.append(Term(ast.unparse(part), name, part))
    return Form(text, tuple(terms), axes)


def _summands(tree: ast.expr) -> Iterator[ast.expr]:
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add):
        yield from _summands(tree.left)
        yield from _summands(tree.right)
    else:
        yield tree


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
    cells         columns, an entry a cell: axis values, "risk", "standard_error", "fitted".
    """

    form: Form
    coefficients: Mapping[str, Exponent]
    trends: Mapping[str, Exponent]
    crossings: tuple[str, ...]
    misfit: float
    cells: Mapping[str, Array]


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
    cells = cells_of(table, Columns(risk=risk, axes=form.axes, least=1, **options))
    design = form.design(cells.axes)
    found = _coefficients(design, cells)
    used = found > 0.0
    law = design @ found
    relative = near(cells, law).less(np.log(law) - 1.0)
    columns = (design * found)[:, used] / law[:, None]
    fit = regress(columns, relative)
    coefficients: dict[str, Exponent] = {}
    for k, term in enumerate(form.terms):
        if not used[k]:
            coefficients[term.coefficient] = Exponent(estimate=0.0, standard_error=math.inf)
            continue
        share = exponent_of(fit, int(used[:k].sum()))
        coefficients[term.coefficient] = share.times(float(found[k]))
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
        cells={**cells.axes, "risk": cells.risk, "standard_error": cells.error, "fitted": law},
    )  # fmt: skip


def _coefficients(design: Array, cells: Cells, keep: Any = slice(None)) -> Array:
    """Non-negative least squares on the relative scale; weights 1/(v + τ²f²) from the last fit, in turn."""
    from scipy.optimize import nnls

    t, mean, error = design[keep], cells.risk[keep], cells.error[keep]
    if mean.max() <= 0.0:
        raise ValueError(f"form: a mean risk must be > 0, got {mean.max():.6g} at most")
    scale = np.maximum(np.abs(mean), np.abs(mean).max() * 1e-9)
    found = np.zeros(t.shape[1])
    for _ in range(30):
        root = np.hypot(error, scale * _scatter(mean, error, scale, t @ found if found.any() else mean))
        last, (found, _) = found, nnls(t / root[:, None], mean / root)
        if not found.any():
            raise ValueError("form: no term has a coefficient > 0")
        scale = t @ found
        if np.allclose(found, last, rtol=1e-10, atol=0.0):
            break
    return found


def _scatter(mean: Array, error: Array, scale: Array, law: Array) -> float:
    """The relative scatter beyond the errors, 1 at first and where nothing has an error."""
    if error.max() == 0.0:
        return 1.0
    excess = float((((mean - law) / scale) ** 2 - (error / scale) ** 2).mean())
    return math.sqrt(max(excess, 1e-12))


def _crossings(form: Form, found: Array, cells: Cells) -> Iterator[str]:
    """Where two terms are equal along an axis, the other axes at their geometric means."""
    from scipy.optimize import brentq

    centre = {axis: float(np.exp(np.log(values).mean())) for axis, values in cells.axes.items()}
    active = [k for k in range(len(form.terms)) if found[k] > 0.0]
    for k, other in itertools.combinations(active, 2):
        for axis, values in cells.axes.items():

            def ratio(u: float, k: int = k, other: int = other, axis: str = axis) -> float:
                at = centre | {axis: math.exp(u)}
                return math.log(
                    found[k] * float(form.terms[k].at(at)) / (found[other] * float(form.terms[other].at(at)))
                )

            low, high = math.log(values.min()), math.log(values.max())
            ends = ratio(low), ratio(high)
            names = form.terms[k].text, form.terms[other].text
            if ends[0] * ends[1] < 0.0:
                crossing: Any = brentq(ratio, low, high)
                place = math.exp(crossing)
                first, last = names if ends[0] > 0.0 else names[::-1]
                yield f"{first} is larger up to {axis} = {place:.4g}, {last} beyond"
            elif abs(ends[0] - ends[1]) > 1e-9:
                yield f"{names[0 if ends[0] > 0.0 else 1]} is larger at all measured {axis}"


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
    cells = cells_of(table, Columns(risk=risk, axes=axes, least=1, **options))
    if cells.risk.min() <= 0.0:
        raise ValueError(f"mean risk must be > 0 in every cell, to compare forms, got {cells.risk.min():.6g}")
    seen, designs = log_risk(cells), [form.design(cells.axes) for form in forms]
    apart = ~np.eye(cells.risk.size, dtype=bool)
    told = [
        np.log([design[i] @ _coefficients(design, cells, keep) for i, keep in enumerate(apart)])
        for design in designs
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
    advice = (
        ""
        if better
        else _sizes(forms, cells, slope.standard_error * float(np.linalg.norm(difference)), level)
    )
    return FormChoice(
        better=better, errors=(errors[0], errors[1]), weight=slope.estimate, low=low, high=high, advice=advice
    )


def _sizes(forms: Sequence[Form], cells: Cells, scatter: float, level: float) -> str:
    """How far the longest axis would have to go, with this scatter of the log risk in each cell."""
    from audits.rates.exponents import t_quantile

    axis = max(cells.axes, key=lambda name: float(np.log(np.ptp(cells.axes[name]) + 1.0)))
    levels = np.unique(cells.axes[axis])
    if levels.size < 2:
        return "it cannot be told in this range"
    ratio = float((levels[-1] / levels[0]) ** (1.0 / (levels.size - 1)))
    last = cells.axes[axis] == levels[-1]
    laws = [_coefficients(form.design(cells.axes), cells) for form in forms]
    for added in range(1, MOST_LEVELS + 1):
        axes = {name: np.concatenate([v, np.tile(v[last], added)]) for name, v in cells.axes.items()}
        axes[axis][len(cells.risk) :] *= np.repeat(ratio ** np.arange(1, added + 1), last.sum())
        apart = min(_distance(forms[k], forms[1 - k], axes, laws[k]) for k in range(2))
        if t_quantile(level, len(axes[axis]) - 2.0) * scatter <= 0.5 * apart:
            return f"cells up to {axis} = {levels[-1] * ratio**added:.3g} would tell"
    return f"{MOST_LEVELS} further levels of {axis} would not tell: fewer errors in each cell could"


def _distance(right: Form, wrong: Form, axes: Mapping[str, Array], found: Array) -> float:
    """√Σ(log f − log g)² of a law and the best fit to it by the other form."""
    law = right.design(axes) @ found
    zero = np.zeros(law.size)
    cells = Cells(dict(axes), law, zero, law.size, 0.0, False)
    design = wrong.design(axes)
    return float(np.linalg.norm(np.log(design @ _coefficients(design, cells) / law)))
