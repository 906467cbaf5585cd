"""Which place a value names: values of one function into terms, helpers and properties looked through."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlint.calls.cells import attribute_owner, receiver_class
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.names import resolve_name, split
from ctxlint.calls.recall import Recall
from ctxlint.calls.terms import FRESH, HELPER_DEPTH, MAX_DEPTH, UNKNOWN, Term, is_fresh, substitute
from ctxlint.calls.view import View
from ctxlint.flow.reaching import ENTRY_VALUE
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value

_ALGEBRA = ("same-place", "inner-place", "sibling-place", "outer-place")
_COMPUTED = ("pure", "total", "fresh", "digests", "serialises", "parses", "copies")


class Places:
    """Evaluates values to terms; memoises what helpers return."""

    def __init__(self, view: View) -> None:
        self._view = view
        # A value that depends on itself names nothing.
        self._terms = Recall[tuple[FunctionId, int, Value], Term](lambda question: UNKNOWN)

    def term(self, identity: FunctionId, at: int, value: Value, depth: int = 0) -> Term:
        """The place that `value` names at event `at`."""
        return self._terms.ask((identity, at, value), lambda: self._evaluate(identity, at, value, depth), depth, MAX_DEPTH)

    def of_path(self, identity: FunctionId, at: int, path: AccessPath, depth: int = 0) -> Term:
        """The place that an access path denotes."""
        base = path.root
        if isinstance(base, Name) and path.steps:
            owner = self._own_attribute(identity, base, path.steps[0])
            if owner is not None:
                return self._fields(identity, at, owner, path, 1, depth)
        return self._fields(identity, at, self.term(identity, at, base, depth + 1), path, 0, depth)

    def _evaluate(self, identity: FunctionId, at: int, value: Value, depth: int) -> Term:
        if isinstance(value, Constant):
            return Term("constant", value.text) if value.kind in ("str", "bytes") else UNKNOWN
        if isinstance(value, Name):
            return self._name(identity, at, value, depth)
        if isinstance(value, Result):
            return self._result(identity, value.event, depth)
        if isinstance(value, Compound):
            return self._compound(identity, at, value, depth)
        assert isinstance(value, Closure)
        return UNKNOWN

    def _name(self, identity: FunctionId, at: int, name: Name, depth: int) -> Term:
        if name.scope == "local":
            return self._local(identity, at, name.name, depth)
        if name.scope == "captured":
            return self._captured(identity, name.name, depth)
        return self._global(identity, name.name, depth)

    def _local(self, identity: FunctionId, at: int, name: str, depth: int) -> Term:
        function = self._view.function(identity)
        reaching = [d for d in self._view.definitions(identity).definitions(at, name) if d != ENTRY_VALUE and d < at]
        if reaching:
            return self._binding(identity, max(reaching), depth)
        if any(formal.name == name for formal in function.formals):
            return Term("param", name)
        return UNKNOWN

    def _binding(self, identity: FunctionId, binding: int, depth: int) -> Term:
        event = self._view.event(identity, binding)
        if event.kind == "local" and event.value is not None:
            return self.term(identity, binding, event.value, depth + 1)
        return UNKNOWN

    def _captured(self, identity: FunctionId, name: str, depth: int) -> Term:
        """A captured name is its last binding in the enclosing function, or that function's formal."""
        outer = _enclosing(self._view.function(identity).enclosing, identity)
        while outer is not None:
            function = self._view.function(outer)
            bindings = [
                number
                for number, event in enumerate(function.events)
                if event.kind == "local" and event.path is not None
                and isinstance(event.path.root, Name) and event.path.root.name == name and not event.path.steps
            ]
            if bindings:
                return self._binding(outer, bindings[-1], depth + 1)
            if any(formal.name == name for formal in function.formals):
                return Term("field", f"{_qualified(self._view, outer)}.<{name}>")
            outer = _enclosing(function.enclosing, outer)
        return UNKNOWN

    def _global(self, identity: FunctionId, name: str, depth: int) -> Term:
        program = self._view.program
        qualified = resolve_name(program, identity.module, identity.index, name)
        module, variable = split(program, qualified)
        bindings = program.scopes[module].values.get(variable, ()) if module else ()
        if len(bindings) == 1:
            return Term("global", qualified, (self._binding(FunctionId(module, 0), bindings[0], depth + 1),))
        return Term("global", qualified) if qualified else UNKNOWN

    def _own_attribute(self, identity: FunctionId, root: Name, attribute: str) -> Term | None:
        """`self.attribute` as the attribute of the class that owns it, or what its property returns."""
        if attribute.startswith("["):
            return None
        program = self._view.program
        owner = receiver_class(self._view, identity, root)
        if owner is None:
            return None
        getter = program.property_getter(owner, attribute)
        if getter is not None:
            return self._helper(getter, {}, 0)
        return Term("attribute", f"{attribute_owner(self._view, owner, attribute)}.{attribute}")

    def _fields(self, identity: FunctionId, at: int, base: Term, path: AccessPath, start: int, depth: int) -> Term:
        for index in range(start, len(path.steps)):
            step = path.steps[index]
            prefix = AccessPath(path.root, path.steps[:index])
            base = self._field(identity, at, base, prefix, step, depth)
        return base

    def _field(self, identity: FunctionId, at: int, base: Term, prefix: AccessPath, step: str, depth: int) -> Term:
        if step.startswith("["):
            return Term("join", parts=(base, UNKNOWN)) if base != UNKNOWN else UNKNOWN
        for kind in self._view.types(identity, at, prefix):
            getter = self._view.program.property_getter(kind, step)
            if getter is not None:
                return _of_a_new(base, self._helper(getter, {}, depth))
            for effect in self._view.models.effects(f"{kind}.{step}"):
                if effect.does == "outer-place":
                    return Term("parent", parts=(base,))
                if effect.does == "same-place":
                    return base
            if self._view.program.class_(kind) is not None:
                return Term("field", f"{attribute_owner(self._view, kind, step)}.{step}", (base,))
        if base == UNKNOWN:
            return UNKNOWN
        return Term("field", f"?.{step}", (base,)) if base.kind == "param" else Term("join", parts=(base, Term("constant", step)))

    def _result(self, identity: FunctionId, event: int, depth: int) -> Term:
        it = self._view.event(identity, event)
        if it.kind == "read" and it.path is not None:
            return self.of_path(identity, event, it.path, depth)
        if it.kind == "suspend" and it.note == "await" and it.value is not None:
            return self.term(identity, event, it.value, depth + 1)
        if it.kind == "call":
            return self._call(identity, event, depth)
        if it.kind == "iterate" and it.value is not None:
            return self._element(identity, event, it.value, depth + 1)
        if it.kind == "enter" and it.value is not None and isinstance(it.value, Result):
            made = self._view.does(identity, it.value.event, "fresh")
            if made is not None and made.name != "builtins.object":
                return FRESH
            entered = self._view.call_graph.callees(identity, event).functions
            return self._helper(entered[0], {}, depth) if len(entered) == 1 else UNKNOWN
        return UNKNOWN

    def _call(self, identity: FunctionId, event: int, depth: int) -> Term:
        for modelled in self._view.modelled(identity, event):
            does = modelled.effect.does
            if does == "fresh" and modelled.name != "builtins.object":
                return FRESH
            if does in _ALGEBRA:
                return self._algebra(identity, event, does, modelled.effect.target, depth)
        for call in self._view.calls(identity, event):
            if len(call.functions) != 1:
                continue
            target = call.functions[0]
            actuals = self._view.bound(call, target)
            terms = {name: self.term(identity, event, value, depth + 1) for name, value in actuals.items()}
            return self._helper(target, terms, depth)
        if self._computes_with_fresh(identity, event, depth):
            return FRESH
        return self._listed(identity, event, depth)          # `max(paths)`: one of those that are listed

    def _element(self, identity: FunctionId, at: int, value: Value, depth: int) -> Term:
        """The place that any element of a listing of places names."""
        if not self._terms.reaches(depth, MAX_DEPTH):
            return UNKNOWN
        if isinstance(value, Name) and value.scope == "local":
            reaching = [d for d in self._view.definitions(identity).definitions(at, value.name) if 0 <= d < at]
            bound = self._view.event(identity, max(reaching)).value if reaching else None
            return UNKNOWN if bound is None else self._element(identity, max(reaching), bound, depth + 1)
        if isinstance(value, Compound) and value.operator.startswith("comprehension") and isinstance(value.parts[0], Name):
            return self._element(identity, at, value.parts[1], depth + 1)
        if isinstance(value, Result) and self._view.event(identity, value.event).kind == "call":
            return self._listed(identity, value.event, depth)
        return UNKNOWN

    def _listed(self, identity: FunctionId, event: int, depth: int) -> Term:
        """The places that a library call lists, or those of its first argument in another order."""
        listing = self._view.does(identity, event, "lists")
        if listing is None:
            arguments = self._view.event(identity, event).arguments
            computes = arguments and any(m.effect.does in _COMPUTED for m in self._view.modelled(identity, event))
            return self._element(identity, event, arguments[0].value, depth + 1) if computes else UNKNOWN
        names, folder = (
            UNKNOWN if what is None else self.of_path(identity, event, what, depth + 1) if isinstance(what, AccessPath)
            else self.term(identity, event, what, depth + 1)
            for what in (listing.content if listing.effect.content else None, listing.target if listing.effect.target else None)
        )
        if not listing.effect.target:
            return names
        return UNKNOWN if folder == UNKNOWN else Term("join", parts=(folder, names))

    def _computes_with_fresh(self, identity: FunctionId, event: int, depth: int) -> bool:
        """Whether a library call (or a class without `__init__`) makes its result of a name that nobody else has."""
        if any(modelled.effect.does not in _COMPUTED for modelled in self._view.modelled(identity, event)):
            return False
        for call in self._view.calls(identity, event):
            if call.functions:
                continue
            if call.receiver is not None and is_fresh(self.of_path(identity, event, call.receiver, depth + 1)):
                return True
            if any(is_fresh(self.term(identity, event, a.value, depth + 1)) for a in call.arguments):
                return True
        return False

    def _algebra(self, identity: FunctionId, event: int, does: str, target: str, depth: int) -> Term:
        """Path algebra: the pieces are the receiver (if the model says so) and the positional arguments."""
        call = self._view.calls(identity, event)[0]
        pieces: list[Term] = []
        if target == "self" and call.receiver is not None:
            pieces.append(self.of_path(identity, event, call.receiver, depth + 1))
        pieces += [self.term(identity, event, a.value, depth + 1) for a in call.arguments if not a.keyword]
        if not pieces:
            return UNKNOWN
        if does == "same-place":
            return pieces[0] if len(pieces) == 1 or target == "self" else Term("join", parts=tuple(pieces))
        if does == "inner-place":
            return Term("join", parts=tuple(pieces))
        if does == "sibling-place":
            return Term("sibling", parts=tuple(pieces[:2]))
        return Term("parent", parts=(pieces[0],))

    def _helper(self, target: FunctionId, actuals: Mapping[str, Term], depth: int) -> Term:
        if not self._terms.reaches(depth + HELPER_DEPTH, MAX_DEPTH):
            return UNKNOWN
        result = substitute(self._last_return(target, depth + HELPER_DEPTH), actuals)
        if result == UNKNOWN:
            return Term("helper", _qualified(self._view, target), (UNKNOWN, *actuals.values()))
        if result.kind in ("attribute", "global", "fresh", "param"):
            return result
        return Term("helper", _qualified(self._view, target), (result,))

    def _last_return(self, identity: FunctionId, depth: int) -> Term:
        """What a helper returns, in terms of its formals: the last return that names something."""
        function = self._view.function(identity)
        if function.kind in ("generator", "async-generator") or function.stub:
            return UNKNOWN
        for number in range(len(function.events) - 1, -1, -1):
            event = function.events[number]
            if event.kind == "return" and event.value is not None:
                term = self.term(identity, number, event.value, depth)
                if term != UNKNOWN and term.kind != "constant":
                    return term
        return UNKNOWN

    def _compound(self, identity: FunctionId, at: int, value: Compound, depth: int) -> Term:
        parts = [self.term(identity, at, part, depth + 1) for part in value.parts]
        if value.operator in ("/", "/="):
            return Term("join", parts=tuple(parts))
        if value.operator in ("+", "+=", "f-string", "%"):
            return Term("concat", parts=tuple(parts))
        if value.operator == "format":
            return parts[0] if parts else UNKNOWN
        if value.operator in ("or", "and"):
            return next((part for part in parts if part != UNKNOWN), UNKNOWN)
        if value.operator == "if":
            return next((part for part in parts[1:] if part != UNKNOWN), UNKNOWN)
        if any(part.kind == "fresh" for part in parts):
            return FRESH
        return UNKNOWN


def _of_a_new(owner: Term, place: Term) -> Term:
    """A place that an object tells: a new object's places are new too."""
    if not is_fresh(owner) or is_fresh(place):
        return place
    return Term("helper", place.name, (*(place.parts or (place,)), FRESH)) if place.kind == "helper" else Term("join", parts=(place, FRESH))


def _enclosing(index: int, identity: FunctionId) -> FunctionId | None:
    return FunctionId(identity.module, index) if index >= 0 else None


def _qualified(view: View, identity: FunctionId) -> str:
    return f"{identity.module}.{view.program.symbol(identity)}"
