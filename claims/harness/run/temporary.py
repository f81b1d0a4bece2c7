"""Files and folders that appear whole: made under a temporary name beside their place, and renamed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from secrets import token_hex


def temporary_name(name: str) -> str:
    """A name that no other process uses, for what becomes `name` in the end."""
    return f".{token_hex(8)}-{name}"


def write_synced(file: Path, data: bytes) -> None:
    """Write to the disk itself: a full one is noticed here."""
    with file.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def write_whole(file: Path, data: bytes) -> None:
    """Write a file by one rename: whoever reads it finds all of it, or what was there before."""
    temporary = file.with_name(temporary_name(file.name))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_synced(temporary, data)
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def put_in_place(folder: Path, place: Path) -> None:
    """Rename a finished folder; one that is there makes way for an instant: none is renamed onto another."""
    if place.exists():
        old = folder.with_name(f"{folder.name}-old")
        os.rename(place, old)
        os.rename(folder, place)
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.rename(folder, place)
