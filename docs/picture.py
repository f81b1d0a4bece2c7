"""The pictures of the README: what six published sparse vector algorithms lose; the map of a paper.

    python docs/picture.py            writes docs/sparse-vector.svg and docs/map.svg

The losses are exact, those of one list of answers on two neighbours (examples/papers/lyu2017): what is
drawn is a lower bound of the ε that an algorithm really has, and for Algorithms 1, 2 and 4 its limit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "examples" / "papers"))

from lyu2017 import _variants as v  # noqa: E402
from lyu2017._law import probability, worst_transcript  # noqa: E402
from lyu2017.algorithm_3 import loss_of_event  # noqa: E402

EPSILON, ANSWERS = 1.0, 3
QUERIES = [6, 8, 10, 14, 20, 30, 44, 64, 100, 140, 200]


def loss(variant: v.Variant, queries: int, above: int) -> float:
    """Of `above` answers ⊤ among `queries` answers, the worst order for the algorithm."""
    below = (queries - above) // above if variant.redraws else queries - above
    first, second, answers = worst_transcript(below, above, variant.redraws)
    return probability(variant, first, answers).loss(probability(variant, second, answers))[0]


def curves() -> dict[str, Callable[[int], float]]:
    """The privacy loss by the number of queries, of all but Algorithm 5, whose loss is infinite."""
    c = ANSWERS
    return {
        "1  Lyu, Su, Li 2017": lambda k: loss(v.algorithm_1(EPSILON, c), k, c),
        "2  Dwork, Roth 2014": lambda k: loss(v.algorithm_2(EPSILON, c), k, c),
        "3  Roth 2011": lambda k: loss_of_event(v.algorithm_3(EPSILON, c), k - 1),
        "4  Lee, Clifton 2014": lambda k: loss(v.algorithm_4(EPSILON, c), k, c),
        "6  Chen et al. 2015": lambda k: loss(v.algorithm_6(EPSILON), k, k // 2),
    }


def draw(file: Path) -> None:
    """Write the picture as SVG, the same bytes each time."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams |= {"svg.hashsalt": "dpclaims", "svg.fonttype": "none", "font.size": 10}
    figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    for style, (name, of) in zip(("-o", "-s", "-^", "-D", "-v"), curves().items(), strict=True):
        axes.plot(QUERIES, [of(k) for k in QUERIES], style, markersize=4, label=name)
    axes.plot(QUERIES, [150.0] * len(QUERIES), ":", color="black", label="5  Stoddard et al. 2014: ∞")
    axes.axhline(EPSILON, color="grey", linestyle="--", linewidth=1)
    axes.text(QUERIES[-1], EPSILON * 0.88, "promised: ε = 1", ha="right", va="top", color="dimgrey")
    axes.set(xscale="log", yscale="log", xlabel="queries", ylabel="privacy loss, exact", ylim=(0.1, 200.0))
    axes.set_xticks([6, 10, 20, 50, 100, 200], ["6", "10", "20", "50", "100", "200"])
    axes.set_yticks([0.1, 1.0, 10.0, 100.0], ["0.1", "1", "10", "100"])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    handles, names = axes.get_legend_handles_labels()
    order = sorted(range(len(names)), key=names.__getitem__)
    axes.legend(
        [handles[i] for i in order],
        [names[i] for i in order],
        title="Algorithm, c = 3",
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
    )
    figure.savefig(file, metadata={"Date": None, "Creator": None})
    plt.close(figure)


STYLE = """.edge{fill:none;stroke:#57606a}.noted{stroke-dasharray:4 3}text{fill:#1f2328;font:14px sans-serif}
rect{stroke:currentColor;stroke-width:1.6;fill:#fff}.shaky rect{fill:#fde6d9}.unsure rect{fill:#e8ebee}
.holds{color:#116329}.nearly{color:#0b5a75}.letter{color:#7a4b00}.falls{color:#a4380a}.open{color:#57606a}"""


def draw_map(file: Path, paper: str = "song2021") -> None:
    """Write the map of a paper as SVG, as the site draws it, without its links."""
    import re

    from claims import load
    from claims.harness.map import layout, map_of
    from claims.harness.report.maps import drawn
    from claims.harness.report.site import Page, environment

    found = map_of(paper, load(paper))
    places = layout(found, ROOT / "claims" / paper / "map.plain")
    assert places is not None, "give a map.plain of today's uses"
    page = Page(title=paper, path="map.html")
    shown = environment().globals["maps"].map(drawn(found, places), page, f"the map of {paper}", set())
    svg = re.search(r"<svg.*</svg>", str(shown), re.DOTALL)
    assert svg is not None
    plain = re.sub(r'<a (class="[^"]*") aria-label="[^"]*">', r"<g \1>", svg[0])
    plain = plain.replace("</a>", "</g>")
    file.write_text(plain.replace(">", f"><style>{STYLE}</style>", 1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    draw(ROOT / "docs" / "sparse-vector.svg")
    draw_map(ROOT / "docs" / "map.svg")
