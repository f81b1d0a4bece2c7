"""What the last run said: read for `list` and `show`, quietly empty where there is no run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from claims.harness.run.result import ClaimResult, result_from_json
from claims.harness.run.serialise import read_json


def last_verdicts(claim_ids: Iterable[str]) -> dict[str, str]:
    """The verdict of the newest stored result of each claim; claims never run are left out."""
    found: dict[str, str] = {}
    for claim_id in claim_ids:
        file = _newest(claim_id)
        if file is not None:
            try:
                found[claim_id] = str(json.loads(file.read_text(encoding="utf-8"))["verdict"] or "crashed")
            except (ValueError, KeyError, OSError):
                found[claim_id] = "unreadable"
    return found


def last_result(claim_id: str) -> ClaimResult | None:
    """The newest stored result of one claim; ValueError, naming the file, where it is broken."""
    file = _newest(claim_id)
    if file is None:
        return None
    document = read_json(file)
    try:
        return result_from_json(document | {"seconds": 0.0, "cached": True})
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file}: of another form than this version writes ({error})") from error


def _newest(claim_id: str) -> Path | None:
    # Read here without claims.harness.run.store: `dpclaims list` must not wait for pandas.
    from claims.harness.places import RUNS
    from claims.harness.run.store import claim_folder

    files = [claim_folder(run, claim_id) / "result.json" for run in RUNS.glob("*")]
    present = [(f.stat().st_mtime_ns, f) for f in files if f.is_file()]
    return max(present)[1] if present else None
