"""Where the condition of a branch is asked: after everything that its block does."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.view import View
from ctxlint.ir.function import Block


def asked_at(view: View, identity: FunctionId, index: int, block: Block) -> int:
    """The node of the event graph at which the names in a block's condition hold what they do when it is asked.

    That is the block's last event; when that binds a name, it is the beginning of a block that only this condition leads to.
    """
    function = view.function(identity)
    if block.first == block.last:
        return len(function.events) + index
    if function.events[block.last - 1].kind == "local":
        for edge in block.edges:
            ways = [each.target for other in function.blocks for each in other.edges if each.target == edge.target]
            if edge.condition is not None and len(ways) == 1:
                return len(function.events) + edge.target
    return block.last - 1
