"""The order in which a fixpoint over a graph needs the fewest rounds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def postorder(roots: Iterable[T], following: Callable[[T], Iterable[T]]) -> dict[T, int]:
    """The nodes reached from the roots, each with its number: what it leads to comes first, cycles apart."""
    numbers: dict[T, int] = {}
    seen: set[T] = set()
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        path: list[tuple[T, Iterator[T]]] = [(root, iter(following(root)))]
        while path:
            node, rest = path[-1]
            for target in rest:
                if target not in seen:
                    seen.add(target)
                    path.append((target, iter(following(target))))
                    break
            else:
                path.pop()
                numbers[node] = len(numbers)
    return numbers
