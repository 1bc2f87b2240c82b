"""Coverage points of the requirement that errcode_ret of a creating function may be NULL.

A driver that fails because of NULL violates the function's postcondition; successful calls cover the requirement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.interop import takes_foreign_objects
from clconform.oracles.engine.rules import Rules
from clconform.spec_tables.requirements import Effect

if TYPE_CHECKING:
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()
TOPIC = "errcode-ret-may-be-null"


@rules.completion
def _declare_coverage(rules: Rules, tables: Tables) -> None:
    for requirement in tables.requirements.values():
        if isinstance(requirement, Effect) and requirement.topic == TOPIC:
            if takes_foreign_objects(tables.functions.get(requirement.function)):
                continue
            words = "Checked on successful calls with NULL as errcode_ret."
            rules.coverage_point(
                requirement.id, requirement.function, words, holds=_has_null_errcode, requires_success=True
            )


def _has_null_errcode(asked: CompletedCall) -> bool:
    return asked.call.arguments["errcode_ret"] is None
