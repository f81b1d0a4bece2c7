"""What the last run said: read for `list` and `show`, quietly empty where there is no run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from glob import glob
from pathlib import Path

from claims.harness.places import RUNS
from claims.harness.run.result import ClaimResult
from claims.harness.run.store import claim_folder, read_claim


def last_verdicts(claim_ids: Iterable[str]) -> dict[str, str]:
    """The verdict of the newest stored result of each claim; claims never run are left out."""
    newest = _newest()
    found: dict[str, str] = {}
    for claim_id in claim_ids:
        file = newest.get(claim_folder(Path(), claim_id).name)
        if file is not None:
            try:
                with open(file, encoding="utf-8") as stream:
                    found[claim_id] = str(json.load(stream)["verdict"] or "crashed")
            except (ValueError, KeyError, OSError):
                found[claim_id] = "unreadable"
    return found


def last_result(claim_id: str) -> ClaimResult | None:
    """The newest stored result of one claim; ValueError, naming the file, where it is broken."""
    name = _newest().get(claim_folder(Path(), claim_id).name)
    stored = None if name is None else read_claim(Path(name).parents[2], claim_id)
    return None if stored is None else stored.result


def _newest() -> dict[str, str]:
    """The newest result of every stored claim, by the name of its folder."""
    found: dict[str, tuple[int, str]] = {}
    # Names that begin with a dot, of folders that are being written, do not match.
    for name in glob(os.path.join(RUNS, "*", "claims", "*", "result.json")):
        with suppress(OSError):
            claim = os.path.basename(os.path.dirname(name))
            found[claim] = max(found.get(claim, (0, "")), (os.stat(name).st_mtime_ns, name))
    return {claim: name for claim, (_, name) in found.items()}
