"""Sections 5.5 and 5.6 on simulated platforms: every record is put to the test on one of them, or has a reason."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from clconform.reports import load_result

from ..left_open import judged  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

PLATFORMS = ("full-2.2", "shared-apart", "single", "interfaces")
"""All that can be shared, devices that differ in it, nothing shared, and objects of other interfaces."""
SECTIONS = ("5.5.1", "5.5.2", "5.5.3", "5.5.4", "5.5.5", "5.5.10", "5.5.11", "5.5.12", "5.5.13", "5.6")
"""What objects answer about themselves is the queries' part."""


@pytest.mark.usefixtures("whole_runs")
def test_every_record_is_put_to_the_test_or_has_a_reason(whole_out: Path) -> None:
    statuses: dict[str, set[str]] = defaultdict(set)
    for name in PLATFORMS:
        for record in load_result(whole_out / name / "result.json").records:
            number = next(iter(record.section.split()), "")
            if record.document == "OpenCL" and f"{number}.".startswith(tuple(f"{each}." for each in SECTIONS)):
                statuses[record.id].add(record.status)
    missed = {name for name, seen in judged(statuses).items() if not seen & {"conforms", "untestable"}}
    assert len(statuses) > 200
    assert missed == set()
