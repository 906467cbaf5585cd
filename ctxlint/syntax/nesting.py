"""How deeply a text nests, without parsing it: native parsers overflow their stack where the interpreter would raise."""

from __future__ import annotations

import re

_MOST_BRACKETS = 200
"""The interpreter's own limit for open brackets."""

_MOST_INDENTS = 100
"""The interpreter's own limit for levels of indentation."""

_MOST_TERMS = 1_000
"""Operators between two commas or brackets; parsers recurse once for each."""

_TOKEN = re.compile(
    r"""
      (?P<skipped> \#[^\r\n]* | '{3}(?:\\.|[^\\])*?'{3} | "{3}(?:\\.|[^\\])*?"{3}
                 | '(?:\\.|[^'\\\r\n])*' | "(?:\\.|[^"\\\r\n])*" )
    | (?P<opening> [(\[{] )
    | (?P<closing> [)\]}] )
    | (?P<comma> , )
    | (?P<operator> [-+*/%@&|^~.<>=:!]+ | \b(?:and|or|not|if|else|elif|await|lambda|in|is|for)\b )
    | (?P<newline> \\?(?:\r\n|\r|\n)[ \t\f]* )
    """,
    re.VERBOSE | re.DOTALL,
)


def is_nested_too_deeply(text: str) -> bool:
    """Whether brackets, indentation or chains of operators go deeper than parsers are sure to bear."""
    terms = [0]
    indents = [0]
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "operator":
            terms[-1] += 1
            if terms[-1] > _MOST_TERMS:
                return True
        elif kind == "opening":
            terms.append(0)
            if len(terms) > _MOST_BRACKETS:
                return True
        elif kind == "closing":
            if len(terms) > 1:
                terms.pop()
        elif kind == "comma":
            terms[-1] = 0
        elif kind == "newline" and len(terms) == 1 and not token.group().startswith("\\"):
            terms[0] = 0
            width = len(token.group().lstrip("\r\n").expandtabs(8))
            while indents[-1] > width:
                indents.pop()
            if width > indents[-1]:
                indents.append(width)
                if len(indents) > _MOST_INDENTS:
                    return True
    return False
