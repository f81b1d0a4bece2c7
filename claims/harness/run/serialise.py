"""Evidence and verdicts as JSON and back. JSON has no infinity: it is written as the string "inf"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from audits.evidence import Evidence, Verdict
from audits.values import brief, plain

_NUMBERS = ("estimate", "low", "high", "confidence", "alpha_spent")
_OPTIONAL = ("claimed", "resolution", "standard_error", "degrees_of_freedom")


def number(value: Any) -> float:
    """The float behind a JSON number or one of the strings "inf", "-inf", "nan".

    Raises ValueError for everything else, and for a number that no float is near.

    >>> number(3), number("-inf")
    (3.0, -inf)
    """
    try:
        if type(value) in (int, float) or value in ("inf", "-inf", "nan"):
            return float(value)
    except OverflowError:
        pass
    raise ValueError(f"a number was expected, got {brief(value)}")


def optional(value: Any) -> float | None:
    """`number`, where there may be none."""
    return None if value is None else number(value)


def whole(value: Any) -> int:
    """A whole number from 0 to 2⁶³; ValueError for everything else."""
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError(f"a whole number ≥ 0 was expected, got {brief(value)}")
    return value


def evidence_to_json(evidence: Evidence) -> dict[str, Any]:
    """One piece of evidence as a JSON object, keys in the order of the dataclass.

    "bound" repeats "claimed": it is the older name of that key.
    """
    document = {f.name: getattr(evidence, f.name) for f in fields(Evidence)}
    return plain(document | {"bound": evidence.claimed})


def evidence_from_json(document: Mapping[str, Any]) -> Evidence:
    """The inverse of `evidence_to_json`; ValueError where a field is missing, or a number is none."""
    names = {f.name for f in fields(Evidence)}
    if set(document) != names | {"bound"}:
        raise ValueError(f"evidence has the fields {sorted(document)}, expected {sorted(names)}")
    values = {name: value for name, value in document.items() if name != "bound"}
    values |= {name: number(values[name]) for name in _NUMBERS}
    values |= {name: optional(values[name]) for name in _OPTIONAL}
    values["samples"] = whole(values["samples"])
    values["verdict"] = None if values["verdict"] is None else Verdict(values["verdict"])
    return Evidence(**values)


def dumps(document: Any) -> str:
    """Stable JSON text: plain values, two spaces, one newline at the end."""
    return json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def print_json(document: Any) -> None:
    """Print one JSON document, and nothing else."""
    print(dumps(document), end="")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"a key of {list(found)} is there twice")
    return found


def read_json(file: Path) -> Any:
    """A JSON file; ValueError that names the file where it is missing, truncated or not JSON, or has a key
    twice."""
    try:
        return json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=_once)
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: not JSON ({error})") from error
