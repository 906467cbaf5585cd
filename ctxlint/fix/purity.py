"""What the calls of an expression may do when a file is opened after them rather than before: nothing, something, or read a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import libcst as cst

from ctxlint.fix.bindings import subtree
from ctxlint.fix.openings import meaning
from ctxlint.fix.rewriting import Place

Effect = Literal["pure", "unknown", "reads"]

_PURE = frozenset({
    *(f"builtins.{name}" for name in (
        "str", "repr", "ascii", "len", "format", "int", "float", "bool", "bytes", "bytearray", "memoryview", "list", "dict", "tuple",
        "set", "frozenset", "sorted", "reversed", "enumerate", "zip", "range", "min", "max", "sum", "abs", "round", "chr", "ord",
        "isinstance", "vars",
    )),
    "json.dumps", "pickle.dumps", "marshal.dumps", "toml.dumps", "tomlkit.dumps", "tomli_w.dumps", "yaml.dump", "yaml.safe_dump",
    "dataclasses.asdict", "base64.b64encode", "zlib.compress", "gzip.compress", "textwrap.dedent", "textwrap.indent",
    "time.time", "datetime.datetime.now", "datetime.datetime.utcnow",
})
_PURE_METHODS = frozenset({
    "join", "encode", "decode", "format", "strip", "lstrip", "rstrip", "replace", "upper", "lower", "title", "splitlines", "split",
    "items", "keys", "values", "copy", "isoformat", "hex", "hexdigest", "zfill", "ljust", "rjust", "model_dump", "model_dump_json",
})
_READS = frozenset({
    "stat", "lstat", "exists", "lexists", "is_file", "isfile", "is_dir", "isdir", "is_symlink", "islink", "getsize", "getmtime",
    "getctime", "read", "readline", "readlines", "read_text", "read_bytes", "readlink", "open", "next", "load", "listdir", "scandir",
    "iterdir", "glob", "rglob", "tell", "samefile",
})


def effect_of(place: Place, call: cst.Call) -> Effect:
    """What a call itself may do, without what its arguments do."""
    function = call.func
    last = function.attr.value if isinstance(function, cst.Attribute) else function.value if isinstance(function, cst.Name) else ""
    if last in _READS:
        return "reads"
    known = meaning(place, function)
    if known:
        return "pure" if known in _PURE else "unknown"
    if not isinstance(function, cst.Attribute) or isinstance(function.value, cst.Name) and function.value.value in ("self", "cls"):
        return "unknown"
    return "pure" if last in _PURE_METHODS else "unknown"


def effects_in(place: Place, nodes: Iterable[cst.CSTNode]) -> frozenset[Effect]:
    """What the calls, and the waits, in some nodes may do."""
    return frozenset(
        effect_of(place, each) if isinstance(each, cst.Call) else "unknown"
        for node in nodes for each in subtree(node) if isinstance(each, (cst.Call, cst.Await, cst.Yield))
    )
