"""What calls do with made-up values: sources, waits that show them, effects that take them, helpers that pass them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .bindings import skips_self
from .calling import bind_arguments
from .calls import handed, receiver_and_verb, targets
from .changed_globals import changed_at
from .facts import FILLERS, MERGERS, last_name
from .guards import is_safe
from .order import Order
from .postorder import postorder
from .summary import Attr, Call, Expr
from .taint_walk import Walk
from .taints import LONGEST_WAY, NONE, Env, Kind, Origin, Sink, Taint, Taints, Walked, cross, few, named, put_in, union
from .unstable_sources import Sources
from .values import FunctionId


@dataclass
class Tainting:
    """Walks functions, each once; parameters are followed as what callers may give.

    ``deciding``: what is looked for are branches that decide about waits, recorded steps and effects when a body is
    recovered, whenever that is. Then what the process keeps counts as a source, and elapsed times do.
    """

    order: Order
    sources: Sources
    deciding: bool = False
    _walked: dict[FunctionId, Walked] = field(default_factory=dict)
    _numbers: dict[FunctionId, dict[int, int]] = field(default_factory=dict)
    _acting: dict[FunctionId, list[Call]] = field(default_factory=dict)

    def prepare(self, functions: Iterable[FunctionId]) -> None:
        """Walk functions and all they call, those that are called first; a call back in a cycle gives nothing."""
        outlines = self.order.outlines
        wanted = self.order.closure(functions)

        def called(function: FunctionId) -> list[FunctionId]:
            return sorted(t for t in outlines[function].called if t in wanted)

        ranks = postorder(sorted(wanted), called)
        for function in sorted(wanted, key=ranks.__getitem__):
            head = self.order.resolver.project.function(function[:2])
            if head is not None:
                walk = Walk(self, function)
                env: Env = {param.name: frozenset({Taint(None, param.name)}) for param in head.params}
                walk.block(self.order.resolver.project.body(function[:2]), env)
                self._walked[function] = _settled(walk.walked)

    def walked(self, function: FunctionId) -> Walked:
        """What the function does; nothing for one that was not walked yet."""
        return self._walked.get(function) or Walked()

    def number(self, function: FunctionId, call: Call) -> int | None:
        """The first node of a call in its function's graph."""
        if function not in self._numbers:
            flow = self.order.outlines[function].flow
            pairs = reversed(list(enumerate(flow.calls)))
            self._numbers[function] = {id(found): number for number, found in pairs if found is not None}
        return self._numbers[function].get(id(call))

    def acting(self, function: FunctionId) -> list[Call]:
        """The calls of a function that may fire an effect, by place."""
        if function not in self._acting:
            calls = self.order.outlines[function].flow.calls
            found = {
                id(call): call for number, call in enumerate(calls) if call is not None and self._acts(function, number)
            }
            self._acting[function] = sorted(found.values(), key=lambda call: (call.line, call.column))
        return self._acting[function]

    def _acts(self, function: FunctionId, number: int) -> bool:
        if self.order.fired_at(function, number)[0] or self._records(function, number):
            return True
        if not self.deciding:
            return False
        outlined = self.order.outlines[function]
        if outlined.recorded[number] or self.order.waits_at(function, number):
            return True
        return any(map(self._steps, outlined.callees[number]))

    def _steps(self, function: FunctionId) -> bool:
        """Whether a function calls recorded steps."""
        inside = self.order.closure([function])
        return any(any(self.order.outlines[each].recorded) for each in inside)

    def kept(self, name: str, function: FunctionId) -> Taints:
        """What a name comes from that the process keeps: its environment, or a global that functions change."""
        if not self.deciding or function not in self.order.outlines:
            return NONE
        resolver = self.order.resolver
        named_so = name.rpartition(".")[2] == "environ" and ("ext", "os.environ") in resolver.of(name, function)
        kind: Kind = "environment" if named_so else "memory"
        if not named_so and changed_at(resolver.project, name.partition(".")[0], function) is None:
            return NONE
        return frozenset({Taint(Origin(function, 0, 0, 0, 0, kind, named_so, name))})

    def _records(self, function: FunctionId, number: int) -> bool:
        """Whether a node runs a recorded step that acts."""
        recorded = self.order.outlines[function].recorded[number]
        return any(self.order.reach[target].exit for target in recorded if target in self.order.reach)

    # calls

    def call(self, walk: Walk, call: Call, env: Env) -> Taints:
        """What a call gives, with all that it does to what it is given."""
        function = walk.function
        base = self._receiver(walk, call.func, env)
        given = {id(item): walk.expr(item, env) for item in call.args}
        given.update({id(value): named(walk.expr(value, env), name) for name, value in call.kwargs})
        every = union(given.values())
        number = self.number(function, call)
        if number is None:
            return base | every
        outlined = self.order.outlines[function]
        if self.order.wait_of(function, number) is not None:
            self._show(walk, every, (function, call))
            cross(env)
            return NONE
        effect = self.order.effect_of(function, number)
        if effect is not None or self._records(function, number):
            for taint in sorted(every, key=repr):
                self._take(walk, Sink("effect", taint, function, call.line, call))
        result = NONE
        for target in outlined.callees[number]:
            result |= self._into(walk, target, call, base, given)
        guards = outlined.flow.guards[number]
        if result and guards and is_safe(self.order.resolver, guards, function):
            result = NONE
        if self.order.waits_at(function, number):
            cross(env)
        origin = self._origin(call, function, number, effect is not None)
        if origin is not None:
            return result | {Taint(origin)}
        self._fill(walk, call, every, env)
        if outlined.graphs[number] or outlined.recorded[number]:
            return result
        if outlined.callees[number] and not last_name(call.func)[:1].isupper():
            return result
        if self.deciding and isinstance(call.func, str) and "." in call.func:
            base |= self.kept(call.func.rpartition(".")[0], function)
        return result | base | (every if every and self._passes(call, function) else NONE)

    def _receiver(self, walk: Walk, func: Expr, env: Env) -> Taints:
        if isinstance(func, str):
            return walk.name(func.rpartition(".")[0], env)
        return walk.expr(func.base, env) if isinstance(func, Attr) else walk.expr(func, env)

    def _passes(self, call: Call, function: FunctionId) -> bool:
        """Whether an outside call's result holds what it was given."""
        last = last_name(call.func)
        words = self.order.resolver.knowledge.table("passing", "names")
        if last[:1].isupper() or last in words:
            return True
        outside = targets(self.order.resolver, call, function).outside
        dropping = self.order.resolver.knowledge.table("passing", "drops")
        return any(name.startswith("builtins.") for name in outside) and last not in dropping

    def _fill(self, walk: Walk, call: Call, every: Taints, env: Env) -> None:
        verb = last_name(call.func)
        if verb in FILLERS or verb in MERGERS:
            walk.put(call.func.rpartition(".")[0] if isinstance(call.func, str) else call.func, every, env)

    def _show(self, walk: Walk, taints: Taints, place: tuple[FunctionId, Call]) -> None:
        for taint in sorted(taints, key=repr):
            if not taint.crossed:
                walk.walked.shown.add(taint)
                walk.walked.places.setdefault(taint, place)

    def _take(self, walk: Walk, sink: Sink) -> None:
        """A use: one behind a wait, one that depends on the caller, or one that the world has seen before."""
        if sink.taint.crossed or sink.taint.origin is None:
            walk.note(sink)
        elif sink.use == "effect":
            walk.walked.acted.add(sink.taint)

    def _into(self, walk: Walk, target: FunctionId, call: Call, base: Taints, given: dict[int, Taints]) -> Taints:
        """What a function of the project does with what this call gives it."""
        head = self.order.resolver.project.function(target[:2])
        if head is None:
            return NONE
        found = self.walked(target)
        plain = last_name(call.func) == head.name
        real = call if plain else handed(self.order.resolver, call, walk.function) or call
        params = {
            param.name: union(
                given.get(id(item), NONE) for item in bind_arguments(head, real, param.name, skips_self(head))
            )
            for param in head.params
        }
        if head.params and skips_self(head):
            params[head.params[0].name] = base
        spread = [param.name for param in head.params if param.kind == "**"]
        for name in spread:
            params[name] = union(given.get(id(value), NONE) for key, value in call.kwargs if key not in params)
        if not any(params.values()):
            return put_in(found.returned, {})
        link = (walk.function, call)
        made = any(taint.origin is not None for taints in params.values() for taint in taints)
        for sink in found.sinks if made or not walk.is_full else ():
            if sink.use != "result" and sink.taint.origin is None and len(sink.way) < LONGEST_WAY:
                for taint in sorted(put_in(frozenset({sink.taint}), params), key=repr):
                    way = (link, *sink.way)
                    self._take(walk, Sink(sink.use, taint, sink.function, sink.line, sink.call, sink.key, way))
        for shown in sorted(found.shown, key=repr):
            if shown.origin is None:
                self._show(walk, params.get(shown.param, NONE), found.places[shown])
        return put_in(found.returned, params)

    # sources

    def _origin(self, call: Call, function: FunctionId, number: int, acts: bool) -> Origin | None:
        """Where the value of a call is made up, unless it is looked up first whether it was made before."""
        outlined = self.order.outlines[function]
        if outlined.callees[number] or outlined.graphs[number] or outlined.recorded[number]:
            return None
        at = (function, call.line, call.column, call.end_line, call.end_column)
        guards = outlined.flow.guards[number]
        found = self.sources.of_call(call, function, acts)
        if found is None or found.kind not in ("clock", "random", "model"):
            return Origin(*at, "environment") if self._reads_environment(call, function) else None
        if found.kind == "model" and not found.certain and self._is_tool(call):
            return None
        if guards and is_safe(self.order.resolver, guards, function):
            return None
        return Origin(*at, found.kind, found.certain)

    def _is_tool(self, call: Call) -> bool:
        receiver = receiver_and_verb(call.func)[0].lower()
        return any(word in receiver for word in self.order.resolver.knowledge.table("passing", "tools"))

    def _reads_environment(self, call: Call, function: FunctionId) -> bool:
        known = self.order.resolver.knowledge.table("passing", "environment")
        if last_name(call.func) not in {name.rpartition(".")[2] for name in known}:
            return False
        return not set(known).isdisjoint(targets(self.order.resolver, call, function).outside)


def _settled(walked: Walked) -> Walked:
    walked.returned = few(walked.returned)
    walked.shown = set(few(frozenset(walked.shown)))
    return walked
