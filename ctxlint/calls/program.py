"""All modules together: functions, classes, and how classes relate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from ctxlint.calls.hierarchy import linearise
from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.names import resolve_name, split
from ctxlint.calls.scopes import Scope, is_accessor, is_overload, scope_of
from ctxlint.calls.standard import standard_name
from ctxlint.ir.function import Function
from ctxlint.ir.module import Class, Module
from ctxlint.ir.value import Closure

__all__ = ["ClassId", "ClassInfo", "FunctionId", "LinkedModule", "Program", "link"]

IMPLEMENTERS = 8
"""More implementers than this say nothing about which one a call reaches."""

PROTOCOLS = frozenset({"typing.Protocol"})
ABSTRACT_DECORATORS = frozenset(
    {"abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod"}
)
UNINFORMATIVE_BASES = PROTOCOLS | {
    "abc.ABC",
    "builtins.object",
    "typing.Generic",
}
"""Bases that bring no behaviour with them."""


class LinkedModule(msgspec.Struct, frozen=True):
    """A lowered file with what the linker knows about it: its dotted name, its path, whether it is an `__init__`."""

    name: str
    path: str
    is_package: bool
    ir: Module


class ClassInfo(msgspec.Struct, frozen=True):
    """A class of the program.

    `bases` and `mro` hold canonical names, those of classes outside the program included. `subclasses` are all of the
    program, direct or not, in the program's order.
    """

    id: ClassId
    module: str
    ir: Class
    bases: tuple[str, ...]
    mro: tuple[str, ...]
    subclasses: tuple[ClassId, ...]


class _Methods(msgspec.Struct, frozen=True):
    """The functions of one class body by name: what a call or a read reaches, and the property setters."""

    plain: dict[str, FunctionId]
    setters: dict[str, FunctionId]


class Program:
    """Linked modules. Made by `link`; never changes, except that it remembers names it has resolved."""

    def __init__(self, modules: Mapping[str, LinkedModule]) -> None:
        self.modules = dict(sorted(modules.items()))
        functions = {
            FunctionId(name, index): function
            for name, module in self.modules.items() for index, function in enumerate(module.ir.functions)
        }
        self._functions = tuple(functions)
        # Asked a million times in a run: a dictionary's own method answers twice as fast as one that looks into it.
        self.function: Callable[[FunctionId], Function] = functions.__getitem__
        """The function's IR."""
        self.scopes: dict[str, Scope] = {m.name: scope_of(m.name, m.is_package, m.ir) for m in self.modules.values()}
        self.canonical_names: dict[str, str] = {}
        self._methods: dict[ClassId, _Methods] = {}
        self._abstract: dict[ClassId, bool] = {}
        self._implementers: dict[ClassId, tuple[ClassId, ...]] = {}
        self._definers: dict[str, list[ClassId]] = {}
        self._classes = self._link_classes()

    def functions(self) -> Iterator[FunctionId]:
        """Every function, lambda, class body and module body, in the program's order."""
        return iter(self._functions)

    def functions_in(self, module: str) -> Iterator[FunctionId]:
        """Those of one module."""
        return (FunctionId(module, index) for index in range(len(self.modules[module].ir.functions)))

    def function_at(self, module: str, index: int) -> Function:
        """The function with that index of a module."""
        return self.modules[module].ir.functions[index]

    def path(self, id: FunctionId) -> str:
        """The file it stands in."""
        return self.modules[id.module].path

    def symbol(self, id: FunctionId) -> str:
        """Its qualified name within its module."""
        return self.function(id).qualname

    def classes(self) -> Iterator[ClassId]:
        """Every class, in the program's order."""
        return iter(self._classes)

    def class_(self, id: ClassId) -> ClassInfo | None:
        """The class of that canonical name, or None when the program does not define it."""
        return self._classes.get(id)

    def named_function(self, qualified: str) -> FunctionId | None:
        """The function of that canonical name; for `module.Class.name` the method, inherited ones included."""
        module, rest = split(self, qualified)
        if not module or not rest:
            return None
        index = self.scopes[module].functions.get(rest)
        if index is not None:
            return FunctionId(module, index)
        owner, _, name = qualified.rpartition(".")
        return self.method(owner, name) if owner in self._classes else None

    def class_of_body(self, id: FunctionId) -> ClassId | None:
        """The class whose body this function is."""
        declared = self.scopes[id.module].bodies.get(id.index)
        return f"{id.module}.{declared.qualname}" if declared is not None else None

    def owner(self, id: FunctionId) -> ClassId | None:
        """The class in whose body the function is defined."""
        qualname = self.function(id).owner
        return f"{id.module}.{qualname}" if qualname else None

    def definition(self, id: FunctionId) -> tuple[FunctionId, int] | None:
        """The function in whose body the function is defined, and the event that does it there."""
        definer = FunctionId(id.module, self.function(id).enclosing)
        events = self.function(definer).events if definer.index >= 0 else ()
        wanted = Closure(id.index)
        return next(((definer, n) for n, event in enumerate(events) if event.kind == "define" and event.value == wanted), None)

    def method(self, class_id: ClassId, name: str) -> FunctionId | None:
        """The method that `instance.name` reaches, through the method resolution order."""
        info = self._classes.get(class_id)
        return self.first_method(info.mro, name) if info is not None else None

    def method_after(self, class_id: ClassId, name: str) -> FunctionId | None:
        """The method that `super().name` reaches in a method of the class."""
        info = self._classes.get(class_id)
        return self.first_method(info.mro[1:], name) if info is not None else None

    def first_method(self, order: tuple[str, ...], name: str) -> FunctionId | None:
        """The method of that name of the first class in `order` whose own body defines it."""
        for ancestor in order:
            methods = self._methods.get(ancestor)
            if methods is not None and name in methods.plain:
                return methods.plain[name]
        return None

    def own_method(self, class_id: ClassId, name: str) -> FunctionId | None:
        """The method only if the class's own body defines it."""
        methods = self._methods.get(class_id)
        return methods.plain.get(name) if methods is not None else None

    def overriders(self, class_id: ClassId, name: str) -> tuple[FunctionId, ...]:
        """The methods of that name which subclasses define."""
        info = self._classes.get(class_id)
        if info is None:
            return ()
        own = (self._methods[subclass].plain.get(name) for subclass in info.subclasses)
        return tuple(method for method in own if method is not None)

    def declared_fields(self, class_id: ClassId) -> list[str]:
        """The annotated fields of a class, those of its farthest ancestor first: what the constructor of a dataclass takes."""
        info = self._classes.get(class_id)
        declared = [self._classes[each] for each in reversed(info.mro) if each in self._classes] if info is not None else []
        return list(dict.fromkeys(field.name for each in declared for field in each.ir.fields if field.annotation))

    def external_bases(self, class_id: ClassId) -> tuple[str, ...]:
        """The ancestors outside the program that can bring behaviour, nearest first."""
        info = self._classes.get(class_id)
        if info is None:
            return ()
        return tuple(base for base in info.mro if base not in self._classes and base not in UNINFORMATIVE_BASES)

    def property_getter(self, class_id: ClassId, name: str) -> FunctionId | None:
        """The function that a read of the attribute calls, when it is a property."""
        method = self.method(class_id, name)
        return method if method is not None and is_property(self.function(method)) else None

    def property_setter(self, class_id: ClassId, name: str) -> FunctionId | None:
        """The function that a write of the attribute calls, when it is a property with a setter."""
        info = self._classes.get(class_id)
        for ancestor in info.mro if info is not None else ():
            methods = self._methods.get(ancestor)
            if methods is not None and name in methods.setters:
                return methods.setters[name]
        return None

    def is_protocol(self, class_id: ClassId) -> bool:
        """Whether the class statement itself says that the class is a Protocol."""
        info = self._classes.get(class_id)
        return info is not None and any(base in PROTOCOLS for base in info.bases)

    def is_abstract(self, class_id: ClassId) -> bool:
        """Whether some method that instances need is still abstract."""
        known = self._abstract.get(class_id)
        if known is None:
            known = self._abstract[class_id] = self._lacks_a_method(class_id)
        return known

    def _lacks_a_method(self, class_id: ClassId) -> bool:
        info = self._classes.get(class_id)
        if info is None:
            return False
        if self.is_protocol(class_id):
            return True
        seen: set[str] = set()
        for ancestor in info.mro:
            methods = self._methods.get(ancestor)
            for name, method in methods.plain.items() if methods is not None else ():
                if name not in seen and self.is_abstract_method(method):
                    return True
                seen.add(name)
        return False

    def is_abstract_method(self, id: FunctionId) -> bool:
        """Whether it only declares: marked abstract, a Protocol's stub, or a stub that raises."""
        function = self.function(id)
        if any(text.rpartition(".")[2] in ABSTRACT_DECORATORS for text in function.decorators):
            return True
        if not function.stub:
            return False
        owner = self.owner(id)
        return (owner is not None and self.is_protocol(owner)) or any(e.kind == "raise" for e in function.events)

    def implementers(self, class_id: ClassId) -> tuple[ClassId, ...]:
        """The concrete classes that stand for a Protocol or an abstract class: its subclasses, and for a Protocol every
        class with all its public methods. None when there are more than eight: then nothing is known.
        """
        known = self._implementers.get(class_id)
        if known is None:
            known = self._implementers[class_id] = self._find_implementers(class_id)
        return known

    def decorated_by(self, id: FunctionId) -> tuple[FunctionId, ...]:
        """The decorators of the function that the program defines, outermost first."""
        function = self.function(id)
        names = (resolve_name(self, id.module, function.enclosing, text) for text in function.decorators)
        found = (self.named_function(name) for name in names)
        return tuple(decorator for decorator in found if decorator is not None)

    def _link_classes(self) -> dict[ClassId, ClassInfo]:
        bases: dict[ClassId, tuple[str, ...]] = {}
        declared: dict[ClassId, tuple[str, Class]] = {}
        for module, scope in self.scopes.items():
            for qualname, ir in scope.classes.items():
                id = f"{module}.{qualname}"
                declared[id] = (module, ir)
                self._methods[id] = _methods_of(module, ir, self.modules[module].ir)
        for id, (module, ir) in declared.items():
            bases[id] = self._bases(module, ir)
        orders = linearise(bases)
        subclasses: dict[ClassId, list[ClassId]] = {id: [] for id in declared}
        for id in declared:
            for ancestor in orders[id][1:]:
                if ancestor in subclasses:
                    subclasses[ancestor].append(id)
        return {
            id: ClassInfo(id, module, ir, bases[id], orders[id], tuple(subclasses[id]))
            for id, (module, ir) in declared.items()
        }

    def _bases(self, module: str, ir: Class) -> tuple[str, ...]:
        enclosing = self.modules[module].ir.functions[ir.body].enclosing
        resolved = (resolve_name(self, module, enclosing, text) for text in ir.bases)
        return tuple(dict.fromkeys(standard_name(name) for name in resolved if name))

    def _find_implementers(self, class_id: ClassId) -> tuple[ClassId, ...]:
        info = self._classes.get(class_id)
        if info is None:
            return ()
        found = [sub for sub in info.subclasses if not self.is_abstract(sub)]
        if self.is_protocol(class_id):
            found += [id for id in self._structural_implementers(info) if id not in found]
        return tuple(found) if len(found) <= IMPLEMENTERS else ()

    def _structural_implementers(self, protocol: ClassInfo) -> list[ClassId]:
        """Classes with every public method of the protocol; the rarest method name bounds the search."""
        names = {
            name
            for ancestor in protocol.mro
            if ancestor in self._methods and self.is_protocol(ancestor)
            for name in self._methods[ancestor].plain
            if not name.startswith("_")
        }
        if not names:
            return []
        if not self._definers:
            for id, methods in self._methods.items():
                for name in methods.plain:
                    self._definers.setdefault(name, []).append(id)
        rarest = min(sorted(names), key=lambda name: len(self._definers.get(name, ())))
        family: dict[ClassId, None] = {}
        for definer in self._definers.get(rarest, ()):
            for id in (definer, *self._classes[definer].subclasses):
                family.setdefault(id)
        return [
            id
            for id in family
            if id != protocol.id
            and all(self.method(id, name) is not None for name in names)
            and not self.is_abstract(id)
        ]


def link(modules: Mapping[str, LinkedModule]) -> Program:
    """The program of these modules, keyed by dotted name."""
    return Program(modules)


def is_property(function: Function) -> bool:
    """Whether reading the attribute calls it: `@property`, `@cached_property` and their like, by their last name."""
    return any(text.rpartition(".")[2].lower().endswith("property") for text in function.decorators)


def _methods_of(module: str, ir: Class, lowered: Module) -> _Methods:
    """Of several methods of one name the last one stays; overloads never hide a real one, setters are kept apart."""
    plain: dict[str, FunctionId] = {}
    setters: dict[str, FunctionId] = {}
    for method in ir.methods:
        function = lowered.functions[method.function]
        id = FunctionId(module, method.function)
        if is_accessor(function):
            if function.decorators[-1].endswith(".setter") or any(d.endswith(".setter") for d in function.decorators):
                setters[method.name] = id
        elif method.name not in plain or not is_overload(function):
            plain[method.name] = id
    return _Methods(plain, setters)
