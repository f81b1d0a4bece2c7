"""The claim that the programs of a paper have the symmetries of its algorithms, from a table of programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audits.evidence import Evidence, Verdict
from audits.symmetries import Program, check
from claims.harness.claim import Claim, Paper, Point, grid
from claims.harness.words import Kind


def symmetric(
    paper: Paper, result: str, place: str, programs: Mapping[str, Program], size: int = 20_000
) -> Claim:
    """A claim about our programs: each of them has what its `Program` states; see `audits.symmetries`.

    result, place  the algorithms that the programs implement, and where they are printed.
    programs       the formulas and programs by name, one point of the grid each.
    size           runs of a batch, and samples of a law.

    A distance between two laws counts as none only where 0.25 would have been seen.
    """

    def check_program(point: Point) -> Iterator[Evidence]:
        yield from check(programs[point.program], point.rng, point.alpha, size=size)

    return Claim(
        paper,
        result,
        place,
        name="symmetries",
        kind=Kind.IDENTITY,
        role="program",
        title="The programs have the symmetries of the algorithms",
        statement=r"No formula and no program depends on the unit of the loss, on the unit or the origin of "
        r"the space, on the order of records, on other runs and datasets of a batch or on the kind of an "
        r"array beyond what the paper's formula says, and as $\varepsilon\to0$ the output of a private "
        r"program has the same law on all datasets.",
        expected=Verdict.CONSISTENT,
        check=check_program,
        largest_resolution=0.25,
        smoke=grid(program=tuple(programs)),
        ci=grid(program=tuple(programs)),
    )
