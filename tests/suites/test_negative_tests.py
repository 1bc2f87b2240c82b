"""Negative tests on a simulated platform of a version in which some of their calls are undefined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.selftest.trial import run_item
from clconform.spec_tables import load
from clconform.suites.errors.negative_tests import double_violation_cases, single_violation_cases

from ..sessions import InProcessSession  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.spec_tables import Tables


@pytest.mark.parametrize("cases_of", [single_violation_cases, double_violation_cases])
def test_negative_tests_skip_calls_that_are_undefined_in_version_1_0(
    cases_of: Callable[[Tables], Iterator[TableCase]],
) -> None:
    session, recorder = InProcessSession(Target.simulated("oldest"), load(), Recorder(None)), Recorder(None)
    session.observer = recorder
    requirements = 0
    for case in cases_of(load()):
        requirements += 1
        run_item(case, session)  # raises internal errors
    assert requirements > 200
    assert not recorder.deviations
    session.close()
