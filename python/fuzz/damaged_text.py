"""Damages a text: tokens, lines, types and sizes become others, mostly of their kind."""

from __future__ import annotations

import functools
import random
import re

from . import sources

_TOKEN = re.compile(r"\s+|[%#@^!]?[\w.$-]+|\"[^\"]*\"|->|.", re.DOTALL)


@functools.cache
def _vocabulary() -> tuple[str, ...]:
    """What any text of the corpus says: types, operations, attributes, numbers."""
    texts = (*sources.texts(), *sources.later_texts())
    return tuple(sorted({token for text in texts for token in _TOKEN.findall(text)}))


_NUMBERS = ("-1", "0", "1", "2", "3", "7", "16", "127", "2147483647", "-9223372036854775808")
_TYPES = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "index", "f8E5M2", "i4")


def damaged(rng: random.Random) -> str:
    """One text of the corpus with one to four changes."""
    text = rng.choice(sources.later_texts() if rng.random() < 0.25 else sources.texts())
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice((_change_token,) * 4 + (_change_line, _change_type, _change_type))(
            rng, text
        )
    return text


def _change_token(rng: random.Random, text: str) -> str:
    tokens = _TOKEN.findall(text)
    at = rng.randrange(len(tokens))
    for _ in range(20):
        if not tokens[at].isspace():
            break
        at = rng.randrange(len(tokens))
    token = tokens[at]
    match rng.randrange(8):
        case 0:
            tokens[at] = rng.choice(("", token + token))
        case 1:
            tokens[at] = rng.choice(_vocabulary())
        case _:
            tokens[at] = rng.choice(_alike(token, tokens))
    return "".join(tokens)


def _alike(token: str, tokens: list[str]) -> list[str]:
    """What may stand in the place of a token and still be read."""
    if _kind(token) == "number" and "x" not in token:
        return [*_NUMBERS, *(other for other in tokens if _kind(other) == "number")]
    if "." in token:
        dialect = token.split(".")[0] + "."
        return [other for other in _vocabulary() if other.startswith(dialect)] or [token]
    return [other for other in tokens if _kind(other) == _kind(token)]


def _change_line(rng: random.Random, text: str) -> str:
    lines = text.splitlines()
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[first]
        case 1:
            lines.insert(second, lines[first])
        case 2:
            lines[first], lines[second] = lines[second], lines[first]
        case _:
            lines[first : first + rng.randrange(1, 6)] = []
    return "\n".join(lines)


def _change_type(rng: random.Random, text: str) -> str:
    """One element type or one size becomes another, in one line or everywhere."""
    if rng.random() < 0.5:
        old = rng.choice(_TYPES)
        pattern, new = rf"\b{old}\b|(?<=\dx){old}\b", rng.choice(_TYPES)
    else:
        old = rng.choice(("1", "2", "4", "8", "16", "32", "64", "128"))
        pattern, new = rf"(?<=tensor<){old}(?=x)", rng.choice(("0", "1", "2", "3", "4", "64", "?"))
    matches = list(re.finditer(pattern, text))
    if not matches:
        return text
    if rng.random() < 0.5:
        return re.sub(pattern, new, text)
    match = rng.choice(matches)
    return text[: match.start()] + new + text[match.end() :]


def _kind(token: str) -> str:
    if token[0] in '%#@^!"':
        return token[0]
    if re.fullmatch(r"-?\d[\w.+-]*", token):
        return "number"
    return "word" if token[0].isalpha() else "sign"
