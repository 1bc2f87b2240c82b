"""What the items of a suite blame on a simulated platform with a fault."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.runner.pytest_plugin.aims import Case


def blamed_with(topology: str, fault: str, cases: Iterable[Case]) -> set[str]:
    """Run items on a simulated platform with a fault, or with none; return the records that deviate."""
    recorder = Recorder(None)
    session = Session(Target.simulated(topology, *(("--fault", fault) if fault else ())), load(), recorder)
    try:
        for case in cases:
            if not session.applies(case.record):
                with contextlib.suppress(pytest.skip.Exception), session.example():
                    case.act(session)
    finally:
        session.close()
    return {record for deviation in recorder.deviations.values() for record in deviation.records}
