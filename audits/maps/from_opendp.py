"""Reads the claim off an OpenDP transformation or measurement: domain, metrics, measure and map.

OpenDP writes a domain in one grammar, ``VectorDomain(AtomDomain(bounds=[0, 10], T=i32), size=5)`` or
``MapDomain { key_domain: …, value_domain: … }``, and some domains can be read in no other way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from audits.maps import frames, matrices
from audits.maps.domains import INTEGERS, Atom, Mapping, Opaque, Vector
from audits.maps.subject import Subject, itself, written

FEATURES = 'dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")'
TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\w.+-]+(?:::[\w.+-]+)*|.)')
DATASETS = {
    "SymmetricDistance": "symmetric",
    "InsertDeleteDistance": "insert-delete",
    "ChangeOneDistance": "change-one",
    "HammingDistance": "hamming",
}
NUMBERS = {"AbsoluteDistance": "absolute", "L1Distance": "l1", "L2Distance": "l2", "LInfDistance": "linf"}
PROFILE = (0.0, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Where a privacy profile is read."""
PROVEN = ("transformations", "measurements", "combinators", "core", "domains", "metrics", "measures")
"""Modules whose maps OpenDP proves for floating-point numbers, too."""


@dataclass(frozen=True, slots=True)
class Node:
    """One term of that grammar: a name, what stands in it by place, and what by name."""

    name: str
    places: list[Any] = field(default_factory=list[Any])
    names: dict[str, Any] = field(default_factory=dict[str, Any])


def is_opendp(found: Any) -> bool:
    """Whether an object states a map as OpenDP's do, whatever its class."""
    return all(hasattr(found, name) for name in ("input_domain", "input_metric", "map", "invoke")) and (
        hasattr(found, "output_metric") or hasattr(found, "output_measure")
    )


def read(found: Any) -> Subject:
    """The claim of an OpenDP object. What cannot be driven has a `refusal`."""
    if hasattr(found.input_domain, "get_series_domain"):
        return _read_frame(found)
    domain, metric = domain_of(found.input_domain), metric_of(found.input_metric)
    measure = getattr(found, "output_measure", None)
    output, refusal = "", ""
    make, write, extra = itself, written, ()
    if str(found.input_domain).startswith("NPArray2Domain"):
        descriptor = found.input_domain.descriptor
        domain = matrices.points_of(descriptor)
        if isinstance(domain, matrices.Point):
            make, write, extra = matrices.made(domain), matrices.code(domain), ("import numpy as np",)
            domain = Vector(domain, descriptor.size)
    if isinstance(domain, Opaque):
        refusal = f"the input domain is {domain}"
    elif metric is None:
        refusal = f"neighbours in the metric {found.input_metric} are not known here"
    elif metric in DATASETS.values() and not isinstance(domain, Vector):
        refusal = f"{found.input_metric} is a distance of datasets that the value ({domain}) does not show"
    claim = None if measure is None else claim_of(str(measure))
    if measure is not None and claim is None and not refusal:
        refusal = f"losses in the measure {measure} are not known here"
    elif measure is None and not refusal:
        output = metric_of(found.output_metric) or ""
        beyond = domain_of(found.output_domain)
        if not output:
            refusal = f"distances in the metric {found.output_metric} are not known here"
        elif output in DATASETS.values() and not (
            isinstance(beyond, Vector) or str(found.output_domain).startswith("NPArray2Domain")
        ):
            # As a matrix of products under the symmetric distance: a distance of the data behind it.
            refusal = (
                f"{found.output_metric} is a distance of datasets that an output in {found.output_domain} "
                "does not show"
            )
    return Subject(
        name=_one_line(found),
        library="opendp",
        domain=domain,
        metric=metric or "",
        output=output,
        stated=found.map,
        invoke=found.invoke,
        claim=claim,
        idealised=_is_idealised(found),
        refusal=refusal,
        made=make,
        code=write,
        lines=(*extra, "import opendp.prelude as dp", "", FEATURES),
    )


def _read_frame(found: Any) -> Subject:
    """The claim of an OpenDP transformation or measurement of LazyFrames."""
    given = str(found.input_metric)
    identifier = (re.search(r'identifier: col\("([^"]*)"\)', given) or [None, None])[1]
    domain: Any = frames.frame_domain(found.input_domain, domain_of, identifier)
    inner = given.removeprefix("FrameDistance(")
    metric = "symmetric-id" if identifier else metric_of(inner) or ""
    measure = getattr(found, "output_measure", None)
    claim, output, refusal = None, "", ""
    if isinstance(domain, Opaque):
        refusal = f"the input domain is {domain}"
    elif metric not in ("symmetric", "symmetric-id"):
        refusal = f"neighbours in the metric {given} are not known here"
    elif measure is not None:
        claim = claim_of(str(measure))
        refusal = "" if claim else f"losses in the measure {measure} are not known here"
    else:
        reached = str(found.output_metric).removeprefix("FrameDistance(")
        output = "symmetric-id" if reached.startswith("SymmetricId") else metric_of(reached) or ""
        refusal = "" if output else f"distances in the metric {found.output_metric} are not known here"
    framed = given.startswith("FrameDistance")

    def stated(d_in: Any) -> Any:
        if not framed:
            return frames.bound_of(found.map(d_in))
        import opendp.prelude as dp  # type: ignore

        return frames.bound_of(found.map([dp.polars.Bound(by=[], per_group=d_in)]))

    order = [*found.input_domain.columns]
    return Subject(
        name=_one_line(found),
        library="opendp",
        domain=domain,
        metric=metric,
        output=output,
        stated=stated,
        invoke=lambda data: frames.rows_of(found.invoke(data), identifier),
        claim=claim,
        made=frames.made(domain, order) if not refusal else itself,
        shown="checked(data).collect()",
        code=frames.code(domain, order) if not refusal else written,
        idealised=_is_idealised(found),
        refusal=refusal,
        lines=("import opendp.prelude as dp", "import polars as pl", "", FEATURES),
    )


def domain_of(domain: Any) -> Any:
    """The record of an OpenDP domain; `Opaque` where there is none."""
    text = str(domain)
    try:
        return _domain(_parsed(text), text)
    except (ValueError, KeyError, IndexError, StopIteration):
        return Opaque(f"{text}, which is not known here")


def _domain(node: Any, text: str) -> Any:
    if not isinstance(node, Node):
        return Opaque(f"{text}, which is not known here")
    if node.name == "AtomDomain":
        kind = str(node.names["T"])
        if not (kind in INTEGERS or kind in ("f32", "f64", "bool", "String", "usize", "isize")):
            return Opaque(f"{text}, of a type that is not known here")
        kind = {"usize": "u64", "isize": "i64"}.get(kind, kind)
        low, high = node.names.get("bounds", (None, None))
        number = float if kind in ("f32", "f64") else int
        low, high = (None if bound is None else number(bound) for bound in (low, high))
        # Bounds that are infinite are none; a domain without bounds holds infinities.
        return Atom(kind, low, high, nan=node.names.get("nan") == "true")
    inner = [_domain(part, text) for part in (*node.places, *node.names.values()) if isinstance(part, Node)]
    if opaque := [part for part in inner if isinstance(part, Opaque)]:
        return opaque[0]
    if node.name == "OptionDomain" and isinstance(inner[0], Atom):
        atom = inner[0]
        return Atom(atom.kind, atom.low, atom.high, atom.nan, True, atom.values)
    if node.name in ("VectorDomain", "ArrayDomain"):
        size = node.names.get("size")
        return Vector(inner[0], None if size is None else int(size))
    if node.name == "MapDomain":
        return Mapping(inner[0], inner[1])
    if node.name == "CategoricalDomain" and isinstance(node.names.get("categories"), list):
        return Atom("String", values=tuple(map(str, node.names["categories"])))
    if node.name == "DatetimeDomain":
        return Atom("datetime")
    return Opaque(f"{text}, which is not known here")


def _parsed(text: str) -> Any:
    tokens = iter(TOKEN.findall(text))
    return _term(next(tokens), tokens)[0]


def _term(token: str, tokens: Iterator[str]) -> tuple[Any, str]:
    """One term and the token after it."""
    if token == "[":
        found: list[Any] = []
        token = next(tokens)
        while token != "]":
            one, token = _term(token, tokens)
            found.append(one)
            if token == ",":
                token = next(tokens)
        return found, next(tokens, "")
    if token.startswith('"'):
        return re.sub(r"\\(.)", r"\1", token[1:-1]), next(tokens, "")
    name, after = token, next(tokens, "")
    if after not in ("(", "{"):
        return (None if name == "None" else name), after
    node, token = Node(name), next(tokens)
    while token not in (")", "}"):
        one, after = _term(token, tokens)
        if after in ("=", ":"):
            node.names[str(one)], after = _term(next(tokens), tokens)
        else:
            node.places.append(one)
        token = next(tokens) if after == "," else after
    return (node.places[0] if name == "Some" else node), next(tokens, "")


def metric_of(metric: Any) -> str | None:
    """The name in `distances.METRICS` of an OpenDP metric; None where there is none."""
    text = str(metric)
    name = re.split(r"\W", text, maxsplit=1)[0]
    if name in ("L01InfDistance", "L02InfDistance") and "(AbsoluteDistance" in text:
        return f"l0-l{name[2]}-linf"
    if name == "LInfDistance" and "monotonic" in text:
        return "linf-monotonic"
    return DATASETS.get(name) or NUMBERS.get(name) or {"DiscreteDistance": "discrete"}.get(name)


def claim_of(measure: str) -> Callable[[Any], Any] | None:
    """What a loss in a privacy measure claims, as a function of the loss; None where it is not known here."""
    from audits.privacy import claims

    return {
        "MaxDivergence": claims.Pure,
        "ZeroConcentratedDivergence": claims.ZeroConcentrated,
        "Approximate(MaxDivergence)": lambda loss: claims.Approximate(*loss),
        "Approximate(ZeroConcentratedDivergence)": lambda loss: claims.ApproximateZeroConcentrated(*loss),
        "SmoothedMaxDivergence": lambda profile: claims.Curve({e: profile.delta(e) for e in PROFILE}),
    }.get(measure)


def _is_idealised(found: Any) -> bool:
    """Whether any part was made outside the modules whose maps hold in floating point."""
    recorded = getattr(found, "__opendp_dict__", None)
    if recorded is None:
        return True
    pending, seen = [recorded], 0
    while pending and seen < 10_000:
        one, seen = pending.pop(), seen + 1
        one = getattr(one, "__opendp_dict__", one)
        if isinstance(one, dict):
            module = one.get("__module__")
            if module is not None and (module not in PROVEN or "user" in str(one.get("__function__"))):
                return True
            pending += one.values()
        elif isinstance(one, list | tuple):
            pending += one
    return False


def _one_line(found: Any) -> str:
    return " ".join(str(found).split())
