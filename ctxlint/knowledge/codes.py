"""Which rule a word means, and which code should have been written where a word means none."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ctxlint.knowledge.nearness import nearest
from ctxlint.knowledge.rules import Rule

MOST = 6
"""More codes than these are not listed in an error."""


def rule_called(word: str, rules: Mapping[str, Rule]) -> Rule | None:
    """Return the rule whose code or name a word is, in capitals or not."""
    return rules.get(word.upper()) or next((rule for rule in rules.values() if rule.name == word.lower()), None)


def which_code(word: str, rules: Mapping[str, Rule], *besides: str) -> str:
    """Return in brackets what to write instead of a word that is no code: the code of the rule that is called so, the one that
    is near, the codes of the same family, or how codes begin. What else may be written is `besides`.
    """
    called = rule_called(word, rules)
    if called is not None:
        return f" (write `{called.code}`)" if word.upper() == called.code else f" (that is the name of a rule: write `{called.code}`)"
    family = _family(word.upper(), rules)
    if family:
        return f" (there {'is' if len(family) == 1 else 'are'} {', '.join(family)})"
    beginnings = sorted({code[: len(_letters(code)) + 1] for code in rules})
    known = word != _letters(word) and _letters(word.upper()) in map(_letters, rules)     # then other digits are not near
    near = None if known else nearest(word, (*rules, *besides, *(rule.name for rule in rules.values())))
    if near is None:
        return f" (codes begin with {', '.join(beginnings)}; `ctxlint rules` lists them)"
    code = next((rule.code for rule in rules.values() if rule.name == near), near)
    return f" (did you mean `{code}`{f', {near}' if code != near else ''}?)"


def _family(word: str, rules: Mapping[str, Rule]) -> tuple[str, ...]:
    """The codes that share the longest part with a word which is letters and digits, at least one digit; few of them or none."""
    if not re.fullmatch(r"[A-Z]+[0-9]+", word):
        return ()
    for end in range(len(word), len(_letters(word)), -1):
        found = tuple(code for code in rules if code.startswith(word[:end]))
        if found:
            return found if len(found) <= MOST else ()
    return ()


def _letters(code: str) -> str:
    return code.rstrip("0123456789")
