"""Markdown with LaTeX between dollars as HTML with MathML, which browsers show without script or network."""

from __future__ import annotations

import html
import re
import unicodedata
from contextlib import suppress
from functools import lru_cache
from xml.etree import ElementTree

from claims.harness.report.terminal import LONGEST_FORMULA

# Code spans come first, so that a dollar inside one is no formula; a formula does not cross a blank line.
_PARTS = re.compile(
    r"(?P<code>`[^`\n]+`)"
    r"|\$\$(?P<display>(?:(?!\n\s*\n).)+?)\$\$"
    r"|(?<![\\$])\$(?P<inline>(?=[^\s$])(?:(?!\n\s*\n)[^$])+?)(?<![\s\\])\$(?!\d)",
    re.DOTALL,
)
# In a text with formulas in plain letters: code, items of lists and emphasis are Markdown, other stars and
# underscores are signs of formulas.
_PLAIN = re.compile(r"(?P<kept>`[^`\n]+`|^ *\* |(?<!\w)\*[A-Za-z][^*_\n]{2,40}\*(?!\w))|[*_]", re.MULTILINE)
# Private-use characters stand for formulas while Markdown is rendered, which leaves them alone.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACE = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_UPRIGHT = re.compile(r'(?:<mi mathvariant="normal">[^<]</mi>){2,}')
# Commands that the converter does not know, by ones that it does and that look the same or nearly so.
_SYNONYMS = (
    (re.compile(r"\\operatorname\*?{arg\\[,;](min|max)}"), r"\\operatorname{arg\1}"),
    (re.compile(r"\\arg(min|max)?(?![A-Za-z])"), r"\\operatorname{arg\1}"),
    (re.compile(r"\\operatorname\*"), r"\\operatorname"),
    (re.compile(r"\\mathsf(?![A-Za-z])"), r"\\mathrm"),
    (re.compile(r"\\(begin|end){aligned}"), r"\\\1{align*}"),
)
# Named operators (log, exp, min, rank, …) need a thin space before an operand that is not in brackets.
_OPERATOR = re.compile(
    r'<m[io](?P<limits> movablelimits="true")?>(?P<name>[A-Za-z]{2,})</m[io]>'
    r'(?=(?P<bracket><mo [^>]*>(?:&#x00028|&#x0007B|\[)|<mrow><mo [^>]*form="prefix")?)'
)
_VARIANT = re.compile(
    r'<(?P<tag>m[in])(?P<rest>[^>]*) mathvariant="(?P<name>[a-z-]+)"(?P<more>[^>]*)>(?P<text>[^<]*)</m[in]>'
)
_STYLES = {"script": "SCRIPT", "double-struck": "DOUBLE-STRUCK", "bold": "BOLD", "fraktur": "FRAKTUR"}
_NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
_ELEMENTS = frozenset(
    {
        "math", "mrow", "mi", "mo", "mn", "ms", "mtext", "mspace", "mstyle", "mpadded", "mphantom", "mfrac",
        "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts",
        "mprescripts", "none", "mtable", "mtr", "mtd",
    }
)  # fmt: skip
_ATTRIBUTES = frozenset(
    {
        "display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "form", "accent",
        "accentunder", "lspace", "rspace", "minsize", "maxsize", "movablelimits", "largeop", "symmetric",
        "separator", "linethickness", "width", "height", "depth", "columnalign", "rowspacing",
        "columnspacing",
    }
)  # fmt: skip


def markdown_to_html(text: str) -> str:
    """Markdown as HTML, its formulas as MathML; raw HTML in it is shown, not interpreted.

    >>> print(markdown_to_html("The *bound* holds.").strip())
    <p>The <em>bound</em> holds.</p>
    """
    # "\\$" is a dollar in Markdown too, so only formulas need replacing.
    return _render(*_set_formulas_aside(text))


def docstring_to_html(text: str) -> str:
    """The docstring of a claim as HTML: Markdown whose formulas are written in plain letters, θ* or x_1.

    >>> print(docstring_to_html("It is θ*_1 and θ*_2, `a*b`.").strip())
    <p>It is θ*_1 and θ*_2, <code>a*b</code>.</p>
    """
    blocks = re.split(r"(\n\s*\n)", text.strip("\n"))
    return markdown_to_html("".join(b if b.startswith("    ") else _PLAIN.sub(_escaped, b) for b in blocks))


def _escaped(found: re.Match[str]) -> str:
    return found["kept"] or f"\\{found[0]}"


def _render(kept: str, formulas: list[str]) -> str:
    import mistune

    class Shown(mistune.HTMLRenderer):
        """An image would be loaded from wherever its author says: its description is shown. Keys
        scroll code that is wider than the screen, too."""

        def image(self, text: str, url: str, title: str | None = None) -> str:
            return text

        def block_code(self, code: str, info: str | None = None) -> str:
            return super().block_code(code, info).replace("<pre>", '<pre tabindex="0">', 1)

    markdown = mistune.create_markdown(renderer=Shown(escape=True), plugins=["table", "strikethrough"])
    return _PLACE.sub(lambda found: formulas[int(found[1])], str(markdown(kept)))


def inline_html(text: str) -> str:
    """One line of text as HTML: escaped, `code` as code and formulas as MathML; no other Markdown.

    >>> inline_html("a < b, `x_1`")
    'a &lt; b, <code>x_1</code>'
    """
    kept, formulas = _set_formulas_aside(text)
    escaped = re.sub(r"`([^`\n]+)`", r"<code>\1</code>", html.escape(kept, quote=False))
    return _PLACE.sub(lambda found: formulas[int(found[1])], escaped)


def plain_text(text: str) -> str:
    """One line of text without markup, for titles: formulas keep their LaTeX source, without the dollars.

    >>> plain_text("Rate in $n$, `f`")
    'Rate in n, f'
    """
    return _PARTS.sub(lambda m: (m["code"] or m["display"] or m["inline"]).strip("`"), text)


@lru_cache(maxsize=4096)
def mathml(formula: str, *, display: bool = False) -> str:
    """A LaTeX formula as MathML; one that cannot be converted is shown as its source.

    >>> mathml("n").endswith("<mi>n</mi></mrow></math>")
    True
    >>> mathml(r"\\nosuchcommand{n}")
    '<code class="tex">\\\\nosuchcommand{n}</code>'
    """
    from latex2mathml.converter import convert

    source = " ".join(formula.split())
    fallback = f'<code class="tex">{html.escape(source)}</code>'
    if len(source) > LONGEST_FORMULA:
        return fallback
    for command, known in _SYNONYMS:
        source = command.sub(known, source)
    try:
        converted = convert(source, display="block" if display else "inline")
    except Exception:
        # The converter raises its own and built-in errors alike on LaTeX that it cannot read.
        return fallback
    # An unknown command comes back as an identifier that starts with a backslash.
    if re.search(r">\s*(\\|&#x0005C;)[A-Za-z]", converted) or not _is_plain_mathml(converted):
        return fallback
    spaced = _UPRIGHT.sub(_join_letters, _OPERATOR.sub(_space_operator, converted))
    return _VARIANT.sub(_as_letters, spaced)


def _as_letters(styled: re.Match[str]) -> str:
    """Letters of another style as letters of Unicode: browsers pay no heed to `mathvariant`."""
    style = _STYLES.get(styled["name"])
    text = html.unescape(styled["text"])
    if style is None:  # upright, which text is
        return f"<mtext>{styled['text']}</mtext>"
    letters = "".join(_letter(sign, style) for sign in text)
    return f"<{styled['tag']}{styled['rest']}{styled['more']}>{letters}</{styled['tag']}>"


def _letter(sign: str, style: str) -> str:
    """A letter or digit in a style; what has none stays.

    >>> _letter("L", "SCRIPT"), _letter("E", "DOUBLE-STRUCK"), _letter("1", "BOLD"), _letter("+", "BOLD")
    ('ℒ', '𝔼', '𝟏', '+')
    """
    kind = "DIGIT" if sign.isdigit() else "CAPITAL" if sign.isupper() else "SMALL"
    name = unicodedata.name(sign, "").split()[-1:]
    for words in (f"MATHEMATICAL {style} {kind}", f"{style} {kind}", f"BLACK-LETTER {kind}"):
        with suppress(KeyError):
            return unicodedata.lookup(f"{words} {''.join(name)}")
    return sign


def _is_plain_mathml(text: str) -> bool:
    """Whether this is well-formed and holds nothing but formulas.

    The converter passes on as HTML what stands in \\text{…}, and \\href, \\style and \\class as attributes. A
    formula may come from a run folder of other people.
    """
    if "<!" in text or "<?" in text:
        return False
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return False
    return all(
        element.tag.removeprefix(_NAMESPACE) in _ELEMENTS and _ATTRIBUTES.issuperset(element.attrib)
        for element in root.iter()
    )


def _space_operator(operator: re.Match[str]) -> str:
    space = "0" if operator["bracket"] else "0.167em"
    return f'<mo lspace="0.1em" rspace="{space}"{operator["limits"] or ""}>{operator["name"]}</mo>'


def _join_letters(letters: re.Match[str]) -> str:
    """Neighbouring upright letters, as \\mathrm{rank} gives them, are one word."""
    return f"<mi>{''.join(re.findall('>([^<])<', letters[0]))}</mi>"


def _set_formulas_aside(text: str) -> tuple[str, list[str]]:
    """The text with placeholders for its formulas, and the formulas as MathML."""
    formulas: list[str] = []

    def replace(part: re.Match[str]) -> str:
        if part["code"] is not None:
            return part["code"]
        formulas.append(mathml(part["display"] or part["inline"], display=part["display"] is not None))
        return f"{_OPEN}{len(formulas) - 1}{_CLOSE}"

    clean = text.replace(_OPEN, "").replace(_CLOSE, "")
    return _PARTS.sub(replace, clean), formulas
