"""The part of the expression language of GitHub Actions that the action uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

TOKEN = re.compile(r"\s*('(?:[^']|'')*'|&&|\|\||==|!=|[!(),]|[A-Za-z_][\w.-]*)")
EMBEDDED = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)

Context = Mapping[str, Any]


def evaluate(expression: str, context: Context) -> Any:
    """Return the value of an expression; `context` holds the contexts and, as callables, the functions.

    Raises ValueError for what is no expression of the part that is understood.
    """
    tokens = _tokens(expression)
    reader = _Reader(tokens, context)
    value = reader.either()
    if reader.ahead:
        raise ValueError(f"unexpected `{reader.ahead}` in {expression}")
    return value


def substitute(text: str, context: Context) -> str:
    """Return `text` with each `${{ … }}` replaced by its value."""
    return EMBEDDED.sub(lambda found: as_text(evaluate(found[1], context)), text)


def truth(value: Any) -> bool:
    return value not in (None, False, "", 0)


def as_text(value: Any) -> str:
    return {True: "true", False: "false", None: ""}.get(value, str(value)) if not isinstance(value, str) else value


class _Reader:
    """Reads from the loosest operator to the tightest; operators of choice give one of their operands."""

    def __init__(self, tokens: list[str], context: Context) -> None:
        self._tokens = tokens
        self._context = context

    @property
    def ahead(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def either(self) -> Any:
        value = self._both()
        while self._took("||"):
            other = self._both()
            value = value if truth(value) else other
        return value

    def _both(self) -> Any:
        value = self._comparison()
        while self._took("&&"):
            other = self._comparison()
            value = other if truth(value) else value
        return value

    def _comparison(self) -> Any:
        value = self._single()
        for operator in ("==", "!="):
            if self._took(operator):
                same = as_text(value).lower() == as_text(self._single()).lower()
                return same == (operator == "==")
        return value

    def _single(self) -> Any:
        if self._took("!"):
            return not truth(self._single())
        if self._took("("):
            value = self.either()
            self._expect(")")
            return value
        word = self._tokens.pop(0)
        if word.startswith("'"):
            return word[1:-1].replace("''", "'")
        if self._took("("):
            arguments = [] if self.ahead == ")" else [self.either()]
            while self._took(","):
                arguments.append(self.either())
            self._expect(")")
            function: Callable[..., Any] = self._context[word]
            return function(*arguments)
        value = self._context
        for name in word.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return value

    def _took(self, token: str) -> bool:
        if self.ahead == token:
            self._tokens.pop(0)
            return True
        return False

    def _expect(self, token: str) -> None:
        if not self._took(token):
            raise ValueError(f"expected `{token}`, got `{self.ahead}`")


def _tokens(expression: str) -> list[str]:
    return list(_scan(expression.strip()))


def _scan(text: str) -> Iterator[str]:
    place = 0
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            raise ValueError(f"no expression from `{text[place:]}` on")
        yield found[1]
        place = found.end()
