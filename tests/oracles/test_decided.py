"""Each effect and error of chapter 3 and of 5.11 to 5.16 has a rule that tests it, or a reason why it has no rule.

``clconform coverage`` reports the requirements that runs cover.
"""

from __future__ import annotations

import pytest

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Effect, ErrorCondition

SECTIONS = ("3", "5.11", "5.12", "5.14", "5.15", "5.16")
SHARING = ("5.11.1.1", "5.11.1.2")
"""Sections about events of other APIs, which the suites do not create."""
ON_SEVERAL_QUEUES = ("multi-queue-", "host-time-")
"""Prefixes of the topics about command-buffers on several queues."""
KINDS = (Effect, ErrorCondition)


def records() -> list[str]:
    """Return the effects and errors, except those about other APIs and about command-buffers on several queues."""
    return [
        record.id
        for record in load().requirements.values()
        if isinstance(record, KINDS)
        and record.document == "OpenCL"
        and _within(record.section.number, SECTIONS)
        and not _within(record.section.number, SHARING)
        and not (isinstance(record, Effect) and record.topic.startswith(ON_SEVERAL_QUEUES))
    ]


def _within(number: str, sections: tuple[str, ...]) -> bool:
    return any(f"{number}.".startswith(f"{section}.") for section in sections)


@pytest.mark.parametrize("section", SECTIONS)
def test_there_are_records_in_every_section(section: str) -> None:
    tables = load()
    assert [each for each in records() if _within(tables.requirements[each].section.number, (section,))]


def test_every_record_has_a_rule_or_a_reason() -> None:
    rulebook = rulebook_of(load())
    assert [each for each in records() if not rulebook.words_of(each)] == []
