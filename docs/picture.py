"""The picture of the README: what six published sparse vector algorithms promise, and what they lose.

    python docs/picture.py            writes docs/sparse-vector.svg

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


if __name__ == "__main__":
    draw(ROOT / "docs" / "sparse-vector.svg")
