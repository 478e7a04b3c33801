"""The attribute of a value: methods through bases and overrides, fields, module members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from . import bindings, fields
from .project import FunctionKey
from .solver import Value
from .summary import Function

if TYPE_CHECKING:
    from .values import Resolver

_DEEPEST = 5
"""Attributes of attributes are followed so far."""
_PROPERTIES = {"property", "cached_property", "functools.cached_property"}


def attribute(resolver: Resolver, value: Value, name: str) -> Iterable[Value]:
    """What ``value.name`` may stand for."""
    kind = value[0]
    if kind == "obj":
        return _of_instance(resolver, (value[1], value[2]), name)
    if kind == "cls":
        return _of_class(resolver, (value[1], value[2]), name)
    if kind == "mod":
        return resolver.exported(name, value[1])
    if kind == "ext":
        full = f"{value[1]}.{name}"
        if not resolver.is_outside(full) and (path := resolver.project.modules.find(full, "")):
            return (("mod", path),)
        return (("ext", resolver.canonical(full)),)
    if kind == "inst":
        return (("meth", value[1], name, value[2]),)
    if kind == "meth":
        return _of_attribute(resolver, value, name)
    if kind in ("box", "fill", "ffill"):
        return (("bmeth", value, name),)
    if kind in ("fn", "bound"):
        if name in resolver.knowledge.table("invoked_by", "same"):
            return (("give", value),)
        return (value,) if name in resolver.knowledge.table("invoked_by", "methods") else ()
    if kind == "many":
        return (value,)
    if kind == "super":
        return _of_super(resolver, (value[1], value[2]), name)
    return ()


def _of_attribute(resolver: Resolver, value: Value, name: str) -> Iterator[Value]:
    """``client.messages.create``: an attribute of an attribute, as far as tables speak of it."""
    _, owner, attribute_name, origin = value
    full = f"{owner}.{attribute_name}"
    returned = resolver.effects.returns(full)
    if returned is not None:
        yield ("meth", returned, name, origin)
    elif full.count(".") - owner.count(".") <= _DEEPEST and resolver.effects.knows(f"{full}.{name}"):
        yield ("meth", owner, f"{attribute_name}.{name}", origin)


def method_of(resolver: Resolver, key: FunctionKey, name: str) -> FunctionKey | None:
    """The method a class has under a name: its own or that of its nearest base in the project."""
    for owner in fields.ancestors(resolver, key):
        item = resolver.project.class_(owner)
        if item is not None and name in item.methods:
            return (owner[0], item.methods[name])
    return None


def _of_instance(resolver: Resolver, key: FunctionKey, name: str) -> Iterator[Value]:
    found = method_of(resolver, key, name)
    methods = [found] if found else []
    for other in fields.descendants(resolver, key):
        item = resolver.project.class_(other)
        if item is not None and name in item.methods:
            methods.append((other[0], item.methods[name]))
    for method in methods:
        head = resolver.project.function(method)
        if head is None:
            continue
        if any(isinstance(d, str) and d in _PROPERTIES for d in head.decorators):
            yield from resolver.solver.read(("ret", *method, ""))
        else:
            yield from _bound(resolver, method, head)
    if not methods:
        yield from resolver.solver.read(("field", *key, name))
        for base in fields.outside_bases(resolver, key):
            yield ("meth", base, name, ())


def _bound(resolver: Resolver, method: FunctionKey, head: Function) -> Iterator[Value]:
    static = any(d == "staticmethod" for d in head.decorators)
    for value in bindings.defined(resolver, method, "", (method[0], head.parent, "")):
        yield value if static or value[0] != "fn" else ("bound", *value[1:])


def _of_class(resolver: Resolver, key: FunctionKey, name: str) -> Iterator[Value]:
    method = method_of(resolver, key, name)
    if method is not None:
        head = resolver.project.function(method)
        if head is not None and any(d == "classmethod" for d in head.decorators):
            yield ("bound", *method, "")
        else:
            yield ("fn", *method, "")
        return
    file = resolver.project.files[key[0]]
    for kind, inner in file.nested.get((key[1], name), ()):
        if kind == "cls":
            yield ("cls", key[0], inner)
    yield from resolver.solver.read(("field", *key, name))
    for base in fields.outside_bases(resolver, key):
        yield ("ext", f"{base}.{name}")


def _of_super(resolver: Resolver, key: FunctionKey, name: str) -> Iterator[Value]:
    for owner in fields.ancestors(resolver, key)[1:]:
        item = resolver.project.class_(owner)
        if item is not None and name in item.methods:
            yield ("bound", owner[0], item.methods[name], "")
            return
    for base in fields.outside_bases(resolver, key):
        yield ("meth", base, name, ())
