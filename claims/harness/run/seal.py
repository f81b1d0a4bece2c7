"""The seal of a stored result: it tells the results that this user's runs made from those of other people.

The key of a result is no secret, so that a folder from somebody else could hold any verdict under it. The
seal is a code over the key and the digests of the files (HMAC-SHA-256), made with a secret that never leaves
the user's cache folder. A result without the seal is computed again; losing the secret costs no more.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress

from audits.environments import cache_folder

_BYTES = 32


def seal(manifest: Mapping[str, object]) -> str:
    """The seal of a manifest, of all that it says but for "seal"; "" where no secret can be kept."""
    secret = _secret()
    if secret is None:
        return ""
    said = {name: value for name, value in manifest.items() if name != "seal"}
    return hmac.new(secret, json.dumps(said, sort_keys=True).encode(), hashlib.sha256).hexdigest()


def is_sealed(manifest: Mapping[str, object]) -> bool:
    """Whether this user's own run made what the manifest describes."""
    found, expected = manifest.get("seal"), seal(manifest)
    return (
        bool(expected) and isinstance(found, str) and hmac.compare_digest(found.encode(), expected.encode())
    )


def can_seal() -> bool:
    """Whether there is a place for the secret."""
    return _secret() is not None


def _secret() -> bytes | None:
    """The user's secret, made when it is first needed; None also where a full disk has cut it off, once."""
    with suppress(OSError, RuntimeError):
        file = cache_folder() / "seal"
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # whoever is faster makes it
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(secrets.token_bytes(_BYTES))
        found = file.read_bytes()
        if len(found) == _BYTES:
            return found
        file.unlink()
    return None
