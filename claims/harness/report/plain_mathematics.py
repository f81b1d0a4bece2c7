"""Formulas written in plain letters, θ^priv or n^{−3/2} or √(1 + x), as MathML.

The docstrings of claims are read in editors, so they hold no LaTeX. What is read here is a small language:
letters, numbers and operators, `^` and `_` with one sign, one word or brackets, `√` with one sign, brackets
or a logarithm or rank with its argument, and the superscripts and subscripts of Unicode. Everything else
passes as text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

_UP = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱᵀᵖᵈᵏᵐʳᵃᵇ", "0123456789+−()niTpdkmrab", strict=True))
_DOWN = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ᵢⱼₖₘₙₚᵣₛₜₓ", "0123456789+−()ijkmnprstx", strict=True))
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?|[A-Za-z]+|.", re.DOTALL)
_LETTERS = r"A-Za-zͰ-Ͽ"
# Where a formula begins: a base with ^, a single letter with _, or a root.
_SIGN = re.compile(
    rf"√|\^|(?<![{_LETTERS}\d_])[{_LETTERS}][′*]?_(?=[{{{_LETTERS}\d])|[)\]‖]_(?=[{{{_LETTERS}\d])"
)
SPACE = '<mspace width="0.25em"/>'
_CODE = re.compile(r"(`[^`\n]+`)")
_SPACED = frozenset("=<>≤≥≈≠→+−±∈∼≪≫≍·×⊂⊆↦⇒⇔")


def display_mathml(line: str) -> str:
    """A line of mathematics: its words between spaces as formulas, so that it can break where it has spaces.

    >>> display_mathml("    n^2 ≤ 4").count("<math")
    3
    """
    return " ".join(_chunk(word) for word in _words(line.strip()))


def set_plain(text: str, aside: Callable[[str], str]) -> str:
    """The text with `aside(MathML)` in place of each word that holds a power, an index or a root.

    >>> set_plain("the rate n^{−1/2}, and x_1 of some_name", lambda formula: "#")
    'the rate #, and # of some_name'
    >>> set_plain("√log(1/δ)/n", str).count("<mi>log</mi>") == set_plain("n^(-1/2)", str).count("<msup>") == 1
    True
    """
    parts = _CODE.split(text)
    return "".join(part if k % 2 else _replace(part, aside) for k, part in enumerate(parts))


def _replace(text: str, aside: Callable[[str], str]) -> str:
    pieces: list[str] = []
    for word in re.split(r"(\s+)", text) if not _SIGN.search(text) else _words(text, keep_spaces=True):
        if word.isspace() or not _SIGN.search(word) or "\ue000" in word:
            pieces.append(word)
            continue
        start = re.match(r"[\"“]?", word)
        lead = start[0] if start else ""
        body = word[len(lead) :]
        if (body.startswith("(") and _matching(body, 0) >= len(body.rstrip(",.;:")) - 1) or (
            body.startswith("(") and _matching(body, 0) == -1
        ):
            lead, body = lead + "(", body[1:]
        core = _strip_end(body)
        pieces.append(lead + aside(f"<math>{_row(core)}</math>") + body[len(core) :] if core else word)
    return "".join(pieces)


def _strip_end(body: str) -> str:
    """A word without the punctuation and the bracket that end its sentence, not it."""
    opened = {")": "(", "]": "["}
    while body:
        last = body[-1]
        foreign = last in opened and body.count(last) > body.count(opened[last])
        if last not in ',.;:?!"”' and not foreign:
            break
        body = body[:-1]
    return body


def _words(text: str, *, keep_spaces: bool = False) -> list[str]:
    """The text cut at spaces that stand in no bracket; one that is never closed does not count."""
    words: list[str] = []
    start = place = 0
    while place < len(text):
        sign = text[place]
        if sign in _PAIRS and (place > start or sign == "{"):
            end = _matching(text, place)
            # In running text a bracket belongs to a formula only where it stands right behind one.
            place = end + 1 if end != -1 and end - place < 120 else place + 1
            continue
        if sign.isspace():
            space = place
            while place < len(text) and text[place].isspace():
                place += 1
            words += [text[start:space]] * (space > start)
            if keep_spaces:
                words.append(text[space:place])
            start = place
            continue
        place += 1
    return words + [text[start:]] * (start < len(text))


def _matching(text: str, place: int) -> int:
    """Where the bracket at this place is closed; −1 where it is not."""
    stack: list[str] = []
    for at in range(place, len(text)):
        if text[at] in _PAIRS:
            stack.append(_PAIRS[text[at]])
        elif stack and text[at] == stack[-1]:
            stack.pop()
            if not stack:
                return at
    return -1


def _chunk(word: str) -> str:
    if "\ue000" in word or re.fullmatch(r"[A-Za-z]{2,}[,.;:]?|[`\"“].*", word):
        return html.escape(word, quote=False)
    return f"<math>{_row(word)}</math>"


def _row(text: str) -> str:
    """A run of signs as MathML."""
    items: list[str] = []
    place = 0
    while place < len(text):
        item, place = _atom(text, place)
        upper = lower = ""
        while place < len(text):
            sign = text[place]
            if sign in "^_" and place + 1 < len(text):
                script, place = _script(text, place + 1)
                upper, lower = (upper + script, lower) if sign == "^" else (upper, lower + script)
            elif sign in _UP or sign in _DOWN:
                table = _UP if sign in _UP else _DOWN
                end = place
                while end < len(text) and text[end] in table:
                    end += 1
                script = _row("".join(table[s] for s in text[place:end]))
                upper, lower = (upper + script, lower) if table is _UP else (upper, lower + script)
                place = end
            elif sign in "*′" and _is_base(text, place):
                upper, place = upper + f"<mo>{sign}</mo>", place + 1
            else:
                break
        items.append(_scripted(item, upper, lower))
    # Operators have their own space.
    items = [
        item
        for k, item in enumerate(items)
        if item != SPACE or not any(near.startswith("<mo>") for near in items[max(k - 1, 0) : k + 2])
    ]
    return items[0] if len(items) == 1 else f"<mrow>{''.join(items)}</mrow>"


def _is_base(text: str, place: int) -> bool:
    """Whether the star or prime at this place belongs to the letter before it, and is no product."""
    follows = text[place + 1 : place + 2]
    return place > 0 and (text[place - 1].isalpha() or text[place - 1] in "*′") and not follows.isalnum()


def _scripted(base: str, upper: str, lower: str) -> str:
    if upper and lower:
        return f"<msubsup>{base}<mrow>{lower}</mrow><mrow>{upper}</mrow></msubsup>"
    if upper:
        return f"<msup>{base}<mrow>{upper}</mrow></msup>"
    return f"<msub>{base}<mrow>{lower}</mrow></msub>" if lower else base


def _script(text: str, place: int) -> tuple[str, int]:
    """What stands behind ^ or _: what brackets hold, a sign with its number, a word or one sign."""
    if text[place] in "{(" and (end := _matching(text, place)) != -1:
        return _row(text[place + 1 : end]), end + 1
    found = re.match(r"[−-]?(?:\d+(?:\.\d+)?|[A-Za-z]+)|.", text[place:], re.DOTALL)
    assert found is not None
    return _row(found[0]) if found[0] not in "^_" else f"<mo>{found[0]}</mo>", place + found.end()


def _atom(text: str, place: int) -> tuple[str, int]:
    """The next letter, number, word, operator or root, and the place behind it."""
    if text[place] == "√" and place + 1 < len(text):
        return _root(text, place)
    found = _TOKEN.match(text, place)
    assert found is not None
    return _token(found[0]), found.end()


def _root(text: str, place: int) -> tuple[str, int]:
    """The root at a place and what stands under it: brackets, a logarithm, a word or one letter."""
    if text[place + 1] == "(" and (end := _matching(text, place + 1)) != -1:
        return f"<msqrt>{_row(text[place + 2 : end])}</msqrt>", end + 1
    found = _TOKEN.match(text, place + 1)
    assert found is not None
    root, end = found[0], found.end()
    if root in "^_√":
        return "<mo>√</mo>", place + 1
    if root in ("log", "ln", "rank"):
        closed = _matching(text, end) if text[end : end + 1] == "(" else -1
        return f"<msqrt>{_row(text[place + 1 : max(closed + 1, end)])}</msqrt>", max(closed + 1, end)
    if root.isalpha() and 1 < len(root) < 4 and root.isascii():  # a product, √nm; longer ones are words
        root, end = root[0], place + 2
    return f"<msqrt>{_row(root)}</msqrt>", end


def _token(token: str) -> str:
    """A letter, number, word, operator or space as MathML."""
    shown = html.escape(token, quote=False)
    if token in _UP or token in _DOWN:
        return f"<mn>{(_UP | _DOWN)[token]}</mn>"
    if token[0].isdigit():
        return f"<mn>{shown}</mn>"
    if token.isspace():
        return SPACE
    if len(token) == 2 and token.isupper():  # a product, LR; a function has small letters
        return f"<mi>{token[0]}</mi><mi>{token[1]}</mi>"
    if token.isalpha():
        return f"<mi>{shown}</mi>"
    if token in "()[]|‖⟨⟩":
        return f'<mo stretchy="false" lspace="0" rspace="0">{shown}</mo>'
    return f"<mo>{shown}</mo>" if token in _SPACED else f'<mo lspace="0" rspace="0">{shown}</mo>'
