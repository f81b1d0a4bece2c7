"""The store: one folder a run, one folder a claim in it, written atomically and verified when read.

    <run>/provenance.json
    <run>/claims/<paper>__<result>/rows.parquet     the measurements
                                   result.json      the verdict and its evidence
                                   manifest.json    key, seconds, the SHA-256 of the two others

A claim's folder appears by one rename, complete or not at all, so a killed run leaves only finished claims,
and perhaps a folder whose name begins with a dot. What does not match its manifest, or carries another key,
is named and recomputed. Nothing is ever unpickled. A run folder may come from anybody: it is read as data,
and ids, which name files and folders, are checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claims.harness.ids import check_id
from claims.harness.places import RUNS
from claims.harness.run.cells import Settings
from claims.harness.run.result import ClaimResult, RunResult, result_from_json
from claims.harness.run.serialise import dumps, number, read_json
from claims.harness.run.temporary import put_in_place, temporary_name, write_synced, write_whole

if TYPE_CHECKING:
    import pandas as pd

RUN_FORMAT = "dpclaims-run/1"
CLAIM_FORMAT = "dpclaims-claim/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A stored claim: its result, and its measurements as a table."""

    result: ClaimResult
    rows: pd.DataFrame


def result_key(**parameters: Any) -> str:
    """The digest under which a result is stored: any other source or parameter gives another key."""
    return hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()


def claim_folder(run: Path, claim_id: str) -> Path:
    """Where a run keeps a claim.

    >>> claim_folder(Path("r"), "song2021/theorem-2.6:corrected").as_posix()
    'r/claims/song2021__theorem-2.6--corrected'
    """
    return run / "claims" / check_id(claim_id).replace("/", "__").replace(":", "--")


def write_claim(run: Path, key: str, result: ClaimResult, rows: pd.DataFrame, *, over: bool = False) -> None:
    """Store one finished claim. Where another process stored the same in the meantime, theirs stays, unless
    `over`.
    """
    target = claim_folder(run, result.id)
    temporary = run / "claims" / temporary_name(target.name)
    document = result.to_json()
    # Seconds differ from run to run: they stand in the manifest, so that equal results are equal bytes.
    seconds = document.pop("seconds")
    document.pop("cached")
    parquet = BytesIO()
    rows.to_parquet(parquet, engine="pyarrow", index=False)
    contents = {"rows.parquet": parquet.getvalue(), "result.json": dumps(document).encode()}
    manifest = {
        "format": CLAIM_FORMAT,
        "key": key,
        "seconds": seconds,
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()},
    }
    contents["manifest.json"] = dumps(manifest).encode()
    try:
        temporary.mkdir(parents=True)
        for name, data in contents.items():
            write_synced(temporary / name, data)
        _publish(temporary, target, result.id, None if over else key)
    finally:
        # After a rename nothing is left; on a full disk what was written half is.
        shutil.rmtree(temporary, ignore_errors=True)


def replace_result(run: Path, key: str, result: ClaimResult) -> None:
    """Store another result of a stored claim, over the same measurements."""
    stored = read_claim(run, result.id, key)
    if stored is not None:
        write_claim(run, key, result, stored.rows, over=True)


def read_claim(run: Path, claim_id: str, key: str | None = None) -> Stored | None:
    """The stored claim; None where the run has none, or one under another key.

    Raises ValueError, naming the file and the reason, where what lies there is truncated or foreign.
    """
    folder = claim_folder(run, claim_id)
    if not folder.exists():
        return None
    manifest = read_json(folder / "manifest.json")
    if not isinstance(manifest, dict) or manifest.get("format") != CLAIM_FORMAT:
        raise ValueError(f"{folder / 'manifest.json'}: not a manifest of dpclaims ({CLAIM_FORMAT})")
    if key is not None and manifest.get("key") != key:
        return None
    contents: dict[str, bytes] = {}
    for name in ("rows.parquet", "result.json"):
        try:
            contents[name] = (folder / name).read_bytes()
        except OSError as error:
            raise ValueError(f"{folder / name}: {error.strerror}") from error
        known = manifest.get("sha256")
        digest = known.get(name) if isinstance(known, dict) else None
        if hashlib.sha256(contents[name]).hexdigest() != digest:
            raise ValueError(f"{folder / name}: truncated or foreign, its SHA-256 is not the manifest's")
    return _decode(folder, claim_id, manifest, contents)


def _decode(folder: Path, claim_id: str, manifest: dict[str, Any], contents: dict[str, bytes]) -> Stored:
    import pandas as pd
    from pyarrow import ArrowException

    unusable = (KeyError, TypeError, ValueError, AttributeError, OSError, RecursionError, ArrowException)
    try:
        document = json.loads(contents["result.json"])
        result = result_from_json(document | {"seconds": manifest["seconds"], "cached": False})
        rows = pd.read_parquet(BytesIO(contents["rows.parquet"]), engine="pyarrow")
    except unusable as error:
        raise ValueError(f"{folder}: of another form than this version writes ({error})") from error
    if result.id != claim_id:
        raise ValueError(f"{folder / 'result.json'}: foreign, it is about {result.id!r}")
    return Stored(result=result, rows=rows)


def write_provenance(run: Path, provenance: dict[str, Any]) -> None:
    """Write provenance.json by one rename."""
    write_whole(run / "provenance.json", dumps({"format": RUN_FORMAT} | provenance).encode())


def read_provenance(run: Path) -> dict[str, Any]:
    """provenance.json of a run folder; ValueError where the folder is none, or a field is missing."""
    file = run / "provenance.json"
    if not file.is_file():
        raise ValueError(f"{run} is not a run folder of `dpclaims run`: it has no provenance.json")
    document = read_json(file)
    if not isinstance(document, dict) or document.get("format") != RUN_FORMAT:
        raise ValueError(f"{file}: not written by this version of dpclaims ({RUN_FORMAT})")
    try:
        for claim_id in document["claims"]:
            check_id(claim_id)
        Settings(tier=document["tier"], seed=document["seed"], alpha=number(document["alpha"]))
        number(document["alpha_per_claim"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file}: of another form than this version writes ({error})") from error
    return document


def read_run(run: Path) -> RunResult:
    """A whole stored run, every claim verified; ValueError names what is missing, truncated or foreign."""
    provenance = read_provenance(run)
    results: list[ClaimResult] = []
    for claim_id in provenance["claims"]:
        stored = read_claim(run, claim_id)
        if stored is None:
            raise ValueError(f"{run}: {claim_id} is not finished; repeat the `dpclaims run` that began it")
        results.append(stored.result)
    return RunResult(folder=run, provenance=provenance, claims=tuple(results))


def latest_run(root: Path) -> Path | None:
    """The run folder below `root` that was started last; None where there is none."""
    started: list[tuple[str, Path]] = []
    for file in root.glob("*/provenance.json"):
        try:
            started.append((str(read_provenance(file.parent).get("started", "")), file.parent))
        except ValueError:
            continue
    return max(started)[1] if started else None


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


def prepare_folder(run: Path) -> None:
    """Make the run folder, refuse a folder of other things."""
    if run.exists() and not run.is_dir():
        raise ValueError(f"--out {str(run)!r} is a file; name a folder")
    there = [file.name for file in run.iterdir()] if run.is_dir() else []
    if there and not {"claims", "provenance.json"} & {*there}:
        raise ValueError(f"--out {str(run)!r} holds other files and is not a run folder; name a new folder")
    (run / "claims").mkdir(parents=True, exist_ok=True)


def _publish(temporary: Path, target: Path, claim_id: str, key: str | None) -> None:
    """Rename the finished folder into place; an older, a broken and a foreign one make way first, and one of
    the same key where `key` is None."""
    try:
        os.rename(temporary, target)
        return
    except OSError:
        pass
    try:
        present = None if key is None else read_claim(target.parent.parent, claim_id, key)
    except ValueError:
        present = None
    if present is None:
        put_in_place(temporary, target)
