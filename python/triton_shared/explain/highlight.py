"""Lines of code as HTML, with five colours: Pygments knows the words of each language."""

from __future__ import annotations

from html import escape

from pygments.lexer import Lexer
from pygments.lexers.asm import GasLexer, LlvmLexer
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

_LEXERS: dict[str, type[Lexer]] = {"source": PythonLexer, "s": GasLexer}
_PLAIN = ("sass", "ptx")
_CLASSES = ((Comment, "c"), (String, "s"), (Number, "m"), (Keyword, "k"), (Name.Variable, "v"))


def highlight(text: str, language: str) -> list[str]:
    """Each line of `text` as HTML. `language` is a phase or `source`; all MLIR is like LLVM IR."""
    if language in _PLAIN:
        return [escape(line, quote=False) for line in text.splitlines()]
    lexer = _LEXERS.get(language, LlvmLexer)(stripnl=False, ensurenl=False)
    lines = [""]
    for token, value in lexer.get_tokens(text):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append("")
            lines[-1] += _mark(part, token)
    return lines[:-1] if lines[-1] == "" else lines


def _mark(text: str, token: _TokenType) -> str:
    written = escape(text, quote=False)
    name = next((name for kind, name in _CLASSES if token in kind), "")
    return f'<b class="{name}">{written}</b>' if name and text.strip() else written
