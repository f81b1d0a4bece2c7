"""The store: one folder a run, one folder a claim in it, written atomically and verified when read.

    <run>/provenance.json
    <run>/claims/<paper>__<result>/rows.parquet     the measurements
                                   result.json      the verdict and its evidence
                                   manifest.json    key, seconds, and the SHA-256 of the two others

A claim's folder appears by one rename, complete or not at all, so a killed run leaves only finished claims
(and a temporary folder that the next run removes). What does not match its manifest, or carries another key,
is named and recomputed. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from claims.harness.run.result import ClaimResult, RunResult, result_from_json
from claims.harness.run.serialise import dumps, read_json

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
    return run / "claims" / claim_id.replace("/", "__").replace(":", "--")


def write_claim(run: Path, key: str, result: ClaimResult, rows: pd.DataFrame) -> None:
    """Store one finished claim. Where another process stored the same in the meantime, theirs stays."""
    target = claim_folder(run, result.id)
    temporary = run / "claims" / f".{os.getpid()}-{token_hex(4)}-{target.name}"
    temporary.mkdir(parents=True)
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
    for name, data in contents.items():
        _write_synced(temporary / name, data)
    _publish(temporary, target, result.id, key)


def replace_result(run: Path, key: str, result: ClaimResult) -> None:
    """Store another result of a stored claim, over the same measurements."""
    stored = read_claim(run, result.id, key)
    if stored is not None:
        shutil.rmtree(claim_folder(run, result.id))
        write_claim(run, key, result, stored.rows)


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
        if hashlib.sha256(contents[name]).hexdigest() != manifest.get("sha256", {}).get(name):
            raise ValueError(f"{folder / name}: truncated or foreign, its SHA-256 is not the manifest's")
    return _decode(folder, claim_id, manifest, contents)


def _decode(folder: Path, claim_id: str, manifest: dict[str, Any], contents: dict[str, bytes]) -> Stored:
    import pandas as pd

    try:
        document = json.loads(contents["result.json"])
        result = result_from_json(document | {"seconds": manifest["seconds"], "cached": False})
        rows = pd.read_parquet(BytesIO(contents["rows.parquet"]), engine="pyarrow")
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise ValueError(f"{folder}: of another form than this version writes ({error})") from error
    if result.id != claim_id:
        raise ValueError(f"{folder / 'result.json'}: foreign, it is about {result.id!r}")
    return Stored(result=result, rows=rows)


def rows_digest(run: Path, claim_id: str) -> str:
    """SHA-256 of the stored measurements of a claim, from its manifest."""
    return str(read_json(claim_folder(run, claim_id) / "manifest.json")["sha256"]["rows.parquet"])


def write_provenance(run: Path, provenance: dict[str, Any]) -> None:
    """Write provenance.json by one rename."""
    run.mkdir(parents=True, exist_ok=True)
    temporary = run / f".{os.getpid()}-{token_hex(4)}-provenance.json"
    _write_synced(temporary, dumps({"format": RUN_FORMAT} | provenance).encode())
    os.replace(temporary, run / "provenance.json")


def read_provenance(run: Path) -> dict[str, Any]:
    """provenance.json of a run folder; ValueError where the folder is none."""
    if not (run / "provenance.json").is_file():
        raise ValueError(f"{run} is not a run folder: it has no provenance.json")
    document = read_json(run / "provenance.json")
    if not isinstance(document, dict) or document.get("format") != RUN_FORMAT:
        raise ValueError(f"{run / 'provenance.json'}: not written by this version of dpclaims ({RUN_FORMAT})")
    return document


def read_run(run: Path) -> RunResult:
    """A whole stored run, every claim verified; ValueError names what is missing, truncated or foreign."""
    provenance = read_provenance(run)
    if not isinstance(provenance.get("claims"), list):
        raise ValueError(f"{run / 'provenance.json'}: it lists no claims")
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


def prepare_folder(run: Path) -> None:
    """Make the run folder, refuse a folder of other things, remove what killed processes left."""
    if run.exists() and not run.is_dir():
        raise ValueError(f"--out {str(run)!r} is a file; name a folder")
    if run.is_dir() and any(run.iterdir()) and not _ours(run):
        raise ValueError(f"--out {str(run)!r} holds other files and is not a run folder; name a new folder")
    (run / "claims").mkdir(parents=True, exist_ok=True)
    for left in [*run.glob(".*-*"), *(run / "claims").glob(".*-*")]:
        pid = left.name[1:].split("-")[0]
        if pid.isdigit() and int(pid) != os.getpid() and not _alive(int(pid)):
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def _ours(run: Path) -> bool:
    return (run / "claims").is_dir() or (run / "provenance.json").is_file()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _write_synced(file: Path, data: bytes) -> None:
    with file.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _publish(temporary: Path, target: Path, claim_id: str, key: str) -> None:
    """Rename the finished folder into place; an older or broken one makes way first."""
    try:
        os.rename(temporary, target)
        return
    except OSError:
        pass
    try:
        present = read_claim(target.parent.parent, claim_id, key)
    except ValueError:
        present = None
    if present is None:
        away = temporary.with_name(temporary.name + "-old")
        os.rename(target, away)
        os.rename(temporary, target)
        shutil.rmtree(away, ignore_errors=True)
    else:
        shutil.rmtree(temporary)
