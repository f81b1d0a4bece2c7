"""What the notebooks share: a mistake in a parameter is a sentence that names what is allowed; pictures.

papermill hands over whatever it is given: it assigns a name that the notebook does not know, and runs the
defaults; and "1e4" arrives as 10000.0.
"""

from __future__ import annotations

import ast
import math
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from claims.harness.places import nearest


class Refused(ValueError):
    """Bad input of a notebook: shown as one sentence, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"ValueError: {self}"]


def only_known(namespace: Mapping[str, Any] | None = None) -> None:
    """Raise Refused where papermill set a parameter that the notebook does not have.

    namespace  the notebook's ``globals()``; by default those of the running kernel. What was executed stands
               there in ``In``: the cell of the defaults, then the one that papermill put in.

    >>> only_known({"In": ["loss = 'pinball'; n = 8", "# Parameters\\nlos = 'hinge'"]})
    Traceback (most recent call last):
    claims.harness.parameters.Refused: no parameter 'los', did you mean 'loss'? There are loss, n
    """
    main = sys.modules.get("__main__")
    cells: Sequence[str] = (vars(main) if namespace is None else namespace).get("In", [])
    known: list[str] = []
    for cell in cells:
        names = _assigned(cell)
        if cell.startswith("# Parameters"):
            for name in names:
                if name not in known:
                    near = nearest(name, known)
                    hint = f", did you mean {near!r}?" if near else "."
                    raise Refused(f"no parameter {name!r}{hint} There are {', '.join(dict.fromkeys(known))}")
        known += names


def _assigned(cell: str) -> list[str]:
    """The names that a cell of plain assignments gives values to."""
    try:
        body = ast.parse(cell).body
    except SyntaxError:
        return []
    targets: list[ast.expr] = []
    for node in body:
        targets += node.targets if isinstance(node, ast.Assign) else []
        targets += [node.target] if isinstance(node, ast.AnnAssign) else []
    return [t.id for t in targets if isinstance(t, ast.Name)]


def choice(name: str, value: Any, allowed: Iterable[str]) -> str:
    """The value, one of those allowed.

    >>> choice("loss", "hing", ["hinge", "absolute"])
    Traceback (most recent call last):
    claims.harness.parameters.Refused: loss must be one of hinge, absolute, got 'hing'; did you mean 'hinge'?
    """
    values = list(allowed)
    if value in values:
        return str(value)
    near = nearest(str(value), values)
    hint = f"; did you mean {near!r}?" if near else ""
    raise Refused(f"{name} must be one of {', '.join(values)}, got {value!r}{hint}")


def whole(name: str, value: Any, least: int = 1, most: float = math.inf) -> int:
    """The value as a whole number from `least` to `most`.

    >>> whole("n", 10000.0)
    10000
    >>> whole("n", 0.5)
    Traceback (most recent call last):
    claims.harness.parameters.Refused: n must be a whole number ≥ 1, got 0.5
    """
    limits = f"≥ {least}" if math.isinf(most) else f"from {least} to {most:,.0f}"
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise Refused(f"{name} must be a whole number {limits}, got {value!r}")
    if not least <= value <= most:
        raise Refused(f"{name} must be a whole number {limits}, got {value!r}")
    return int(value)


def real(name: str, value: Any, above: float = 0.0, below: float = math.inf) -> float:
    """The value as a number strictly between two limits.

    >>> real("delta", 2, below=1)
    Traceback (most recent call last):
    claims.harness.parameters.Refused: delta must be a number > 0 and < 1, got 2
    """
    limits = f"> {above:g}" + ("" if math.isinf(below) else f" and < {below:g}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not above < value < below:
        raise Refused(f"{name} must be a number {limits}, got {value!r}")
    return float(value)


def picture(figure: Any) -> Any:
    """A Matplotlib figure as SVG, shown whatever backend the kernel has."""
    import io

    from IPython.display import SVG
    from matplotlib import pyplot, rc_context

    text = io.StringIO()
    with rc_context({"svg.hashsalt": "dpclaims"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    # As wide as the page where that is narrower.
    size = r'width="([\d.]+pt)" height="[\d.]+pt"'
    fitting = r'style="width:100%;max-width:\1;height:auto"'
    return SVG(re.sub(size, fitting, text.getvalue(), count=1))


def wrapped(text: str) -> str:
    """The text in lines of at most 100 characters.

    >>> wrapped("word " * 21).splitlines()[1]
    '    word'
    """
    return "\n".join(textwrap.fill(line, 100, subsequent_indent="    ") for line in text.splitlines())
