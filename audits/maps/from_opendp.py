"""Reads the claim off an OpenDP transformation or measurement: domain, metrics, measure and map."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from audits.maps.domains import INTEGERS, Atom, Margin, Row, Vector
from audits.maps.neighbours import DATASETS
from audits.maps.subject import Subject, Unknown, claim_of, written

FEATURES = 'dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")'
LINES = ("import opendp.prelude as dp", "", FEATURES)
TEXTS = re.compile(r'("(?:[^"\\]|\\.)*")|(\w+):\s|\{|\}')
METRICS = {
    "SymmetricDistance": "symmetric", "InsertDeleteDistance": "insert-delete",
    "ChangeOneDistance": "change-one", "HammingDistance": "hamming", "AbsoluteDistance": "absolute",
    "L1Distance": "l1", "L2Distance": "l2", "LInfDistance": "linf", "DiscreteDistance": "discrete",
    "SymmetricIdDistance": "symmetric-id",
}  # fmt: skip
POLARS = {
    **{f"i{bits}": f"Int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"UInt{bits}" for bits in (8, 16, 32, 64)},
    "f32": "Float32", "f64": "Float64", "bool": "Boolean", "String": "String",
}  # fmt: skip
COLUMNS = 2
"""Columns of an array whose domain names no number of them."""
PROVEN = ("transformations", "measurements", "combinators", "core", "domains", "metrics", "measures")
"""Modules whose maps OpenDP proves for floating-point numbers, too."""


def is_opendp(found: Any) -> bool:
    """Whether an object states a map as OpenDP's do, whatever its class."""
    return all(hasattr(found, name) for name in ("input_domain", "input_metric", "map", "invoke")) and (
        hasattr(found, "output_metric") or hasattr(found, "output_measure")
    )


def read(found: Any) -> Subject:
    """The claim of an OpenDP object. Raises `Unknown` where it cannot be driven."""
    claim, output = None, ""
    if hasattr(found, "output_measure"):
        claim = claim_of(str(found.output_measure))
    else:
        output = metric_of(found.output_metric)
    metric = metric_of(found.input_metric)
    subject = Subject(
        name=" ".join(str(found).split()),
        domain=None,
        metric=metric,
        output=output,
        stated=found.map,
        invoke=found.invoke,
        claim=claim,
        idealised=getattr(found, "__opendp_dict__", None) is None or _is_idealised(found),
        lines=LINES,
    )
    if hasattr(found.input_domain, "get_series_domain"):
        return _of_frames(found, subject)
    if str(found.input_domain).startswith("NPArray2Domain"):
        subject = _of_arrays(found.input_domain.descriptor, subject)
    else:
        subject = replace(subject, domain=domain_of(found.input_domain))
    if metric in DATASETS and not isinstance(subject.domain, Vector):
        raise Unknown(f"{found.input_metric} is a distance of datasets that {subject.domain} do not show")
    beyond = str(getattr(found, "output_domain", ""))
    if output in DATASETS and not beyond.startswith(("VectorDomain", "NPArray2Domain")):
        # As a matrix of products under the symmetric distance: a distance of the data behind it.
        raise Unknown(f"{found.output_metric} is a distance of datasets that {beyond} does not show")
    return subject


def metric_of(metric: Any) -> str:
    """The name in `distances.METRICS` of an OpenDP metric."""
    text = str(metric).removeprefix("FrameDistance(")
    name = re.split(r"\W", text, maxsplit=1)[0]
    if name in ("L01InfDistance", "L02InfDistance") and "(AbsoluteDistance" in text:
        return f"l0-l{name[2]}-linf"
    if name == "LInfDistance" and "monotonic" in text:
        return "linf-monotonic"
    if name not in METRICS:
        raise Unknown(f"distances in the metric {metric} are not known here")
    return METRICS[name]


def _is_idealised(part: Any) -> bool:
    """Whether any part was made outside the modules whose maps hold in floating point."""
    part = getattr(part, "__opendp_dict__", part)
    if isinstance(part, dict):
        module, function = part.get("__module__", "core"), str(part.get("__function__"))
        return module not in PROVEN or "user" in function or any(map(_is_idealised, part.values()))
    return isinstance(part, list | tuple) and any(map(_is_idealised, part))


# --- values and lists -------------------------------------------------------------------------------------


def domain_of(domain: Any) -> Any:
    """One of `domains` for an OpenDP domain, by its text: old releases tell it in no other way.

    With ``key: `` and braces as keywords and parentheses it is an expression of Python,
    ``VectorDomain(AtomDomain(bounds=[0, 10], T=i32), size=5)``.
    """
    text = str(domain)

    def python(token: re.Match[str]) -> str:
        return token[1] or (f"{token[2]}=" if token[2] else {"{": "(", "}": ")"}[token[0]])

    try:
        return _domain(ast.parse(TEXTS.sub(python, text).replace(" (", "("), mode="eval").body)
    except (SyntaxError, ValueError, LookupError, TypeError, AttributeError):
        raise Unknown(f"the input domain is {text}, which is not known here") from None


def _domain(node: Any) -> Any:
    name, named = node.func.id, {one.arg: one.value for one in node.keywords}
    if name == "AtomDomain":
        kind = ast.unparse(named["T"])
        kind = {"usize": "u64", "isize": "i64"}.get(kind, kind)
        if kind not in (*INTEGERS, "f32", "f64", "bool", "String"):
            raise ValueError
        number = float if kind in ("f32", "f64") else int
        bounds = [number(ast.unparse(one)) for one in named["bounds"].elts] if "bounds" in named else ()
        return Atom(kind, *bounds, nan="nan" in named and ast.unparse(named["nan"]) == "true")
    if name == "CategoricalDomain":
        return Atom("String", values=tuple(ast.literal_eval(named["categories"].args[0])))
    inner = [_domain(one) for one in (*node.args, *named.values()) if isinstance(one, ast.Call)]
    if name == "OptionDomain":
        return replace(inner[0], nullable=True)
    if name in ("VectorDomain", "ArrayDomain"):
        return Vector(inner[0], ast.literal_eval(named["size"]) if "size" in named else None)
    raise LookupError


# --- arrays and frames ------------------------------------------------------------------------------------


def _of_arrays(descriptor: Any, subject: Subject) -> Subject:
    """Arrays of two dimensions, as OpenDP's NumPy functions take them: rows within a norm of an origin."""
    kind = str(descriptor.T)
    atom = Atom(kind, nan=bool(descriptor.nan))
    if getattr(descriptor, "cardinalities", None) is not None or not atom.is_number:
        raise Unknown(f"an array of {kind} with cardinalities, or of a type that is not known here")
    size = descriptor.num_columns or COLUMNS
    origin = (0.0,) if descriptor.origin is None else tuple(float(x) for x in descriptor.origin.ravel())
    origin = origin * size if len(origin) == 1 else origin
    row = Row((atom,) * size, descriptor.norm, descriptor.p or 2, origin)

    def made(rows: Any) -> Any:
        import numpy as np

        return np.array(rows, dtype=atom.dtype).reshape(-1, size)

    return replace(
        subject,
        domain=Vector(row, descriptor.size),
        made=made,
        code=lambda rows: f"np.array({written(rows)}, dtype={atom.dtype!r}).reshape(-1, {size})",
        lines=("import numpy as np", *LINES),
    )


def _of_frames(found: Any, subject: Subject) -> Subject:
    """LazyFrames as lists of rows, the column of the identifier first, and their outputs as lists of rows."""
    given, order = found.input_domain, [*found.input_domain.columns]
    if subject.metric not in ("symmetric", "symmetric-id"):
        raise Unknown(f"neighbours in the metric {found.input_metric} are not known here")
    identifier = (re.search(r'identifier: col\("([^"]*)"\)', str(found.input_metric)) or [None, None])[1]
    names = sorted(order, key=lambda name: name != identifier)
    atoms: list[Atom] = []
    for name in names:
        series = given.get_series_domain(name)
        atom = domain_of(series.element_domain)
        if not isinstance(atom, Atom) or atom.kind not in POLARS:
            raise Unknown(f"the input domain is a frame whose column {name!r} is {atom}")
        # Whose record has no identifier is not said: identifiers are never null here, nor NaN.
        null = name != identifier and series.nullable
        atoms.append(replace(atom, nan=atom.nan and name != identifier, nullable=null))

    def made(rows: Any) -> Any:
        import polars as pl  # type: ignore

        schema = {name: getattr(pl, POLARS[atom.kind]) for name, atom in zip(names, atoms, strict=True)}
        return pl.LazyFrame(rows, schema=schema, orient="row").select(order)

    def code(rows: Any) -> str:
        data = {name: [row[names.index(name)] for row in rows] for name in order}
        schema = [f"{name!r}: pl.{POLARS[atoms[names.index(name)].kind]}" for name in order]
        return f"pl.LazyFrame({written(data)}, schema={{{', '.join(schema)}}})"

    framed = str(found.input_metric).startswith("FrameDistance")

    def stated(d_in: Any) -> Any:
        if not framed:
            return _whole(found.map(d_in))
        import opendp.prelude as dp  # type: ignore

        return _whole(found.map([dp.polars.Bound(by=[], per_group=d_in)]))

    return replace(
        subject,
        domain=Vector(Row(tuple(atoms)), None, _margins(given, names)),
        stated=stated,
        invoke=lambda data: _rows(found.invoke(data), identifier),
        made=made,
        code=code,
        shown="checked(data).collect()",
        mapped="checked.map([dp.polars.Bound(by=[], per_group={d_in})])" if framed else subject.mapped,
        lines=("import polars as pl", *LINES),
    )


def _margins(domain: Any, names: list[str]) -> tuple[Margin, ...]:
    """The promises of a LazyFrameDomain, which tells by its text alone which columns have one."""
    margins: list[Margin] = []
    text = re.search(r"margins=\[(.*)\]\)$", str(domain), re.DOTALL)
    for group in re.findall(r"\{([^{}]*)\}", text[1] if text else ""):
        by = re.findall(r'col\("([^"]*)"\)', group)
        if group.strip(", ") != ", ".join(f'col("{name}")' for name in by):
            raise Unknown(f"the input domain is a frame with a margin by {group}, which is no column")
        known, places = domain.get_margin(by), tuple(map(names.index, by))
        margins.append(Margin(places, known.max_length, known.max_groups, known.invariant))
    return tuple(margins)


def _rows(found: Any, identifier: str | None) -> list[Any]:
    """The rows of a frame that is released or transformed, sorted; the identifier's column first."""
    frame = found.collect()
    if identifier in frame.columns:
        frame = frame.select([identifier, *(name for name in frame.columns if name != identifier)])
    return sorted(frame.rows(), key=lambda row: [(value is None, repr(type(value)), value) for value in row])


def _whole(stated: Any) -> Any:
    """The distance of whole frames among the bounds of a FrameDistance; infinity where there is none."""
    if not isinstance(stated, list):
        return stated
    whole = [bound.per_group for bound in stated if not len(bound.by) and bound.per_group is not None]
    return min(whole, default=float("inf"))
