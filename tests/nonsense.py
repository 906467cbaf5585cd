"""A program with its own names replaced by nonsense, its docstrings and comments gone, and nothing else changed.

Classes, functions, parameters, attributes, locals and modules of the program are renamed wherever they are used;
names of libraries, builtins and dunder names stay, and so do strings (keys, paths, statements) and line numbers.
Leading underscores stay because they mean something. A protocol that no class of the program implements stands for
somebody else's code, so the names of its methods stay too. A name that may belong to a library at one of its uses, as far as
the text says, stays at all of them.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import collections
import concurrent.futures
import contextlib
import copy
import csv
import datetime
import io
import json
import logging
import os
import pathlib
import pickle
import re
import shutil
import sqlite3
import subprocess
import threading
import tokenize
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from tests.nonsense_edits import Role, Source, Use, comments, docstrings
from tests.nonsense_scopes import (
    FunctionNode,
    Kind,
    Program,
    Scope,
    base_name,
    defaults,
    parameters,
)

_PLAIN: Role = "plain"

LIBRARY_ATTRIBUTES: frozenset[str] = frozenset(
    name
    for owner in (
        int, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, BaseException, OSError, types.FunctionType,
        collections.deque, collections.OrderedDict, collections.Counter, collections.defaultdict,
        io.TextIOWrapper, io.BufferedRandom, io.FileIO, io.StringIO, pathlib.Path, os, os.stat_result, shutil, tokenize,
        sqlite3, sqlite3.Connection, sqlite3.Cursor, json, pickle, copy, csv, csv.DictWriter, re, re.Pattern, re.Match,
        asyncio, asyncio.AbstractEventLoop, asyncio.Condition, asyncio.Event, asyncio.Queue, asyncio.Semaphore,
        asyncio.Task, asyncio.StreamReader, asyncio.StreamWriter, threading, threading.Thread, threading.Condition,
        threading.Event, concurrent.futures.Executor, concurrent.futures.Future, contextlib.ExitStack, subprocess.Popen,
        logging, logging.Logger, logging.LogRecord, datetime.datetime, datetime.timedelta, argparse.ArgumentParser,
    )
    for name in dir(owner)
)

_STRINGS_NAMING_ATTRIBUTES = frozenset({"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller"})
_PASSING_KEYWORDS_ON = frozenset({"replace", "evolve", "_replace", "model_copy"})


@dataclass(frozen=True)
class Nonsense:
    """The renamed files by their new paths, and what each old name became."""

    files: Mapping[str, str]
    names: Mapping[str, str]
    paths: Mapping[str, str]


def nonsense(files: Mapping[str, str]) -> Nonsense:
    """Return the program of `files` (relative paths with slashes to texts) with nonsense for its own names."""
    modules = frozenset(part for path in files for part in _module_parts(path))
    trees = {path: ast.parse(text) for path, text in files.items()}
    reader = _Reader(Program(trees, modules))
    uses = {path: reader.read(tree) for path, tree in trees.items()}
    chosen = _chosen(reader, [use for found in uses.values() for use in found])
    paths = {path: _renamed_path(path, chosen) for path in files}
    renamed = {
        paths[path]: _rewritten(text, trees[path], uses[path], reader.reprinted, chosen) for path, text in files.items()
    }
    return Nonsense(renamed, {name: new for (_, name), new in chosen.items()}, paths)


def _module_parts(path: str) -> list[str]:
    parts = PurePosixPath(path).with_suffix("").parts
    return [part for part in parts if not part.startswith("__")]


def _renamed_path(path: str, chosen: Mapping[tuple[Role, str], str]) -> str:
    pure = PurePosixPath(path)
    parts = [chosen.get(("plain", part), part) for part in pure.with_suffix("").parts]
    return str(PurePosixPath(*parts).with_suffix(pure.suffix))


def _chosen(reader: _Reader, uses: list[Use]) -> dict[tuple[Role, str], str]:
    """Return the new name of each name that is the program's own wherever it stands."""
    doubtful = {(use.role, use.name) for use in uses if use.own is None}
    own = {(use.role, use.name) for use in uses if use.own}
    own |= {(_PLAIN, part) for part in reader.program.modules}
    kept = {(role, name) for role, name in own if name in reader.kept or name.startswith("__") or name.strip("_") == ""}
    names = sorted({name for _, name in own - kept - doubtful})
    # One name is one word in all of its roles, so a field, its parameter and its keyword stay the same.
    word = {name: "_" * (len(name) - len(name.lstrip("_"))) + f"zq{number}" for number, name in enumerate(names, 1)}
    return {(role, name): word[name] for role, name in own - kept - doubtful}


class _Reader:
    """Finds the uses of names; `kept` are those that must stay, `reprinted` the nodes that are printed anew."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.kept: set[str] = {"self", "cls"}
        self.reprinted: dict[ast.AST, ast.AST] = {}
        self.attributes = frozenset(name for members in program.members.values() for name in members)
        self._uses: list[Use] = []
        for name, members in program.members.items():
            bases = {base_name(base) for base in program.classes[name].bases}
            foreign = "Protocol" in bases and not _is_implemented(name, program)
            if foreign or "TypedDict" in bases:
                self.kept |= set(members)
            elif program.has_library_base(name):
                self.kept |= set(members) & LIBRARY_ATTRIBUTES

    def read(self, tree: ast.Module) -> list[Use]:
        """Return the uses of names in one module."""
        self._uses = []
        self._visit_all(tree.body, self.program.scopes[tree])
        return self._uses

    def _note(self, node: ast.AST, field: str, role: Role, name: str, own: bool | None = True, index: int = -1) -> None:
        self._uses.append(Use(node, field, index, role, name, own))

    def _visit_all(self, nodes: list[Any], scope: Scope) -> None:
        for node in nodes:
            if node is not None:
                self._visit(node, scope)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        special = getattr(self, f"_visit_{type(node).__name__}", None)
        if special is not None:
            special(node, scope)
        else:
            self._visit_all(list(ast.iter_child_nodes(node)), scope)

    # Definitions

    def _visit_FunctionDef(self, node: FunctionNode, scope: Scope) -> None:
        self._note(node, "name", self._role_in(scope), node.name)
        self._visit_all([*node.decorator_list, *defaults(node)], scope)
        inside = self.program.scopes[node]
        for parameter in parameters(node):
            self._note(parameter, "arg", "plain", parameter.arg)
            self._visit_annotation(parameter.annotation, scope)
        self._visit_annotation(node.returns, scope)
        self._visit_all(node.body, inside)

    _visit_AsyncFunctionDef = _visit_FunctionDef

    def _visit_Lambda(self, node: ast.Lambda, scope: Scope) -> None:
        self._visit_all(list(node.args.defaults), scope)
        for parameter in parameters(node):
            self._note(parameter, "arg", "plain", parameter.arg)
        self._visit(node.body, self.program.scopes[node])

    def _visit_ClassDef(self, node: ast.ClassDef, scope: Scope) -> None:
        self._note(node, "name", self._role_in(scope), node.name)
        self._visit_all([*node.decorator_list, *node.bases, *node.keywords], scope)
        self._visit_all(node.body, self.program.scopes[node])

    def _visit_AnnAssign(self, node: ast.AnnAssign, scope: Scope) -> None:
        self._visit_annotation(node.annotation, scope)
        self._visit_all([node.target, node.value], scope)

    def _visit_annotation(self, node: ast.expr | None, scope: Scope) -> None:
        if node is None:
            return
        for part in _annotation_strings(node):
            parsed = ast.parse(str(part.value), mode="eval").body
            self.reprinted[part] = parsed
            self._visit(parsed, scope)
        self._visit(node, scope)

    @staticmethod
    def _role_in(scope: Scope) -> Role:
        return "attribute" if isinstance(scope.node, ast.ClassDef) else "plain"

    # Names

    def _visit_Name(self, node: ast.Name, scope: Scope) -> None:
        owner = scope.owner(node.id)
        if owner is not None and owner.bindings[node.id][0].how != "library":
            self._note(node, "id", self._role_in(owner), node.id)

    def _visit_Global(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> None:
        for index, name in enumerate(node.names):
            self._note(node, "names", "plain", name, index=index)

    _visit_Nonlocal = _visit_Global

    def _visit_ExceptHandler(self, node: ast.ExceptHandler, scope: Scope) -> None:
        if node.name:
            self._note(node, "name", "plain", node.name)
        self._visit_all([node.type, *node.body], scope)

    def _visit_ImportFrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        if node.level == 0 and not self.program.is_own_module(node.module or ""):
            return
        for index, part in enumerate((node.module or "").split(".") if node.module else []):
            self._note(node, "module", "plain", part, index=index)
        for alias in node.names:
            self._note(alias, "name", "plain", alias.name)
            if alias.asname:
                self._note(alias, "asname", "plain", alias.asname)

    def _visit_Import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            if self.program.is_own_module(alias.name):
                if "." in alias.name:
                    raise ValueError(f"a fixture says `from … import …` of its own modules, not `import {alias.name}`")
                self._note(alias, "name", "plain", alias.name)
                if alias.asname:
                    self._note(alias, "asname", "plain", alias.asname)

    # Attributes and keywords

    def _visit_Attribute(self, node: ast.Attribute, scope: Scope) -> None:
        self._visit(node.value, scope)
        owner = self.program.kind(node.value, scope)
        if owner is not None and owner.what == "module":
            self._note(node, "attr", "plain", node.attr)
        elif node.attr in self.attributes:
            self._note(node, "attr", "attribute", node.attr, self._is_own(owner, node.attr))

    def _is_own(self, owner: Kind | None, name: str) -> bool | None:
        """Return whether `name` of `owner` is the program's; `None` when that cannot be told."""
        if owner is None:
            return None if name in LIBRARY_ATTRIBUTES else True
        if owner.what in ("library", "function"):
            return False
        return self.program.holds(owner, name)

    def _visit_Call(self, node: ast.Call, scope: Scope) -> None:
        self._visit_all([node.func, *node.args], scope)
        called = base_name(node.func)
        if called in _STRINGS_NAMING_ATTRIBUTES:
            self.kept |= {str(part.value) for part in node.args if isinstance(part, ast.Constant)}
        for keyword in node.keywords:
            self._visit(keyword.value, scope)
            if keyword.arg is not None:
                self._note_keyword(keyword, node, scope)

    def _note_keyword(self, keyword: ast.keyword, node: ast.Call, scope: Scope) -> None:
        assert keyword.arg is not None
        name, callee = keyword.arg, self.program.kind(node.func, scope)
        if callee is not None and callee.what in ("class", "function"):
            self._note(keyword, "arg", self._role_of_keyword(callee), name)
            return
        passed = [self.program.kind(part, scope) for part in node.args]
        if base_name(node.func) in _PASSING_KEYWORDS_ON and any(kind and kind.what == "object" for kind in passed):
            self._note(keyword, "arg", "attribute", name)
        elif any(kind and kind.function and _takes(kind.function, name) for kind in passed):
            self._note(keyword, "arg", "plain", name)
        elif callee is None:
            self.kept.add(name)

    def _role_of_keyword(self, callee: Kind) -> Role:
        if callee.what == "function":
            return "plain"
        constructors = [self.program.members[one].get("__init__") for one in self.program.ancestry(callee.name)]
        return "plain" if any(constructors) else "attribute"

    # Patterns

    def _visit_MatchAs(self, node: ast.MatchAs, scope: Scope) -> None:
        if node.name:
            self._note(node, "name", "plain", node.name)
        self._visit_all([node.pattern], scope)

    def _visit_MatchStar(self, node: ast.MatchStar, scope: Scope) -> None:
        if node.name:
            self._note(node, "name", "plain", node.name)

    def _visit_MatchMapping(self, node: ast.MatchMapping, scope: Scope) -> None:
        if node.rest:
            self._note(node, "rest", "plain", node.rest)
        self._visit_all([*node.keys, *node.patterns], scope)

    def _visit_MatchClass(self, node: ast.MatchClass, scope: Scope) -> None:
        for index, name in enumerate(node.kwd_attrs):
            owner = self.program.kind(node.cls, scope)
            self._note(node, "kwd_attrs", "attribute", name, owner is not None and owner.what == "class", index)
        self._visit_all([node.cls, *node.patterns, *node.kwd_patterns], scope)

    def _visit_Assign(self, node: ast.Assign, scope: Scope) -> None:
        named = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if named & {"__slots__", "__all__", "__match_args__"}:
            self.kept |= {str(part.value) for part in ast.walk(node.value) if isinstance(part, ast.Constant)}
        self._visit_all([*node.targets, node.value], scope)

    def _visit_JoinedStr(self, node: ast.JoinedStr, scope: Scope) -> None:
        self.reprinted[node] = node
        self._visit_all(list(ast.iter_child_nodes(node)), scope)


def _is_implemented(protocol: str, program: Program) -> bool:
    """Return whether another class of the program has all the names of `protocol`."""
    wanted = set(program.members[protocol])
    return any(
        wanted <= {name for one in program.ancestry(other) for name in program.members[one]}
        for other, node in program.classes.items()
        if "Protocol" not in {base_name(base) for base in node.bases}
    )


def _takes(function: FunctionNode, name: str) -> bool:
    return any(parameter.arg == name for parameter in parameters(function))


def _annotation_strings(node: ast.expr) -> Iterator[ast.Constant]:
    """Yield the strings of an annotation that are annotations themselves, not values of a Literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    elif not (isinstance(node, ast.Subscript) and base_name(node.value) == "Literal"):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _annotation_strings(child)


def _rewritten(
    text: str,
    tree: ast.Module,
    uses: list[Use],
    reprinted: Mapping[ast.AST, ast.AST],
    chosen: Mapping[tuple[Role, str], str],
) -> str:
    source = Source(text)
    edits = [*docstrings(tree, source), *comments(text, source)]
    wholes = [node for node in ast.walk(tree) if node in reprinted]
    inner = {part: node for node in reversed(wholes) for part in ast.walk(reprinted[node])}
    changed: set[ast.AST] = set()
    for use in uses:
        new = chosen.get((use.role, use.name)) if use.own else None
        if new is None:
            continue
        if use.node in inner:
            setattr(use.node, use.field, new)
            changed.add(inner[use.node])
        else:
            edits.append(source.edit(use, new))
    for node in changed:
        if node not in inner or inner[node] is node:
            printed = ast.unparse(reprinted[node])
            edits.append(source.replaced(node, printed if reprinted[node] is node else repr(printed)))
    return source.edited(edits)
