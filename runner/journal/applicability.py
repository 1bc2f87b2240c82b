"""Facts about requirements before any call: which do not apply, which cannot be tested, and their conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.spec_tables.records import ErrorClause, UsageRule

if TYPE_CHECKING:
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables

NOTHING_SCARCE = "no call exhausts the resources of a driver reliably without harm to the machine"
NEVER_SENT = "the behaviour is undefined, so such a call is never sent"


def applicability(session: Session) -> tuple[dict[str, str], dict[str, str]]:
    """Return the requirements that do not apply, with the condition, and the untestable ones, with the reason.

    Requirements about partition schemes, affinity domains or sizes that the device lacks do not apply either.
    """
    gates = session.base.not_applicable(session.tables)
    device = session.model.device(session.device)
    lacking = session.rulebook.lacking(device, session.model)
    return {**lacking, **gates}, untestable_in(session.tables, session.rulebook)


def untestable_in(tables: Tables, rulebook: Rulebook) -> dict[str, str]:
    """Return the requirements that calls cannot exercise on any platform, each with the reason."""
    untestable, reasons = {}, rulebook.untestable
    for record in tables.records.values():
        if isinstance(record, ErrorClause) and record.condition.kind in ABOUT_RESOURCES:
            untestable[record.id] = NOTHING_SCARCE
        elif isinstance(record, UsageRule):
            untestable[record.id] = NEVER_SENT
        elif record.id in reasons:
            untestable[record.id] = reasons[record.id]
    return untestable


def words_of(tables: Tables, rulebook: Rulebook) -> dict[str, str]:
    """Return the condition of each requirement that has one, as text."""
    return {record: text for record in tables.records if (text := rulebook.words_of(record))}
