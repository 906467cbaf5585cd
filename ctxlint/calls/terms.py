"""Normal form of the expressions that name a place: a file's path, a table, a key.

A term is what an expression denotes after locals, helpers, properties and imported constants are looked through.
Two operations touch the same place when their terms share a *pairing key*: an attribute of its owning class, a module's
global, a field of a typed record, a helper with what its result is made of, if that names something, or the constant last component of a path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

TermKind = Literal[
    "constant",   # name: its text
    "param",      # name: a formal of the function the term belongs to
    "attribute",  # name: "<owning class>.<attribute>", of `self`
    "field",      # name: "<class>.<attribute>", of some other object of that class; parts: the object
    "global",     # name: "<module>.<name>"; parts: what it is, if known
    "helper",     # name: the function's qualified name; parts: what it returns here, then the actual arguments
    "join",       # parts: components of a path
    "concat",     # parts: pieces of a text
    "sibling",    # parts: the path whose name or suffix is changed (with_suffix, with_name), then the new piece
    "parent",     # parts: the path whose folder is meant
    "fresh",      # a name nobody else has: a uuid, a temporary file, a timestamp
    "unknown",    # name: anything that tells it apart inside one function
]

MAX_DEPTH = 18
"""How many nested pieces are looked through; deeper ones are unknown."""

HELPER_DEPTH = 3
"""How many pieces a helper counts for."""


class Term(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """A node of a normal form; equal terms of one function denote the same place."""

    kind: TermKind
    name: str = ""
    parts: tuple["Term", ...] = ()


UNKNOWN = Term("unknown")
FRESH = Term("fresh")


def subterms(term: Term) -> Iterator[Term]:
    """Yield `term` and everything inside it."""
    yield term
    for part in term.parts:
        yield from subterms(part)


def is_fresh(term: Term) -> bool:
    """Whether the place cannot have existed before: some piece of it is a name that nobody else has."""
    return any(part.kind == "fresh" for part in subterms(term))


def parameters(term: Term) -> frozenset[str]:
    """The formals that the term still depends on."""
    return frozenset(part.name for part in subterms(term) if part.kind == "param")


def substitute(term: Term, actuals: Mapping[str, Term]) -> Term:
    """Replace the formals that `actuals` names; the others stay."""
    if term.kind == "param":
        return actuals.get(term.name, term)
    if not term.parts:
        return term
    return Term(term.kind, term.name, tuple(substitute(part, actuals) for part in term.parts))


def are_apart(one: Term, other: Term) -> bool:
    """Whether two paths begin alike and then go into two folders, or to two files, whose names are known to differ.

    Whatever they begin with, files of different names are not the same. Below a folder that has a name of its own, a file of
    that folder is not one of a folder in it.
    """
    steps, others = _components(one), _components(other)
    if _are_other_names(steps[-1], others[-1]):
        return True
    for depth, (first, second) in enumerate(zip(steps, others)):
        if first == second and first != UNKNOWN:
            continue
        texts = constant_text(first), constant_text(second)
        if all(texts) and texts[0] != texts[1] or depth and _begin_differently(first, second):
            return len(steps) == len(others) or steps[0].kind != "param"
        shorter, longer = sorted((steps[depth:], others[depth:]), key=len)
        return depth > 0 and steps[0].kind in ("attribute", "global") and len(shorter) == 1 < len(longer) and bool(constant_text(shorter[0]))
    return False


def _are_other_names(one: Term, other: Term) -> bool:
    """Whether the last components of two paths are constants that name different files."""
    names = constant_text(one).rsplit("/", 1)[-1], constant_text(other).rsplit("/", 1)[-1]
    return all(names) and names[0] != names[1] and not any(name in (".", "..") for name in names)


def _begin_differently(one: Term, other: Term) -> bool:
    """Whether two components are put together from pieces of which the first are constants that differ where both have text."""
    begins = [constant_text(term.parts[0]) if term.kind == "concat" and term.parts else constant_text(term) for term in (one, other)]
    return all(begins) and not begins[0].startswith(begins[1]) and not begins[1].startswith(begins[0])


def is_folder_of(folder: Term, place: Term) -> bool:
    """Whether the place lies below the folder: where there is no such folder, there is no such file."""
    above, steps = _components(folder), _components(place)
    return folder != UNKNOWN and len(above) < len(steps) and above == steps[: len(above)]


def are_named_alike(one: Term, other: Term) -> bool:
    """Whether two paths are files of a folder that both functions are told under one name, and their own names are put together
    in the same way around the same constants: `folder/f"{run}.state"`.
    """
    (*folders, name), (*others, other_name) = _components(one), _components(other)
    return folders == others and bool(folders) and all(step.kind in ("param", "constant") for step in folders) and (
        _around_constants(name) == _around_constants(other_name) != ()
    )


def _around_constants(name: Term) -> tuple[str, ...]:
    """The constants of a text that is put together of pieces, in order; empty when there are none, or nothing else."""
    pieces = [constant_text(piece) for piece in name.parts] if name.kind == "concat" else []
    return tuple(pieces) if any(pieces) and not all(pieces) else ()


def _components(term: Term) -> list[Term]:
    """The steps of a path, helpers looked through."""
    if term.kind == "helper" and term.parts:
        return _components(term.parts[0])
    if term.kind == "join" and term.parts:
        return [step for part in term.parts for step in _components(part)]
    return [term]


def keys(term: Term, module: str) -> frozenset[str]:
    """The pairing keys of a path that is used in `module` (a dotted name).

    A bare basename pairs only inside one module, so its key carries the module.
    """
    return frozenset(_keys(term, module, ""))


def _keys(term: Term, module: str, tail: str) -> Iterator[str]:
    if term.kind == "field" and term.name.startswith("?."):
        yield f"{module}:{term.name}{tail}"              # the owner is unknown: elsewhere the name is another object's
    elif term.kind in ("attribute", "field"):
        yield f"{term.name}{tail}"
    elif term.kind == "global":
        yield f"{term.name}{tail}"
        for part in term.parts:
            yield from _keys(part, module, tail)
    elif term.kind == "helper":
        result = term.parts[0] if term.parts else UNKNOWN
        if _names_something(result):
            yield f"{term.name}({_places_in(result)}){tail}"
        yield from _keys(result, module, tail)
    elif term.kind in ("join", "concat") and term.parts:
        yield from _composite_keys(term, module, tail)
    elif term.kind == "sibling" and term.parts:
        changed = term.parts[1] if len(term.parts) > 1 else UNKNOWN
        yield from _keys(term.parts[0], module, f"{tail}~{constant_text(changed)}")
    elif term.kind == "constant" and "." in term.name.rsplit("/", 1)[-1].lstrip("."):
        yield f"{module}:{term.name.rsplit('/', 1)[-1]}{tail}"


def _composite_keys(term: Term, module: str, tail: str) -> Iterator[str]:
    last = term.parts[-1]
    text = constant_text(last)
    if term.kind == "join" and text:
        if "." in text.rsplit("/", 1)[-1]:
            yield f"{module}:{text.rsplit('/', 1)[-1]}{tail}"
        yield from _keys(term.parts[0], module, f"/{text}{tail}")
    elif term.kind == "join" and last.kind in ("global", "helper"):
        yield from _keys(last, module, tail)
        yield from _keys(term.parts[0], module, f"/*{tail}")
    else:
        suffix = constant_text(_last_piece(last)) if term.kind == "join" else text
        yield from _keys(term.parts[0], module, f"/*{suffix}{tail}")


def _last_piece(term: Term) -> Term:
    return _last_piece(term.parts[-1]) if term.kind == "concat" and term.parts else term


def constant_text(term: Term) -> str:
    """The text of a constant term, also one behind a named constant; empty for anything else."""
    if term.kind == "constant":
        return term.name
    if term.kind == "global" and term.parts:
        return constant_text(term.parts[0])
    return ""


def _places_in(term: Term) -> str:
    """The attributes and globals that a helper's result is made of: called with another folder it gives another place."""
    return ", ".join(sorted({part.name for part in subterms(term) if part.kind in ("attribute", "global")}))


def _names_something(term: Term) -> bool:
    """Whether a helper's own result holds a constant, an attribute or a global; a mere `join(base, path)` confines."""
    return any(
        part.kind in ("attribute", "global") or (part.kind == "constant" and len(part.name.strip("./")) > 1)
        for part in subterms(term)
    )


def text_of(term: Term) -> str:
    """A term in words, for evidence: `Store._file`, `folder/"index.json"`."""
    if term.kind == "constant":
        return f'"{term.name}"'
    if term.kind in ("attribute", "field", "global"):
        return ".".join(term.name.rsplit(".", 2)[-2:])
    if term.kind == "helper":
        return f"{term.name.rsplit('.', 1)[-1]}()"
    if term.kind == "param":
        return term.name
    if term.kind == "join":
        return "/".join(text_of(part) for part in term.parts)
    if term.kind == "concat":
        return "+".join(text_of(part) for part in term.parts)
    if term.kind in ("sibling", "parent") and term.parts:
        return f"{term.kind} of {text_of(term.parts[0])}"
    return "a new name" if term.kind == "fresh" else "…"
