"""Writes into the files of the named bugs which claims notice them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from claims.harness.claim import Claim
from claims.harness.closure import Sources, roots_of
from claims.harness.discover import Catalogue
from claims.harness.mutation.bugs import Bug, holders
from claims.harness.mutation.mutant import Mutant
from claims.harness.mutation.named import with_caught_by
from claims.harness.mutation.score import row_of, score


def updated(
    bugs: Sequence[Bug],
    catalogue: Catalogue,
    *,
    jobs: int = 1,
    sources: Sources | None = None,
    notify: Callable[[str], None] = lambda line: None,
) -> list[dict[str, Any]]:
    """Writes into the file of each named bug which claims notice it; one row a bug, as `score`.

    Every claim that the bug names runs. Where none of them notices, every claim runs whose imports lead to
    the module with the bug; where none of these does, the entry stays as it is.
    """
    known = sources or Sources(roots_of())
    rows: dict[str, dict[str, Any]] = {}

    def try_each_claim(chosen: Sequence[Bug]) -> None:
        alone = [replace(bug, claims=(claim,)) for bug in chosen for claim in bug.claims]
        for row in score(alone, jobs=jobs, notify=notify):
            first = rows.setdefault(row["name"], row | {"noticed": [], "verdicts": []})
            first["verdicts"] += row["verdicts"]
            first["noticed"] += [row["by"]] if row["caught"] else []

    try_each_claim(bugs)
    missed = [bug for bug in bugs if not rows.get(bug.name, {}).get("noticed")]
    try_each_claim([replace(bug, claims=_others(bug, catalogue, known)) for bug in missed])
    for bug in bugs:
        row = rows.setdefault(bug.name, row_of(bug, [], {}) | {"noticed": []})
        ids = row.pop("noticed")
        row.update(caught=bool(ids), by=ids[0] if ids else None)
        notify(_write_caught_by(bug.make(), ids))
    return [rows[bug.name] for bug in bugs]


def _others(bug: Bug, catalogue: Catalogue, sources: Sources) -> tuple[Claim, ...]:
    """The claims whose imports lead to the module with the bug, without those that have run."""
    module = bug.make().replaces.partition(":")[0]
    return tuple(c for c in holders(module, catalogue, sources) if c not in bug.claims)


def _write_caught_by(mutant: Mutant, ids: Sequence[str]) -> str:
    """Writes the claims into the bug's entry; what was done, in one line."""
    if not ids:
        return f"{mutant.place}: no claim notices it; caught_by stays {list(mutant.caught_by)}"
    kept = [each for each in mutant.caught_by if each in ids]
    wanted = [*kept, *sorted(set(ids) - set(kept))]
    if wanted == list(mutant.caught_by):
        return f"{mutant.place}: caught_by stays as it is"
    assert mutant.file is not None
    text = mutant.file.read_text(encoding="utf-8")
    try:
        mutant.file.write_text(with_caught_by(text, mutant.name, wanted), encoding="utf-8")
    except ValueError as error:
        raise ValueError(f"{mutant.file.name}, {error}") from None
    return f"{mutant.place}: caught_by is now {wanted}, was {list(mutant.caught_by)}"
