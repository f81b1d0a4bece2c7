"""Evidence and verdicts as JSON and back. JSON has no infinity: it is written as the string "inf"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from audits.evidence import Evidence, Verdict
from audits.values import plain

_NUMBERS = ("estimate", "low", "high", "claimed", "resolution", "standard_error", "degrees_of_freedom")
_SCALAR = str | int | float | None
_KINDS = {
    "quantity": str, "method": str, "note": str, "axis": str | None, "worse": str | None, "samples": int,
    "confidence": int | float, "alpha_spent": int | float, "point": dict,
}  # fmt: skip


def number(value: Any) -> float | None:
    """The float behind a JSON number or one of the strings "inf", "-inf"; None stays None."""
    if value is not None and not isinstance(value, int | float | str):
        raise ValueError(f"a number was expected, got {value!r}")
    return None if value is None else float(value)


def evidence_to_json(evidence: Evidence) -> dict[str, Any]:
    """One piece of evidence as a JSON object, keys in the order of the dataclass.

    "bound" repeats "claimed": it is the older name of that key.
    """
    document = {f.name: getattr(evidence, f.name) for f in fields(Evidence)}
    return plain(document | {"bound": evidence.claimed})


def evidence_from_json(document: Mapping[str, Any]) -> Evidence:
    """The inverse of `evidence_to_json`; ValueError where a field is missing or of the wrong kind."""
    names = {f.name for f in fields(Evidence)}
    if set(document) != names | {"bound"}:
        raise ValueError(f"evidence has the fields {sorted(document)}, expected {sorted(names)}")
    values = {name: value for name, value in document.items() if name != "bound"}
    for name in _NUMBERS:
        values[name] = number(values[name])
    for name, kinds in _KINDS.items():
        if not isinstance(values[name], kinds):
            raise ValueError(f"{name} of evidence is of the wrong kind, got {values[name]!r}")
    if not all(isinstance(value, _SCALAR) for value in values["point"].values()):
        raise ValueError(f"point of evidence must hold numbers and words, got {values['point']!r}")
    values["verdict"] = None if values["verdict"] is None else Verdict(values["verdict"])
    return Evidence(**values)


def dumps(document: Any) -> str:
    """Stable JSON text: plain values, two spaces, one newline at the end."""
    return json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_json(file: Path) -> Any:
    """A JSON file; ValueError that names the file where it is missing, truncated or not JSON."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: not JSON ({error})") from error
