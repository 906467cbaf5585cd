"""A call graph as JSON, DOT or GraphML; the same program gives the same bytes."""

from __future__ import annotations

import io
import json

from ctxlint.result import Called


def render_calls(called: Called, form: str) -> str:
    """Return the call graph in the format: `json`, `dot` or `graphml`."""
    return {"json": as_json, "dot": as_dot, "graphml": as_graphml}[form](called)


def as_json(called: Called) -> str:
    """Return an object from each function to the list of what it calls."""
    return json.dumps(called.calls, indent=2, ensure_ascii=False) + "\n"


def as_dot(called: Called) -> str:
    """Return a directed graph in the language of Graphviz: every name is a node."""
    lines = [f"  {_quoted(name)};" for name in _nodes(called)]
    lines += [f"  {_quoted(caller)} -> {_quoted(callee)};" for caller, callees in called.calls.items() for callee in callees]
    return "\n".join(["digraph calls {", *lines, "}"]) + "\n"


def as_graphml(called: Called) -> str:
    """Return a directed graph in GraphML, as networkx writes it."""
    # networkx takes a tenth of a second to import, and no other format needs it.
    import networkx

    drawn = networkx.DiGraph()
    drawn.add_nodes_from(_nodes(called))
    drawn.add_edges_from((caller, callee) for caller, callees in called.calls.items() for callee in callees)
    written = io.BytesIO()
    networkx.write_graphml_xml(drawn, written, encoding="utf-8", prettyprint=True)
    return written.getvalue().decode("utf-8") + "\n"


def _nodes(called: Called) -> list[str]:
    return sorted({*called.calls, *(callee for callees in called.calls.values() for callee in callees)})


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
