"""One rule for Fixit: the only copy of a collection is cleared in the statement before the one that fills it again."""

from __future__ import annotations

import libcst as cst
from fixit import Invalid, LintRule, Valid


class ClearBeforeRefill(LintRule):
    """Two statements beside each other on one receiver; nothing flows."""

    MESSAGE = "the only copy is cleared before it is filled again"
    VALID = [Valid("items[:] = new")]
    INVALID = [Invalid("items.clear()\nitems.extend(new)\n")]

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self._ask(node.body)

    def visit_Module(self, node: cst.Module) -> None:
        self._ask(node.body)

    def _ask(self, statements: object) -> None:
        before = None
        for statement in statements:  # type: ignore[attr-defined]
            called = _called(statement)
            if before is not None and called is not None and called[1] in ("extend", "update"):
                if before[1] == "clear" and before[0].deep_equals(called[0]):
                    self.report(statement)
            before = called


def _called(statement: cst.CSTNode) -> tuple[cst.BaseExpression, str] | None:
    """The receiver and the name of the method that a statement calls."""
    if isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Expr):
        call = statement.body[0].value
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute):
            return call.func.value, call.func.attr.value
    return None
