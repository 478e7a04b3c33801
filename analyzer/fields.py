"""Classes of the project: their bases, subclasses and attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .lower import MODULE
from .project import FunctionKey
from .solver import Value
from .summary import Item, Star, Write

if TYPE_CHECKING:
    from .values import Resolver


# fields of project classes


def classes(resolver: Resolver, key: FunctionKey) -> list[FunctionKey]:
    """A class, its bases in the project, and its subclasses."""
    return [*ancestors(resolver, key), *descendants(resolver, key)]


def ancestors(resolver: Resolver, key: FunctionKey) -> list[FunctionKey]:
    """The class and its bases in the project, nearest first."""
    found = [key]
    for current in found:
        bases = resolver.solver.read(("bases", *current))
        for _, path, qualname in sorted(base[1:] for base in bases if base[0] == "cls"):
            if (path, qualname) not in found:
                found.append((path, qualname))
    return found


def outside_bases(resolver: Resolver, key: FunctionKey) -> list[str]:
    """The canonical names of the bases outside the project."""
    found: list[str] = []
    for current in ancestors(resolver, key):
        bases = resolver.solver.read(("bases", *current))
        found.extend(name for _, name in sorted(base[1:] for base in bases if base[0] == "ext") if name not in found)
    return found


def descendants(resolver: Resolver, key: FunctionKey) -> list[FunctionKey]:
    """Subclasses in the files summarised so far."""
    found: set[FunctionKey] = set()
    todo = [key]
    while todo:
        for path, qualname in resolver.solver.read(("subs", *todo.pop())):
            if (path, qualname) != key and (path, qualname) not in found:
                found.add((path, qualname))
                todo.append((path, qualname))
    return sorted(found)


def bases(resolver: Resolver, path: str, qualname: str) -> Iterator[Value]:
    """The bases of a class, numbered: ("cls", number, path, qualname) or ("ext", number, name)."""
    item = resolver.project.class_((path, qualname))
    owner = (path, item.parent if item is not None and item.parent else MODULE, "")
    for number, base in enumerate(item.bases if item is not None else ()):
        for value in resolver.eval(base.base if isinstance(base, Item) else base, owner):
            if value[0] == "cls" and value[1:3] != (path, qualname):
                yield ("cls", number, value[1], value[2])
            elif value[0] == "ext":
                yield ("ext", number, value[1])


def subclasses(resolver: Resolver, path: str, qualname: str) -> Iterator[Value]:
    """The classes that name a class as a base."""
    item = resolver.project.class_((path, qualname))
    name = item.name if item is not None else ""
    for alias in sorted({name} | resolver.project.aliases.get(name, set())):
        resolver.solver.read(("subclasses", alias))
        for other in resolver.project.subclasses.get(alias, ()):
            if any(
                base[0] == "cls" and base[2:] == (path, qualname) for base in resolver.solver.read(("bases", *other))
            ):
                yield other


def field(resolver: Resolver, path: str, qualname: str, name: str) -> Iterator[Value]:
    family = classes(resolver, (path, qualname))
    for key in family:
        item = resolver.project.class_(key)
        for attribute_name, annotation, value in item.attributes if item else ():
            if attribute_name == name:
                owner = (key[0], key[1], "")
                yield from resolver.annotated(annotation, owner)
                yield from resolver.eval(value, owner)
    yield from _written(resolver, family, name, False)
    if any(_is_own(resolver, family, file, write) for file, write in _writes(resolver, name) if write.content):
        yield ("ffill", path, qualname, name)


def _writes(resolver: Resolver, name: str) -> list[tuple[str, Write]]:
    resolver.solver.read(("writes", name))
    return resolver.project.attribute_writes.get(name, [])


def _is_own(resolver: Resolver, family: list[FunctionKey], path: str, write: Write) -> bool:
    function = resolver.project.function((path, write.function))
    base = write.base
    while function is not None and not function.owner and function.parent:
        function = resolver.project.function((path, function.parent))
    if function is not None and function.owner and function.params and base == function.params[0].name:
        return (path, function.owner) in family
    return False


def _written(resolver: Resolver, family: list[FunctionKey], name: str, content: bool) -> Iterator[Value]:
    for path, write in _writes(resolver, name):
        if write.content is not content:
            continue
        where = (path, write.function, "")
        own = _is_own(resolver, family, path, write)
        if not own:
            receivers = resolver.eval(write.base, where)
            own = any(value[0] in ("obj", "cls") and value[1:3] in family for value in receivers)
        if own:
            value = write.value
            found = resolver.eval(value, where)
            yield from resolver.inside(found) if isinstance(value, Star) else found


def field_fills(resolver: Resolver, path: str, qualname: str, name: str) -> Iterator[Value]:
    yield from _written(resolver, classes(resolver, (path, qualname)), name, True)
