"""Environments of other releases: a Python with named packages, made once and kept in a cache folder."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

COMPLETE = "dpclaims-environment.json"
MINUTES = 15
"""How long an installation may take."""


def environment(
    requirements: Sequence[str],
    *,
    python: str | os.PathLike[str] | None = None,
    dependencies: bool = True,
    folder: str | os.PathLike[str] | None = None,
) -> Path:
    """The Python of an environment with these packages and NumPy, which is made where there is none.

    requirements   as for pip, "diffprivlib==0.3.0".
    python         an interpreter, or a version such as "3.8" that is looked for (`interpreter`); None for the
                   one that runs this.
    dependencies   False: the packages alone, where what they depend on is not used and hard to install.
    folder         where environments are kept; the default is a folder in the user's cache.

    Raises ValueError, one sentence, where an interpreter is not found or a package cannot be installed.
    """
    base = interpreter(python)
    wanted = {"python": str(base), "requirements": list(requirements), "dependencies": dependencies}
    key = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:16]
    words = "-".join(re.sub(r"[^A-Za-z0-9.]+", "-", r) for r in requirements)[:60]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = Path(folder) if folder is not None else cache / "dpclaims" / "environments"
    home = place.expanduser().resolve() / f"{words}-{key}"
    found = home / "bin/python"
    must_be_packages(requirements)
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"environments need a folder, got {str(home.parent)!r}: {error.strerror}") from error
    with (home.parent / f"{home.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process at a time makes an environment
        if not ((home / COMPLETE).is_file() and found.is_file()):
            _make(home, base, found, requirements, dependencies)
            (home / COMPLETE).write_text(json.dumps(wanted) + "\n", encoding="utf-8")
    return found


def must_be_packages(requirements: Sequence[str]) -> None:
    """ValueError for what pip would take for an option, as it begins with a hyphen, or for two packages."""
    for each in requirements:
        if not re.match(r"[\w./:]", each) or not each.isprintable():
            raise ValueError(f"requirements must be packages as for pip, as numpy==2.1.0, got {each!r}")


def _make(home: Path, base: Path, found: Path, requirements: Sequence[str], dependencies: bool) -> None:
    if home.exists():
        shutil.rmtree(home)  # an installation that was interrupted
    uv = shutil.which("uv")
    install = [uv, "pip", "install", "--python", str(found)] if uv else [str(found), "-m", "pip", "install"]
    _run([uv, "venv", "--python", str(base), str(home)] if uv else [str(base), "-m", "venv", str(home)])
    numpy = [] if any(re.match(r"numpy\b", r) for r in requirements) else ["numpy"]
    alone = [] if dependencies else ["--no-deps"]  # NumPy depends on nothing
    try:
        _run([*install, "-q", *alone, *requirements, *numpy])
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise


def interpreter(python: str | os.PathLike[str] | None = None) -> Path:
    """An interpreter by its path or by its version, as "3.8".

    A version is looked for on the PATH, among those of uv and among those of pyenv. Raises ValueError where
    there is none.
    """
    if python is None:
        return Path(sys.executable)
    text = str(python)
    if not re.fullmatch(r"3\.\d+", text):
        path = shutil.which(text)
        if path is None or not _version(path):
            raise ValueError(f"python must be an interpreter or a version of Python 3, as 3.8, got {text!r}")
        return Path(path)
    if text == f"3.{sys.version_info.minor}":
        return Path(sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    candidates = [shutil.which(f"python{text}"), *sorted(map(str, pyenv.glob(f"{text}.*/bin/python")))]
    if uv := shutil.which("uv"):
        answer = subprocess.run([uv, "python", "find", text], capture_output=True, text=True, check=False)
        candidates.append(answer.stdout.strip() if answer.returncode == 0 else None)
    for candidate in candidates:
        # A launcher may be on the PATH for a version that is not installed.
        if candidate and _version(candidate) == text:
            return Path(candidate)
    raise ValueError(
        f"no Python {text} was found on the PATH, by uv or by pyenv: install one, or give its path"
    )


def _version(python: str) -> str:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip()


def _run(command: Sequence[str | None]) -> None:
    words = [str(word) for word in command]
    try:
        answer = subprocess.run(words, capture_output=True, text=True, timeout=60 * MINUTES, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"{' '.join(words)}: {error}") from error
    if answer.returncode:
        lines = [line for line in (answer.stderr or answer.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()] or lines or ["(no message)"]
        raise ValueError(f"{' '.join(words[-4:])} failed: {errors[-1].strip()[:300]}")
