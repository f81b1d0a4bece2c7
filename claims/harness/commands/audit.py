"""`dpclaims audit`: loads a mechanism that the user wrote, audits it, and says what was found."""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audits.foreign.calls import required
from claims.harness.commands.asked import Asked
from claims.harness.commands.options import AsJson, Junit, Sarif, Summary, options_of
from claims.harness.commands.published import publish_audits
from claims.harness.commands.stopping import Signalled
from claims.harness.commands.targets import Target, adjacent, load_any, place_of
from claims.harness.commands.watch import Watch, stdout_to_stderr, warnings_counted
from claims.harness.exchange import Outputs
from claims.harness.run.result import BAD_INPUT, DIFFERS, PASSED, UNDECIDED

if TYPE_CHECKING:
    from audits.privacy import AuditResult, Look
    from audits.privacy.claims import Claim as PrivacyClaim

FORMAT = "dpclaims-audit/1"
PRECISION = 0.1
"""After a refutation sampling goes on until the lower bound is within this share of the estimate."""
COLOURS = {"refuted": "bold red", "not-refuted": "bold green", "undecided": "bold yellow"}
STATUS = {"not-refuted": PASSED, "refuted": DIFFERS, "undecided": UNDECIDED}


@options_of(Asked)
def audit_command(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="file.py, file.py:name or package.module:name.")
    ],
    junit: Junit = None,
    summary: Summary = None,
    sarif: Sarif = None,
    json: AsJson = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="All bounds, events and planted leaks.")
    ] = False,
    **options: Any,
) -> None:
    """Audit your own mechanism: a lower bound on its ε from samples, and whether it refutes the claim.

    Exit status: 0 not refuted (which is no proof) · 1 refuted · 2 bad input · 3 undecided · 4 crashed.
    """
    outputs = Outputs(junit, summary, sarif)
    raise typer.Exit(audit_target(target, json=json, verbose=verbose, outputs=outputs, **options))


def audit_target(
    target: str,
    *,
    json: bool = False,
    verbose: bool = False,
    outputs: Outputs | None = None,
    **options: Any,
) -> int:
    """Audit TARGET, print what was found on stdout, and return the exit status; options are those of `Asked`.

    outputs  files for other tools, written where the audit came to its end.

    Ctrl-C, SIGTERM, SIGHUP and the time limit print the bound reached, which holds at any time, and give
    status 3. Bad input is one sentence on stderr and status 2; where a mechanism fails in the middle of an
    audit, the bound reached is printed as well.
    """
    watch: Watch | None = None
    asked = Asked(**options)
    again = asked.again(target)
    targets: list[Target] = []
    results: list[AuditResult] = []
    try:
        asked.check()
        # What the user's module prints belongs to the reader, not into the JSON document.
        with stdout_to_stderr() as out, warnings_counted():
            adjacency, loaded = required(f"{target}: to load it", load_any, target, asked)
            claim = claim_of(asked, loaded)
            best = functools.partial(best_pairs, loaded, claim, asked.errors)
            targets = adjacent(loaded, adjacency, asked, best) if adjacency else [loaded]
            for one in targets:
                so_far = functools.partial(bound_so_far, one, claim, asked)
                document = functools.partial(_document, targets, tuple(results))
                watch = Watch(asked.time_limit, so_far, document, out if json else None)
                results.append(_audit(one, watch, claim, asked))
    except ValueError as error:
        print(f"dpclaims: {_said(error, target)}", file=sys.stderr)
        if watch is not None and watch.last is not None:
            # What earlier outputs showed holds all the same.
            results.append(watch.result(f"Bad input ended the audit: {_said(error, target)}."))
        if results:
            _show(targets, results, json, verbose, again)
        return BAD_INPUT
    except (KeyboardInterrupt, Signalled):
        print("dpclaims: stopped before the audit began", file=sys.stderr)
        return UNDECIDED
    # "Refuted" counts most, then "undecided".
    status = max((STATUS[result.verdict] for result in results), key=(PASSED, UNDECIDED, DIFFERS).index)
    _show(targets, results, json, verbose, again)
    try:
        named = {one.name: result for one, result in zip(targets, results, strict=True)}
        publish_audits(named, place_of(target, targets[0].mechanism), outputs or Outputs())
    except ValueError as error:
        print(f"dpclaims: {error}", file=sys.stderr)
        return BAD_INPUT
    return status


def as_options(words: str) -> str:
    """Options in a sentence as they are written on the command line.

    >>> as_options('errors="symbol" takes them; give time_limit=60, or max_samples=5000.')
    '--errors symbol takes them; give --time-limit 60, or --max-samples 5000.'
    """
    option = re.compile(r"""\b(errors|time_limit|max_samples|resolution)=["']?([\w.]*\w)["']?""")
    return option.sub(lambda m: f"--{m[1].replace('_', '-')} {m[2]}", words)


def _said(error: ValueError, target: str) -> str:
    """The words of an error, with options as they are written on the command line; after what a library
    raised the releases of it that are known to work."""
    from audits.adapters import pins

    words = as_options(str(error))
    return words + pins(target) if " raised " in words and "known to work" not in words else words


def _show(
    targets: Sequence[Target], results: Sequence[AuditResult], json: bool, verbose: bool, again: str
) -> None:
    """The results so far, one a target, on stdout; `again` is what gives them again."""
    if json:
        print(_document(targets, results[:-1], results[-1]), end="")
    else:
        for one, result in zip(targets, results, strict=False):
            show(one.name, result, verbose, again, one.guessed)


def _document(targets: Sequence[Target], before: Sequence[AuditResult], last: AuditResult) -> str:
    """One JSON document: the result, or the results by adjacency where several were asked for."""
    from claims.harness.run.serialise import dumps

    found: dict[str, Any] = {}
    for one, result in zip(targets, (*before, last), strict=False):
        found[one.label] = result.to_dict() | ({"guessed": one.guessed} if one.guessed else {})
    return dumps({"format": FORMAT} | found.get("", found))


def bound_so_far(
    loaded: Target, claim: PrivacyClaim, asked: Asked, look: Look | None, seconds: float, note: str
) -> AuditResult:
    """The result of an audit that cannot go on: what the last look showed."""
    from audits.privacy import AuditResult, Resolution

    pairs = loaded.pairs
    only = pairs[0] if isinstance(pairs, (list, tuple)) and len(pairs) == 1 else (None, None)
    return AuditResult(
        verdict="undecided",
        claim=claim,
        lower=0.0 if look is None else look.lower,
        alpha=asked.alpha,
        e_value=1.0 if look is None else math.exp(min(look.log_e_value, 690.0)),
        samples=0 if look is None else look.samples,
        seconds=seconds,
        pair=only,
        pair_index=0,
        direction="forward",
        event="not told: the audit was cut off",
        resolution=Resolution(math.inf, math.inf),
        method=asked.method,
        seed=asked.seed,
        note=note,
        max_samples=asked.max_samples,
    )


def show(name: str, result: AuditResult, verbose: bool = False, again: str = "", guessed: str = "") -> None:
    """The result in plain words on stdout, its verdict and number first; coloured on a terminal. `again`
    stands before what is said of how to repeat it; `guessed` is what was guessed of the data."""
    from rich.console import Console
    from rich.text import Text

    from audits.privacy.result import HEADS
    from audits.privacy.show import facts as facts_of

    # Soft wrap: a terminal breaks long lines, a pipe or a file gets them whole.
    console = Console(highlight=False, soft_wrap=True)
    head, meaning = HEADS[result.verdict], as_options(result.meaning(name))
    console.print(Text(head, style=COLOURS[result.verdict]) + Text(f": {meaning}", style="default"))
    if guessed:
        console.print(Text(f"  data guessed: {guessed}"))
    facts = facts_of(result, verbose)
    width = max(len(label) for label, _ in facts)
    for label, text in facts:
        told = f"{again} {text}".strip() if label == "replay" else as_options(text)
        console.print(Text(f"  {label:{width}}  {told}"))


def _audit(loaded: Target, watch: Watch, claim: PrivacyClaim, asked: Asked) -> AuditResult:
    from audits.privacy import Stopped, audit_privacy

    try:
        with watch:
            return audit_privacy(
                watch.watched(loaded.mechanism),
                loaded.pairs,
                claim=claim,
                adjacency=loaded.adjacency,
                **asked.keywords,
                precision=PRECISION,
                confirm=True,
                partial=True,
                planting=True,
                progress=watch.look,
            )
    except Stopped as stop:  # between two stages
        return watch.result(str(stop))


def claim_of(asked: Asked, loaded: Target) -> PrivacyClaim:
    """What the target is held against."""
    from audits.privacy.options import Options

    if (claim := asked.claim()) is not None:
        return claim
    epsilon = loaded.epsilon if asked.epsilon is None else asked.epsilon
    if epsilon is None:
        raise ValueError("no epsilon to audit against: pass --epsilon or set `epsilon` in the module")
    delta = loaded.delta if asked.delta is None else asked.delta
    return Options(epsilon=epsilon, delta=delta or 0.0).claim


def best_pairs(
    loaded: Target, claim: PrivacyClaim, errors: str, kind: str, known: Sequence[Any], rng: Any
) -> tuple[Sequence[Any], str]:
    """The pairs that a short search finds to show most."""
    from audits.stock import search

    def say(words: str) -> None:
        print(f"dpclaims: {kind}: {words}", file=sys.stderr)

    best = search(loaded.mechanism, known, claim, rng=rng, errors=errors, say=say)
    return best, "; ".join(one.name for one in best)
