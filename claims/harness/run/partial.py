"""The finished cells of a claim that is not finished: a run that is stopped takes them up again, bit by bit.

    <run>/cells/<paper>__<result>/<name>.json     some cells, with the key of the claim's result and the seal

They are values exactly as they were computed, dtypes included, so that a resumed claim has the same rows.
They belong to one key: what carries another is passed over, and all go when the claim's result is stored.
"""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from secrets import token_hex
from typing import Any, cast

from audits.evidence import Evidence, Verdict
from claims.harness.run.cells import Cell, Outcome
from claims.harness.run.seal import can_seal, is_sealed, seal
from claims.harness.run.store import claim_folder, inside, remove
from claims.harness.run.temporary import temporary_name

FORMAT = "dpclaims-cells/1"
_PLAIN = (str, int, bool, type(None))


def cells_folder(run: Path, claim_id: str) -> Path:
    """Where a run keeps the finished cells of an unfinished claim."""
    return run / "cells" / claim_folder(run, claim_id).name


def write_cells(run: Path, key: str, claim_id: str, outcomes: Sequence[Outcome]) -> None:
    """Keep finished cells; those that crashed, or hold what has no exact form, are left out."""
    found: list[Any] = []
    for outcome in outcomes:
        if outcome.error is None:
            with suppress(TypeError):
                found.append(_of_outcome(outcome))
    if not found:
        return
    folder = cells_folder(run, claim_id)
    folder.mkdir(parents=True, exist_ok=True)
    document = {"format": FORMAT, "key": key, "cells": found}
    name = f"{token_hex(8)}.json"
    temporary = folder / temporary_name(name)
    try:
        text = json.dumps(document | {"seal": seal(document)}, allow_nan=False)
        inside(run, temporary).write_text(text, encoding="utf-8")
        os.replace(temporary, folder / name)
    finally:
        temporary.unlink(missing_ok=True)


def read_cells(run: Path, key: str, claim_id: str, cells: Sequence[Cell]) -> list[Outcome]:
    """The cells among these that this user's own run of this key has finished; what is broken is left out."""
    wanted = {(cell.index, cell.chunk): cell for cell in cells}
    found: dict[tuple[int, int], Outcome] = {}
    for file in sorted(cells_folder(run, claim_id).glob("*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            document = json.loads(inside(run, file).read_text(encoding="utf-8"))
            if document["format"] != FORMAT or document["key"] != key:
                continue
            if not is_sealed(document) and can_seal():
                continue
            for each in document["cells"]:
                cell = wanted.get((each["index"], each["chunk"]))
                if cell is not None and cell.trials == each["trials"]:
                    found[cell.index, cell.chunk] = _to_outcome(cell, each)
    return [found[place] for place in sorted(found)]


def remove_cells(run: Path, claim_id: str) -> None:
    """Remove what is kept of a claim; the folder goes with the last one."""
    folder = cells_folder(run, claim_id)
    if folder.parent.exists():
        remove(folder)
        with suppress(OSError):  # cells of other claims are there
            folder.parent.rmdir()


def _of_outcome(outcome: Outcome) -> dict[str, Any]:
    cell = outcome.cell
    return {
        "index": cell.index,
        "chunk": cell.chunk,
        "trials": cell.trials,
        "seconds": outcome.seconds,
        "columns": encode(outcome.columns),
        "evidence": [
            encode({f.name: getattr(e, f.name) for f in fields(Evidence)}) for e in outcome.evidence
        ],
    }


def _to_outcome(cell: Cell, document: Mapping[str, Any]) -> Outcome:
    return Outcome(
        cell=cell,
        columns=decode(document["columns"]),
        evidence=tuple(Evidence(**decode(e)) for e in document["evidence"]),
        seconds=float(document["seconds"]),
        error=None,
    )


def encode(value: Any) -> Any:
    """A value as JSON that `decode` makes the same value of, of the same type; TypeError where there is none.

    >>> import numpy as np
    >>> decode(encode({"a": np.float32(0.1), "b": [1, float("inf"), None]}))
    {'a': np.float32(0.1), 'b': [1, inf, None]}
    """
    import numpy as np

    if type(value) in _PLAIN or (type(value) is float and math.isfinite(value)):
        return value
    if type(value) is float:
        return {"float": str(value)}
    if type(value) is Verdict:
        return {"verdict": value.value}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufU":
        array = np.ascontiguousarray(value)
        text = base64.b64encode(array.tobytes()).decode("ascii")
        shape = list(value.shape) if isinstance(value, np.ndarray) else None
        return {"array": [value.dtype.str, shape, text]}
    if isinstance(value, Mapping):
        return {"map": [[encode(k), encode(v)] for k, v in value.items()]}
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return {type(value).__name__: [encode(each) for each in value]}
    raise TypeError(f"{type(value).__name__} has no exact form")


def decode(document: Any) -> Any:
    """The inverse of `encode`; ValueError, KeyError or TypeError on anything else."""
    import numpy as np

    if not isinstance(document, dict):
        return document
    ((kind, value),) = document.items()
    if kind == "float":
        return float(value)
    if kind == "verdict":
        return Verdict(value)
    if kind == "array":
        dtype, shape, text = value
        flat = np.frombuffer(base64.b64decode(text), dtype=np.dtype(dtype))
        return flat[0] if shape is None else flat.reshape(shape).copy()
    if kind == "map":
        return {decode(k): decode(v) for k, v in value}
    items = [decode(each) for each in cast(list[Any], value)]
    return tuple(items) if kind == "tuple" else items
