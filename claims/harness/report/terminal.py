"""LaTeX between dollars as Unicode, for terminals: ε ≤ 1/2, √(n·m), θ₀, ‖x‖²."""

from __future__ import annotations

import re
from collections.abc import Callable

LONGEST_FORMULA = 3000
"""Letters of a formula that is converted: the rules take time that grows with the square of its length."""
_SIGNS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ",
    "Omega": "Ω", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈",
    "sim": "∼", "equiv": "≡", "ll": "≪", "gg": "≫", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆",
    "cup": "∪", "cap": "∩", "setminus": "∖", "times": "×", "cdot": "·", "pm": "±", "mp": "∓", "to": "→",
    "rightarrow": "→", "Rightarrow": "⇒", "mapsto": "↦", "infty": "∞", "partial": "∂", "nabla": "∇",
    "ell": "ℓ", "sum": "Σ", "prod": "∏", "int": "∫", "langle": "⟨", "rangle": "⟩", "lceil": "⌈",
    "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "Vert": "‖", "dots": "…", "ldots": "…", "cdots": "…",
    "forall": "∀", "exists": "∃", "bot": "⊥", "perp": "⊥", "top": "⊤", "star": "*", "ast": "*", "mid": "|",
    "vee": "∨", "wedge": "∧", "oplus": "⊕",
    "prime": "′", "quad": "  ", "qquad": "  ", "lVert": "‖", "rVert": "‖",
    "emptyset": "∅", "propto": "∝", "asymp": "≍", "lesssim": "≲", "gtrsim": "≳", "circ": "∘", "hbar": "ħ",
}  # fmt: skip
_STYLED = {
    "mathbb": dict(zip("ERPNZQC", "𝔼ℝℙℕℤℚℂ", strict=True)),
    "mathcal": dict(zip("ABDEFGHIJKLMNOPQRSTUVWXYZ", "𝒜ℬ𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵", strict=True)),
}
_ACCENTS = {
    "tilde": "\u0303", "widetilde": "\u0303", "hat": "\u0302", "widehat": "\u0302", "bar": "\u0304",
    "overline": "\u0304",
}  # fmt: skip
_UPPER = dict(zip("0123456789+-=()nidkmpTt*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵈᵏᵐᵖᵀᵗ*", strict=True))
_LOWER = dict(zip("0123456789+-=()ijkmnprstx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ᵢⱼₖₘₙₚᵣₛₜₓ", strict=True))
_FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$]+?)\$", re.DOTALL)
_TOKEN = r"\\(?![dt]?frac)[A-Za-z]+(?![A-Za-z])|\d|[a-zA-Z]"
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"


def as_text(markdown: str) -> str:
    r"""Text with its formulas in Unicode.

    >>> as_text(r"For $\varepsilon\le1$, $\sqrt{d}/n$.")
    'For ε ≤ 1, √d/n.'
    """
    return _FORMULA.sub(lambda m: as_unicode(m[1] or m[2]), markdown)


def as_unicode(formula: str) -> str:
    r"""A formula of LaTeX in Unicode; what has no sign of its own keeps its name.

    >>> as_unicode(r"\frac{1}{2}\sqrt{n+m}\,\|\theta_0\|^2")
    '1/2√(n+m) ‖θ₀‖²'
    >>> as_unicode(r"\arg\min f+\frac\mu2x")
    'arg min f+μ/2x'
    >>> as_unicode(r"n^{-3/2}x_{priv}\nosuch")
    'n^(-3/2)x_priv nosuch'
    """
    text = " ".join(formula.split())
    if len(text) > LONGEST_FORMULA:
        return text
    text = re.sub(r"\\(?:left|right|big|Big|bigl|bigr|Bigl|Bigr|displaystyle|limits)(?![A-Za-z])", "", text)
    text = text.replace("\\|", "‖").replace("\\{", "\ue001").replace("\\}", "\ue002")
    text = re.sub(r"(?:\\[,;: !]|[~ ])+", " ", text).replace("\\\\", "; ").replace("&", "")
    before = None
    while before != text:  # from the inside out
        before = text
        for pattern, put in _RULES:
            text = pattern.sub(put, text)
    text = re.sub(r"\\([A-Za-z]+)(\s?)", _sign, text)
    text = re.sub(r"\s*([≤≥≈≠∈∼≪≫→⇒])\s*", r" \1 ", text)
    for mark, sign in (
        ("{", ""),
        ("}", ""),
        ("\ue001", "{"),
        ("\ue002", "}"),
        ("\ue003", "^"),
        ("\ue004", "_"),
    ):
        text = text.replace(mark, sign)
    return re.sub(r"(?<=[(\[√/‖|]) | (?=[,;)\]])", "", re.sub(r"  +", " ", text)).strip()


def _sign(found: re.Match[str]) -> str:
    # A function stands apart from the factor before it, and from a letter after it.
    return _SIGNS.get(found[1]) or f" {found[1]}{found[2]}"


def _grouped(text: str) -> str:
    """A term in brackets where it is more than one factor."""
    plain = re.fullmatch(r"[\w.]|\d+|\\[A-Za-z]+|[^\W\d_]+", text.strip())
    return text.strip() if plain else f"({text.strip()})"


def _accented(letter: str, accent: str) -> str:
    # The braces keep it apart from the name of a command before it.
    return "{}" + _SIGNS.get(letter.lstrip("\\"), letter) + accent


def _raised(found: re.Match[str]) -> str:
    return _script(found[1], _UPPER, "^")


def _lowered(found: re.Match[str]) -> str:
    return _script(found[1], _LOWER, "_")


def _script(text: str, table: dict[str, str], mark: str) -> str:
    text = text.strip()
    if text and all(sign in table for sign in text):
        return "".join(table[sign] for sign in text)
    # The mark is put back when nothing is left to replace.
    return ("\ue003" if mark == "^" else "\ue004") + _grouped(text)


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\\(mathbb|mathcal)\s*\{?([A-Z])\}?"), lambda m: _STYLED[m[1]].get(m[2], m[2])),
    (re.compile(rf"\\(?:mathrm|text|operatorname|mathit|textit|mathbf|mathsf|boldsymbol)\*?\s*{_GROUP}"),
     lambda m: m[1]),
    (re.compile(r"\\mathbf\s*(\w)"), lambda m: m[1]),
    (re.compile(rf"\\(tilde|widetilde|hat|widehat|bar|overline)(?:\s*{_GROUP}|\s+(\S)|(\\[A-Za-z]+))"),
     lambda m: _accented(m[2] or m[3] or m[4], _ACCENTS[m[1]])),
    (re.compile(rf"\\[dt]?frac\s*{_GROUP}\s*{_GROUP}"), lambda m: f"{_grouped(m[1])}/{_grouped(m[2])}"),
    (re.compile(rf"\\[dt]?frac\s*({_TOKEN})\s*({_TOKEN})"), lambda m: f"{m[1]}/{m[2]}"),
    (re.compile(rf"\\[dt]?frac\s*({_TOKEN})\s*{_GROUP}"), lambda m: f"{m[1]}/{_grouped(m[2])}"),
    (re.compile(rf"\\[dt]?frac\s*{_GROUP}\s*({_TOKEN})"), lambda m: f"{_grouped(m[1])}/{m[2]}"),
    (re.compile(rf"\\sqrt\s*{_GROUP}"), lambda m: f"√{_grouped(m[1])}"),
    (re.compile(r"\\sqrt\s*(\w)"), lambda m: f"√{m[1]}"),
    (re.compile(rf"\^\s*{_GROUP}"), _raised),
    (re.compile(rf"_\s*{_GROUP}"), _lowered),
    (re.compile(r"\^\s*(\\[A-Za-z]+|[^\s{\\])"), _raised),
    (re.compile(r"_\s*(\\[A-Za-z]+|[^\s{\\])"), _lowered),
)  # fmt: skip
