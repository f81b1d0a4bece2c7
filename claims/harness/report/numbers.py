"""Numbers, intervals and grid points as text for pages: 1.23 × 10⁻⁵, 123 456, n = 100, ε = 1."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from audits.evidence import Evidence, Verdict

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number_text(value: float | None, digits: int) -> str:
    """A number with `digits` significant digits.

    >>> number_text(0.000012345, 3), number_text(1234567.0, 4), number_text(None, 3), number_text(0.5, 4)
    ('1.23 × 10⁻⁵', '1.235 × 10⁶', '', '0.5')
    """
    if value is None:
        return ""
    if math.isnan(value):
        return "NaN"
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    mantissa = mantissa.replace("-", "−")
    if not exponent:
        return mantissa
    power = f"10{str(int(exponent)).translate(_RAISED)}"
    return power if mantissa == "1" else f"{mantissa} × {power}"


def estimate_text(evidence: Evidence, digits: int) -> str:
    """The estimate; a refutation shows as many digits as tell it from the claimed value."""
    claimed = evidence.claimed
    if evidence.verdict is Verdict.REFUTED and claimed is not None and claimed != evidence.estimate:
        while digits < 15 and f"{claimed:.{digits}g}" == f"{evidence.estimate:.{digits}g}":
            digits += 1
    return number_text(evidence.estimate, digits)


def interval_text(evidence: Evidence, digits: int) -> str:
    """The interval, "" for an exact value."""
    if evidence.low == evidence.high:
        return ""
    return f"[{number_text(evidence.low, digits)}, {number_text(evidence.high, digits)}]"


def confidence_text(confidence: float) -> str:
    """The confidence of an interval; close to one it is told by what is missing.

    >>> confidence_text(1.0), confidence_text(0.95), confidence_text(0.99999)
    ('exact', '95%', '1 − 10⁻⁵')
    """
    if confidence == 1.0:
        return "exact"
    if confidence > 0.999:
        return f"1 − {number_text(float(f'{1 - confidence:.2g}'), 2)}"
    return f"{100 * confidence:.4g}%"


def count_text(count: int) -> str:
    """An integer in groups of three digits."""
    return f"{count:,}".replace(",", "\u202f")


def method_text(evidence: Evidence) -> str:
    """How sure and by what: the instrument, the confidence, the standard error, the samples."""
    parts = [evidence.method]
    if evidence.confidence < 1.0:
        parts.append(f"confidence {confidence_text(evidence.confidence)}")
    if evidence.standard_error is not None:
        parts.append(f"standard error {number_text(evidence.standard_error, 2)}")
    if evidence.samples:
        parts.append(f"{count_text(evidence.samples)} samples")
    return ", ".join(parts)


def point_text(point: Mapping[str, Any], digits: int) -> str:
    """A grid point in words.

    >>> point_text({"epsilon": 0.5, "n": 8, "member": "kink +0"}, 4).replace("\u00a0", " ")
    'ε = 0.5, n = 8, kink 0'
    """
    return ", ".join(named_value(str(k), v, digits) for k, v in point.items())


def named_value(name: str, value: Any, digits: int) -> str:
    """A value of an axis with its name: "n = 5", in words "rounding up", of a family's member its label."""
    if not isinstance(value, str):
        # Spaces that do not break keep name and value together.
        return f"{words(name)}\u00a0=\u00a0{value_text(value, digits)}"
    label = re.sub(r"\+(?=\d)", "", value.replace("_", " "))
    return label if name == "member" else f"{words(name)}\u00a0{label}"


def words(name: str) -> str:
    """The name of a column or an axis as readers know it.

    >>> words("epsilon"), words("log2_bins")
    ('ε', 'log2 bins')
    """
    return {"epsilon": "ε", "delta": "δ", "sigma": "σ", "alpha": "α", "beta": "β", "mu": "μ"}.get(
        name, name.replace("_", " ")
    )


def value_text(value: Any, digits: int) -> str:
    """A value of a grid point or a cell of a table."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return count_text(value)
    if not isinstance(value, float):  # a column of other people's may hold anything
        return str(value)
    if value.is_integer() and abs(value) < 1e6:
        return count_text(int(value))
    return number_text(value, digits)


def hide_paths(text: str) -> str:
    """A traceback or a note without the folders of the machine that it was made on.

    >>> hide_paths('File "/home/ann/src/claims/song2021/a.py", line 3; /tmp/x/data.txt: no such file')
    'File "claims/song2021/a.py", line 3; …/data.txt: no such file'
    """
    known = r"(?:tests/)?(?:claims|audits|implementations|site-packages|python3\.\d+)/"
    last = rf"/({known}(?!(?:.*/)?{known}).*)$"
    # A path begins a word; a slash within one is a division.
    unix = r"(?<![^\s\"'`(\[{=,:])(?:/[\w.+@~ -]*[\w.+@~-])+"

    def shorten(found: re.Match[str]) -> str:
        path = found[0].replace("\\", "/")
        inside = re.search(last, path)
        if inside:
            return inside[1]
        return f"…/{path.rsplit('/', 1)[1]}" if path.count("/") > 1 else found[0]

    text = re.sub(r'(?<=")[A-Za-z]:\\[^"\n]+(?=")', shorten, text)
    return re.sub(unix, shorten, text)
