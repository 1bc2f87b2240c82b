"""Determines, before any call, which requirements do not apply and which are untestable, and lists condition texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.spec_tables.requirements import ErrorCondition, UsageRule

if TYPE_CHECKING:
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables

NO_RESOURCE_EXHAUSTION = "no call exhausts the resources of a driver reliably without harm to the machine"
UNDEFINED_BEHAVIOUR = "the behaviour is undefined, so such a call is never sent"


def find_inapplicable(session: Session) -> tuple[dict[str, str], dict[str, str]]:
    """Return two mappings: inapplicable requirements to their condition, and untestable requirements to the reason.

    Requirements about partition schemes, affinity domains or sizes that the device lacks do not apply either.
    """
    gates = session.base.find_inapplicable(session.tables)
    device = session.model.device(session.device)
    lacking = session.rulebook.missing_features(device, session.model)
    return {**lacking, **gates}, find_untestable(session.tables, session.rulebook)


def find_untestable(tables: Tables, rulebook: Rulebook) -> dict[str, str]:
    """Map each untestable requirement, which no call can exercise on any platform, to the reason."""
    untestable, reasons = {}, rulebook.untestable
    for requirement in tables.requirements.values():
        if isinstance(requirement, ErrorCondition) and requirement.condition.kind in ABOUT_RESOURCES:
            untestable[requirement.id] = NO_RESOURCE_EXHAUSTION
        elif isinstance(requirement, UsageRule):
            untestable[requirement.id] = UNDEFINED_BEHAVIOUR
        elif requirement.id in reasons:
            untestable[requirement.id] = reasons[requirement.id]
    return untestable


def condition_texts(tables: Tables, rulebook: Rulebook) -> dict[str, str]:
    """Map each requirement that has a condition text to this text."""
    return {requirement: text for requirement in tables.requirements if (text := rulebook.texts.words_of(requirement))}
