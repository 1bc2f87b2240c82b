"""Each effect and error of chapter 3 and of 5.11 to 5.16 has a rule that tests it, or a reason why it has no rule.

``clconform dev coverage`` reports the requirements that runs cover.
"""

from __future__ import annotations

import pytest

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Effect, ErrorCondition

SECTIONS = ("3", "5.11", "5.12", "5.14", "5.15", "5.16")
INTEROP_SECTIONS = ("5.11.1.1", "5.11.1.2")
"""Sections about events of other APIs, which the suites do not create."""
MULTI_QUEUE_TOPICS = ("multi-queue-", "host-time-")
"""Prefixes of the topics about command-buffers on several queues."""
REQUIREMENT_TYPES = (Effect, ErrorCondition)


def select_requirements() -> list[str]:
    """Return the effects and errors, except those about other APIs and about command-buffers on several queues."""
    return [
        requirement.id
        for requirement in load().requirements.values()
        if isinstance(requirement, REQUIREMENT_TYPES)
        and requirement.document == "OpenCL"
        and _is_in_section(requirement.section.number, SECTIONS)
        and not _is_in_section(requirement.section.number, INTEROP_SECTIONS)
        and not (isinstance(requirement, Effect) and requirement.topic.startswith(MULTI_QUEUE_TOPICS))
    ]


def _is_in_section(number: str, sections: tuple[str, ...]) -> bool:
    return any(f"{number}.".startswith(f"{section}.") for section in sections)


@pytest.mark.parametrize("section", SECTIONS)
def test_each_section_of_commands_has_selected_requirements(section: str) -> None:
    tables = load()
    assert [
        each for each in select_requirements() if _is_in_section(tables.requirements[each].section.number, (section,))
    ]


def test_each_selected_requirement_has_rule_or_reason() -> None:
    rulebook = rulebook_of(load())
    assert [each for each in select_requirements() if not rulebook.texts.words_of(each)] == []
