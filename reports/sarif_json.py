"""From sarif-om's objects to text.

Not by ``jschema_to_python``: it leaves out a level that is written but equals the default, by which the
rule's level wins, and its time grows with the square of the depth.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import attrs
import sarif_om as om

_SAID = {("Result", "level"), ("ReportingConfiguration", "level"), ("Notification", "level")}
"""Defaults that are written, since their absence means something else."""


Suppression: Any = attrs.make_class(
    "Suppression",
    {"status": attrs.field(default=None, metadata={"schema_property_name": "status"})},
    bases=(om.Suppression,),
)
"""With the final schema's ``status``, which sarif-om still calls ``state``."""


def dumps(log: om.SarifLog) -> str:
    """The log as compact JSON on one line."""
    return json.dumps(plain(log), ensure_ascii=False, separators=(",", ":")) + "\n"


def plain(value: Any) -> Any:
    """The tree as JSON data, without what is not set. Raises ``TypeError`` for what SARIF does not know."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    kind: Any = type(value)
    if not attrs.has(kind):
        raise TypeError(f"not a SARIF value: {value!r}")
    rows = _rows(kind)
    if strays := vars(value).keys() - {row[0] for row in rows}:
        raise TypeError(f"{kind.__name__} has no property {sorted(strays)}")
    data = {}
    for name, key, default, said in rows:
        item = getattr(value, name)
        if item is not None and (said or item != default):
            data[key] = plain(item)
    return data


@cache
def _rows(kind: type[Any]) -> tuple[tuple[str, str, Any, bool], ...]:
    """Attribute, property, default, and whether the default is written; ``$schema`` and ``version`` first."""
    rows = []
    for each in attrs.fields(kind):
        default = each.default.factory() if hasattr(each.default, "factory") else each.default
        rows.append((each.name, each.metadata["schema_property_name"], default, (kind.__name__, each.name) in _SAID))
    return tuple(sorted(rows, key=lambda row: (row[1] != "$schema", row[1] != "version")))
