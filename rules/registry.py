"""Every rule there is, and how users name them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from ..contract import PROPERTIES
from .base import StaticRule
from .static.ra001_suppression_without_reason import SuppressionWithoutReason
from .static.ra002_unused_suppression import UnusedSuppression
from .static.ra101_effect_before_wait import EffectBeforeWait
from .static.ra102_effect_in_wait_loop import EffectInWaitLoop
from .static.ra103_effect_in_replayed_body import EffectInReplayedBody
from .static.ra104_effect_beside_waiting_tool import EffectBesideWaitingTool
from .static.ra105_cleanup_at_suspension import CleanupAtSuspension
from .static.ra201_resume_without_fork_discriminator import ResumeWithoutForkDiscriminator
from .static.ra202_redeliverable_resume import RedeliverableResume
from .static.ra203_unkeyed_answer import UnkeyedAnswer
from .static.ra204_recovery_by_input import RecoveryByInput
from .static.ra205_answer_discarded import AnswerDiscarded
from .static.ra206_resume_replaces_context import ResumeReplacesContext
from .static.ra208_inspection_consumes import InspectionConsumes
from .static.ra209_stale_answer_after_failure import StaleAnswerAfterFailure
from .static.ra301_wait_swallowed import WaitSwallowed
from .static.ra302_dead_interrupt_handler import DeadInterruptHandler
from .static.ra401_unstable_wait_order import UnstableWaitOrder
from .static.ra402_double_breakpoint import DoubleBreakpoint
from .static.ra501_nondeterminism_before_wait import NondeterminismBeforeWait
from .static.ra502_nondeterministic_recovery import NondeterministicRecovery
from .static.ra601_wait_without_checkpointer import WaitWithoutCheckpointer
from .static.ra602_volatile_persistence import VolatilePersistence
from .static.ra604_saver_misuse import SaverMisuse
from .static.ra702_unserialisable_state import UnserialisableState

STATIC: tuple[StaticRule, ...] = (
    SuppressionWithoutReason(),
    UnusedSuppression(),
    EffectBeforeWait(),
    EffectInWaitLoop(),
    EffectInReplayedBody(),
    EffectBesideWaitingTool(),
    CleanupAtSuspension(),
    ResumeWithoutForkDiscriminator(),
    RedeliverableResume(),
    UnkeyedAnswer(),
    RecoveryByInput(),
    AnswerDiscarded(),
    ResumeReplacesContext(),
    InspectionConsumes(),
    StaleAnswerAfterFailure(),
    WaitSwallowed(),
    DeadInterruptHandler(),
    UnstableWaitOrder(),
    DoubleBreakpoint(),
    NondeterminismBeforeWait(),
    NondeterministicRecovery(),
    WaitWithoutCheckpointer(),
    VolatilePersistence(),
    SaverMisuse(),
    UnserialisableState(),
)
"""The static rules, by id."""

_FAMILY = re.compile(r"RA\d{0,3}X*")
_NONE, _ALL, _PROPERTY, _NAMED = 0, 1, 2, 10


def is_own(rule: str) -> bool:
    """Whether the rule speaks of the audit itself (family 0) and not of the audited code."""
    return rule.startswith("RA0")


def family(rule: str) -> str:
    """The hazard class of a rule id: ``RA101`` is of ``RA1``."""
    return rule[:3]


def by_id(rule: str, rules: Iterable[StaticRule] = STATIC) -> StaticRule | None:
    """The rule of this id, if there is one."""
    return next((each for each in rules if each.id == rule), None)


def closeness(selector: str, rule: StaticRule) -> int:
    """How closely a selector names a rule: 0 not at all, an id or name closest.

    A selector is an id, a name, a family (``RA1``, ``RA1xx``, ``RA10x``), a property of the
    contract (``CO`` holds ``CO-c`` and ``CO-e``) or ``ALL``; upper or lower case.
    """
    selector = selector.strip().upper()
    if selector in ("ALL", "RA"):
        return _ALL
    if selector in (rule.id, rule.name.upper()):
        return _NAMED
    if any(selector in (each.upper(), each.partition("-")[0].upper()) for each in rule.properties):
        return _PROPERTY
    stem = selector.rstrip("X")
    if _FAMILY.fullmatch(selector) and rule.id.startswith(stem) and len(selector) <= len(rule.id):
        return len(stem)
    return _NONE


def matching(selector: str, rules: Sequence[StaticRule] = STATIC) -> tuple[StaticRule, ...]:
    """The rules that a selector names."""
    return tuple(rule for rule in rules if closeness(selector, rule))


def select(
    rules: Sequence[StaticRule], select: Iterable[str] = (), ignore: Iterable[str] = ()
) -> tuple[StaticRule, ...]:
    """The rules to run: those selected (none named: all) and not ignored, the closer selector winning.

    Raises ``ValueError`` for a selector that names no rule.
    """
    chosen, dropped = tuple(select), tuple(ignore)
    for selector in (*chosen, *dropped):
        if not matching(selector, rules):
            raise ValueError(unknown(selector, rules))
    if not chosen:
        chosen = ("ALL",)
    return tuple(
        rule
        for rule in rules
        if max(closeness(each, rule) for each in chosen)
        > max((closeness(each, rule) for each in dropped), default=_NONE)
    )


def unknown(selector: str, rules: Sequence[StaticRule] = STATIC) -> str:
    """What to say of a selector that names nothing."""
    meant = suggestion(selector, rules)
    hint = f"; did you mean {meant}?" if meant else "; `resume-audit rules` lists them"
    return f"no rule, family or property is called {selector.strip()!r}{hint}"


def suggestion(selector: str, rules: Sequence[StaticRule] = STATIC) -> str | None:
    """The name that is spelled most like it, if any is close."""
    wanted = selector.strip().casefold()
    names = {name.casefold(): name for rule in rules for name in (rule.id, rule.name)}
    names.update({f"{family(rule.id)}xx".casefold(): f"{family(rule.id)}xx" for rule in rules})
    names.update({name.casefold(): name for name in PROPERTIES})
    close = difflib.get_close_matches(wanted, sorted(names), n=1, cutoff=0.6)
    return names[close[0]] if close else None
