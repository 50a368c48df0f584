"""The tokens of Python, JavaScript and CSS: names, numbers, texts and signs, without blanks, comments and docstrings.

How code is broken into lines does not change them: the comma behind the last of several is left out, too, which both
formatters write only where each stands on a line of its own.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize

BLANK = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
CLOSING = (")", "]", "}")


def without_last_commas(code: list[str]) -> list[str]:
    """Tokens without the commas that stand before a closing bracket."""
    return [token for token, after in zip(code, [*code, ""][1:], strict=True) if token != "," or after not in CLOSING]


def python_lines(text: str) -> int:
    """How many lines of Python there are without blank lines, comments and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in BLANK:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstring_lines(text))


def docstring_lines(text: str) -> set[int]:
    """The lines on which docstrings stand."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            lines.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return lines


def python_tokens(text: str) -> list[str]:
    """The tokens of Python. An f-string is one, also in Python 3.12 and newer, where the tokenizer takes it apart."""
    documented = docstring_lines(text)
    code: list[str] = []
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        depth -= kind == "FSTRING_END"
        if depth == 0 and kind != "FSTRING_END" and token.type not in BLANK and token.start[0] not in documented:
            code.append(token.string)
        depth += kind == "FSTRING_START"
    return without_last_commas(code)


BEFORE_OPERATOR = re.compile(r"[\w)\]}\"'`$]\Z")  # after these a slash divides; after others it begins a pattern
KEYWORDS = {"return", "typeof", "case", "in", "of", "yield", "await", "else"}  # after these too
COMMENT = re.compile(r"\s+|//[^\n]*|/\*.*?\*/", re.DOTALL)
PATTERN = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
PART_OF_TEMPLATE = re.compile(r"[`}](?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)", re.DOTALL)
TOKEN = re.compile(
    r"""\#?[\w$]+(?:(?<=\d)\.\d+)?|\.\d+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
    r"|\.\.\.|=>|[=!]==|\*\*=|&&=|\|\|=|\?\?=|\?\.(?!\d)|&&|\|\||\?\?|\*\*|\+\+|--|>>>|<<|>>|[-+*/%&|^=!<>]=|[^\s]"
)


def javascript_tokens(text: str) -> list[str]:
    """The tokens of JavaScript. In a template each piece of text is one, and what is computed between them counts."""
    code: list[str] = []
    braces: list[bool] = []  # of each that is open: whether it is a template's
    at = 0
    while at < len(text):
        if blank := COMMENT.match(text, at):
            at = blank.end()
            continue
        closes_template = text[at] == "}" and bool(braces) and braces[-1]
        divides = bool(code) and bool(BEFORE_OPERATOR.search(code[-1])) and code[-1] not in KEYWORDS
        if text[at] == "`" or closes_template:
            found = PART_OF_TEMPLATE.match(text, at)
        elif text[at] == "/" and not divides:
            found = PATTERN.match(text, at)
        else:
            found = TOKEN.match(text, at)
        assert found, f"no JavaScript: {text[at : at + 40]!r}"
        token = found.group()
        if token == "}" or closes_template:
            braces.pop()
        if token == "{" or token.endswith("${"):
            braces.append(token != "{")
        code.append(token)
        at = found.end()
    return without_last_commas(code)


STYLE_TOKEN = re.compile(
    r"""/\*.*?\*/|\s+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[-#@.]?[\w-]+(?:\.\d+\w*)?%?|[^\s]""", re.DOTALL
)


def style_tokens(text: str) -> list[str]:
    """The tokens of a style sheet: selectors' and properties' words, values, and the signs around them."""
    return [token for token in STYLE_TOKEN.findall(text) if not token.isspace() and not token.startswith("/*")]
