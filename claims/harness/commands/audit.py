"""`dpclaims audit`: loads a mechanism that the user wrote, audits it, and says what was found."""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audits.foreign.calls import required
from claims.harness.commands import verdicts
from claims.harness.commands.asked import Asked
from claims.harness.commands.options import AsJson, options_of, taken
from claims.harness.commands.stopping import Signalled
from claims.harness.commands.targets import Target, adjacent, claim_of, load_any, place_of
from claims.harness.commands.verdicts import Told
from claims.harness.commands.watch import Watch, stdout_to_stderr
from claims.harness.exchange import Outputs
from claims.harness.run.result import BAD_INPUT, UNDECIDED

if TYPE_CHECKING:
    from audits.privacy import AuditResult, Look
    from audits.privacy.claims import Claim as PrivacyClaim

PRECISION = 0.1
"""After a refutation sampling goes on until the lower bound is within this share of the estimate."""


@options_of(Asked, last=Outputs)
def audit_command(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="file.py, file.py:name or package.module:name.")
    ],
    json: AsJson = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="All bounds, events and planted leaks.")
    ] = False,
    **options: Any,
) -> None:
    """Audit your own mechanism: a lower bound on its ε from samples, and whether it refutes the claim.

    Exit status: 0 not refuted (which is no proof) · 1 refuted · 2 bad input · 3 undecided · 4 crashed.
    """
    outputs = taken(Outputs, options)
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
    asked = Asked(**options)
    tell = functools.partial(told_of, again=asked.again(target), verbose=verbose, named=target)
    told: list[Told] = []
    watch: Watch | None = None
    one: Target | None = None
    try:
        asked.check()
        # What the user's module prints belongs to the reader, not into the JSON document.
        with stdout_to_stderr():
            adjacency, loaded = required(f"{target}: to load it", load_any, target, asked)
            claim = claim_of(asked, loaded)
            best = functools.partial(best_pairs, loaded, claim, asked.errors)
            for one in adjacent(loaded, adjacency, asked, best) if adjacency else [loaded]:
                so_far = functools.partial(bound_so_far, one, claim, asked)
                watch = Watch(asked.time_limit, so_far)
                told.append(tell(one, _audit(one, watch, claim, asked)))
    except ValueError as error:
        print(f"dpclaims: {as_options(str(error))}", file=sys.stderr)
        if one is not None and watch is not None and watch.last is not None:
            # What earlier outputs showed holds all the same.
            told.append(tell(one, watch.result(f"Bad input ended the audit: {as_options(str(error))}.")))
        if told:
            verdicts.show("audit", told, json=json)
        return BAD_INPUT
    except (KeyboardInterrupt, Signalled):
        print("dpclaims: stopped before the audit began", file=sys.stderr)
        return UNDECIDED
    return verdicts.conclude("audit", told, outputs or Outputs(), json=json)


def as_options(words: str) -> str:
    """Options in a sentence as they are written on the command line.

    >>> as_options('errors="symbol" takes them; give time_limit=60, or max_samples=5000.')
    '--errors symbol takes them; give --time-limit 60, or --max-samples 5000.'
    """
    option = re.compile(r"""\b(errors|time_limit|max_samples|resolution)=["']?([\w.]*\w)["']?""")
    return option.sub(lambda m: f"--{m[1].replace('_', '-')} {m[2]}", words)


def bound_so_far(
    loaded: Target, claim: PrivacyClaim, asked: Asked, look: Look | None, seconds: float, note: str
) -> AuditResult:
    """The result of an audit that cannot go on: what the last look showed."""
    from audits.privacy import AuditResult

    pairs = loaded.pairs
    only = pairs[0] if isinstance(pairs, (list, tuple)) and len(pairs) == 1 else (None, None)
    found = AuditResult(
        verdict="undecided",
        claim=claim,
        alpha=asked.alpha,
        seconds=seconds,
        pair=only,
        event="not told: the audit was cut off",
        method=asked.method,
        seed=asked.seed,
        note=note,
        max_samples=asked.max_samples,
    )
    if look is None:
        return found
    e_value = math.exp(min(look.log_e_value, 690.0))
    return replace(found, lower=look.lower, e_value=e_value, samples=look.samples)


def told_of(target: Target, result: AuditResult, *, again: str, verbose: bool, named: str) -> Told:
    """The result in plain words, its verdict and number first, and for other tools.

    again  stands before what is said of how to repeat it; `named` is how the user named the target.
    """
    from audits.privacy.result import HEADS
    from audits.privacy.show import facts as facts_of

    facts = facts_of(result, verbose)
    width = max(len(label) for label, _ in facts)
    lines = [f"{HEADS[result.verdict]}: {as_options(result.meaning(target.name))}"]
    lines += [f"  data guessed: {target.guessed}"] if target.guessed else []
    for label, text in facts:
        said = f"{again} {text}".strip() if label == "replay" else as_options(text)
        lines.append(f"  {label:{width}}  {said}")
    return Told(
        name=target.name,
        label=target.label,
        verdict=result.verdict,
        headline=HEADS[result.verdict],
        text="\n".join(lines),
        why=result.summary(),
        document=result.to_dict() | ({"guessed": target.guessed} if target.guessed else {}),
        numbers={
            "epsilon_claimed": result.epsilon_claimed,
            "delta": result.delta,
            "unit": result.claim.unit,
            "claimed": result.claim.value,
            "lower": result.lower,
            "epsilon_lower": result.epsilon_lower,
            "confidence": result.confidence,
            "samples": result.samples,
            "resolution": result.resolution.epsilon,
        },
        seconds=result.seconds,
        place=place_of(named, target.mechanism),
    )


def _audit(loaded: Target, watch: Watch, claim: PrivacyClaim, asked: Asked) -> AuditResult:
    from audits.privacy import Stopped, audit_privacy

    try:
        with watch:
            return audit_privacy(
                loaded.mechanism,
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


def best_pairs(
    loaded: Target, claim: PrivacyClaim, errors: str, kind: str, known: Sequence[Any], rng: Any
) -> tuple[Sequence[Any], str]:
    """The pairs that a short search finds to show most."""
    from audits.stock import search

    def say(words: str) -> None:
        print(f"dpclaims: {kind}: {words}", file=sys.stderr)

    best = search(loaded.mechanism, known, claim, rng=rng, errors=errors, say=say)
    return best, "; ".join(one.name for one in best)
