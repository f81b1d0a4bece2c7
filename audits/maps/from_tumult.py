"""Reads the claim off a transformation or measurement of Tumult Core: domain, metrics, measure, stability."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

from audits.maps.distances import plain
from audits.maps.domains import Atom, Row, Vector
from audits.maps.subject import Subject, Unknown, claim_of, written

LARGEST = sys.float_info.max
LINES = ("from tmlt.core.utils.exact_number import ExactNumber",)
SPARK = ("from pyspark.sql import SparkSession", "spark = SparkSession.builder.getOrCreate()")
METRICS = {
    "AbsoluteDifference()": "absolute",
    "SymmetricDifference()": "symmetric",
    "HammingDistance()": "change-one",  # of frames, whose rows have no order
    "SumOf(inner_metric=AbsoluteDifference())": "l1",
    "RootSumOfSquared(inner_metric=AbsoluteDifference())": "l2",
}


def is_tumult(found: Any) -> bool:
    """Whether an object states its stability, or its loss, as Tumult Core's do, whatever its class."""
    return all(hasattr(found, name) for name in ("input_domain", "input_metric")) and (
        hasattr(found, "stability_function") or hasattr(found, "privacy_function")
    )


def read(found: Any) -> Subject:
    """The claim of a Tumult object. Raises `Unknown` where it cannot be driven."""
    if getattr(found, "is_interactive", False):
        raise Unknown("an interactive measurement answers queries, and none is given here")
    measured = hasattr(found, "privacy_function")
    metric, identifier = _metric(found.input_metric)
    output, key = ("", None) if measured else _metric(found.output_metric)
    states = found.privacy_function if measured else found.stability_function
    name = "privacy_function" if measured else "stability_function"
    subject = Subject(
        name=" ".join(repr(found).split()),
        domain=None,
        metric=metric,
        output=output,
        stated=lambda d_in: _number(states(_exact(d_in))),
        invoke=lambda data: _output(found(data), key),
        claim=claim_of(repr(found.output_measure)) if measured else None,
        mapped=f"checked.{name}(ExactNumber.from_float({{d_in}}, round_up=True))",
        idealised="Float" in repr(found.input_domain),
        lines=LINES,
    )
    return _driven(subject, found.input_domain, identifier)


def _metric(metric: Any) -> tuple[str, str | None]:
    """The name of a metric in `distances.METRICS`, and the column by which it groups records, or None."""
    text = repr(metric)
    columns = sorted(getattr(metric, "columns", ()))
    if len(columns) == 1 and repr(getattr(metric, "inner_metric", None)) == "SymmetricDifference()":
        return "symmetric-id", columns[0]
    if text not in METRICS:
        raise Unknown(f"distances in the metric {text} are not known here")
    return METRICS[text], None


def _exact(distance: Any) -> Any:
    """A distance as the library takes it, which refuses floats."""
    return distance if isinstance(distance, int) else Fraction(distance)


def _number(stated: Any) -> Any:
    """A stated distance or loss as a number: whole where it is, else rounded up."""
    if isinstance(stated, tuple):
        return tuple(map(_number, stated))
    if not stated.is_finite:
        return math.inf
    return int(stated.expr) if stated.is_integer else stated.to_float(round_up=True)


def _output(found: Any, key: str | None) -> Any:
    """Frames as sorted lists of rows, the column `key` first; series as lists."""
    if hasattr(found, "toPandas"):
        order = sorted(found.columns, key=lambda name: name != key) if key else found.columns
        return sorted((tuple(row) for row in found.select(*order).collect()), key=repr)
    if hasattr(found, "itertuples"):
        return [tuple(row) for row in found.itertuples(index=False)]
    return plain(found)


# --- domains ----------------------------------------------------------------------------------------------


def _driven(subject: Subject, domain: Any, identifier: str | None) -> Subject:
    """The subject with inputs of a domain, known by the name of its class. Raises `Unknown`."""
    kind = type(domain).__name__
    if kind in ("NumpyIntegerDomain", "NumpyFloatDomain", "NumpyStringDomain"):
        return replace(subject, domain=_atom(domain))
    if kind == "ListDomain":
        return replace(subject, domain=Vector(_atom(domain.element_domain), domain.length))
    if kind == "PandasSeriesDomain":
        return _of_series(subject, _atom(domain.element_domain))
    if kind == "SparkDataFrameDomain":
        return _of_frames(subject, domain, identifier)
    raise Unknown(f"the input domain is {domain!r}, which is not known here")


def _of_series(subject: Subject, element: Atom) -> Subject:
    def made(values: Any) -> Any:
        import pandas as pd

        return pd.Series(values, dtype=element.dtype)

    return replace(
        subject,
        domain=Vector(element),
        made=made,
        code=lambda values: f"pd.Series({written(values)}, dtype={element.dtype!r})",
        lines=("import pandas as pd", *LINES),
    )


def _of_frames(subject: Subject, domain: Any, identifier: str | None) -> Subject:
    """Frames of Spark as lists of rows, the column of the identifier first."""
    order = list(domain.schema)
    names = sorted(order, key=lambda name: name != identifier)
    places = [names.index(name) for name in order]

    def rows(drawn: Any) -> list[Any]:
        return [tuple(row[place] for place in places) for row in drawn]

    def made(drawn: Any) -> Any:
        from pyspark.sql import SparkSession  # type: ignore

        return SparkSession.builder.getOrCreate().createDataFrame(rows(drawn), domain.spark_schema)

    return replace(
        subject,
        domain=Vector(Row(tuple(_atom(domain.schema[name]) for name in names))),
        made=made,
        code=lambda drawn: (
            f"spark.createDataFrame({written(rows(drawn))}, checked.input_domain.spark_schema)"
        ),
        lines=(*SPARK, *LINES),
    )


def _atom(domain: Any) -> Atom:
    """Numbers, or texts, of a domain of NumPy or of a column of Spark."""
    kind, null = type(domain).__name__, bool(getattr(domain, "allow_null", False))
    if "Integer" in kind:
        return Atom(f"i{_bits(domain)}", nullable=null)
    if "Float" in kind:
        ends = () if domain.allow_inf else (-LARGEST, LARGEST)
        return Atom(f"f{_bits(domain)}", *ends, nan=domain.allow_nan, nullable=null)
    if "String" in kind:
        return Atom("String", nullable=null)
    raise Unknown(f"values in {domain!r} are not known here")


def _bits(domain: Any) -> int:
    """Of numbers: the first releases have 64 only."""
    return getattr(domain, "size", 64)
