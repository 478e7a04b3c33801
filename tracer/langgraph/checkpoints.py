"""Checkpoints: what runs load, what savers keep, and what callers change."""

from __future__ import annotations

from types import FrameType
from typing import Any

from .data import configurable, pending, text_id
from .frames import given, is_inner, loading, updated
from .known import Known


class Checkpoints:
    """Observes savers, and changes of the state from outside."""

    def __init__(self, known: Known) -> None:
        self._known = known

    def load_started(self, frame: FrameType) -> Any:
        loop = loading(frame)
        return self._known.loop(loop, frame) if loop is not None and not is_inner(frame) else None

    def load_ended(self, frame: FrameType, known: Any, result: Any) -> None:
        if known is None:
            return
        checkpoint = getattr(result, "checkpoint", None)
        rows = pending(getattr(result, "pending_writes", None))
        known.waits.update({(row["task"], row["ordinal"]): row["wait"] for row in rows if row["wait"]})
        self._known.recorder.emit(
            "checkpoint.load",
            **known.common,
            checkpoint=checkpoint["id"] if checkpoint is not None else None,
            digest=self._known.recorder.digest(checkpoint["channel_values"]) if checkpoint is not None else None,
            pending=rows,
        )

    def save_started(self, frame: FrameType) -> Any:
        return None if is_inner(frame) else True

    def save_ended(self, frame: FrameType, outermost: Any, result: Any) -> None:
        if outermost is None:
            return
        checkpoint, metadata = given(frame, "checkpoint", 1), given(frame, "metadata", 2) or {}
        conf = configurable(given(frame, "config", 0))
        self._known.recorder.emit(
            "checkpoint.save",
            **self._common_of(frame, conf, "_checkpointer_put_after_previous"),
            checkpoint=checkpoint["id"],
            parent=text_id(conf.get("checkpoint_id") or None),
            step=metadata.get("step"),
            source=metadata.get("source"),
            digest=self._known.recorder.digest(checkpoint.get("channel_values")),
            valid=None,
            detail=None,
        )

    def writes_started(self, frame: FrameType) -> Any:
        return None if is_inner(frame) else True

    def writes_ended(self, frame: FrameType, outermost: Any, result: Any) -> None:
        if outermost is None:
            return
        conf = configurable(given(frame, "config", 0))
        task = text_id(given(frame, "task_id", 2))
        self._known.recorder.emit(
            "writes.save",
            **self._common_of(frame, conf, "", task),
            checkpoint=text_id(conf.get("checkpoint_id") or None),
            task=task,
            channels=[channel for channel, _ in given(frame, "writes", 1) or ()],
        )

    def _common_of(
        self, frame: FrameType, conf: dict[str, Any], caller: str, task: str | None = None
    ) -> dict[str, Any]:
        """The common keys of what a saver does; the run where it can be told."""
        above = frame.f_back
        if caller and above is not None and above.f_code.co_name == caller:
            return self._known.loop(above.f_locals["self"]).common
        thread, namespace = text_id(conf.get("thread_id")), conf.get("checkpoint_ns") or ""
        store = self._known.stores.of(frame.f_locals.get("self"))
        graph = updated(frame)
        if graph is not None:
            return self._outside(graph, store, thread, namespace)
        fits = self._known.at((thread, namespace, store))
        live = [each for each in fits if not each.run.ended]
        if not live and fits:
            return fits[-1].common  # what the last run leaves to other threads comes after its end
        if len({each.run.id for each in live}) == 1:
            return live[0].common
        return self._outside(fits[0].common["graph"] if fits else None, store, thread, namespace)

    def _outside(self, graph: Any, store: str | None, thread: str | None, namespace: str) -> dict[str, Any]:
        """The common keys of what belongs to no run."""
        name = graph if graph is None or type(graph) is str else text_id(getattr(graph, "name", None))
        return {
            "framework": "langgraph",
            "store": store,
            "graph": name,
            "thread": thread,
            "namespace": namespace,
            "run": None,
        }

    def update_started(self, frame: FrameType) -> Any:
        above = frame.f_back
        return None if above is not None and above.f_code is frame.f_code else frame.f_locals.get("config")

    def update_ended(self, frame: FrameType, config: Any, result: Any) -> None:
        if config is None:
            return
        found = frame.f_locals
        conf, made = configurable(config), configurable(result)
        address = text_id(conf.get("checkpoint_id") or None)
        nodes = [text_id(getattr(each, "as_node", None)) for step in found.get("supersteps") or () for each in step]
        self._known.recorder.emit(
            "state.update",
            framework="langgraph",
            store=self._known.stores.of(getattr(found.get("self"), "checkpointer", None)),
            graph=text_id(getattr(found.get("self"), "name", None)),
            thread=text_id(conf.get("thread_id")),
            namespace=conf.get("checkpoint_ns") or "",
            run=None,
            address=address,
            result=text_id(made.get("checkpoint_id")),
            as_node=nodes[0] if nodes else None,
            explicit=address is not None,
        )

    aupdate_started = update_started
    aupdate_ended = update_ended
