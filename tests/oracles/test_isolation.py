"""A mark that one process writes to memory, and the reads for which the mark is a deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import Data, OutputBuffer
from clconform.oracles.chapters.isolation.postconditions import MARK, PROCESS_ISOLATION, check_isolation
from clconform.oracles.model.state import Model
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Mismatch

FILL = Call("clEnqueueFillBuffer", {"pattern": Data(MARK)})
CLEAN, DIRTY = bytes(64), bytes(20) + MARK + bytes(28)


def check_read(raw: bytes, there: Model) -> tuple[list[Mismatch], set[str]]:
    """Return the mismatches of a read of these bytes, and the requirements that it covers."""
    outcome = Returned(0, {"ptr": Output([], len(raw), raw)})
    return check_isolation(Call("clEnqueueReadBuffer", {"ptr": OutputBuffer(64)}), outcome, "CL_SUCCESS", there)


def create_model(*, marked: bool, before: bool) -> Model:
    made = Model(load())
    made.has_marker, made.had_marker_before = marked, before
    return made


def test_mark_of_an_earlier_process_in_new_memory_is_a_mismatch() -> None:
    complaints, fulfilled = check_read(DIRTY, create_model(marked=False, before=True))
    assert [complaint.requirement for complaint in complaints] == [PROCESS_ISOLATION]
    assert fulfilled == set()


def test_bytes_without_mark_cover_the_isolation_requirement() -> None:
    assert check_read(CLEAN, create_model(marked=False, before=True)) == ([], {PROCESS_ISOLATION})


@pytest.mark.parametrize(("marked", "before"), [(True, True), (True, False), (False, False)])
def test_mark_that_this_process_may_have_written_is_ignored(*, marked: bool, before: bool) -> None:
    assert check_read(DIRTY, create_model(marked=marked, before=before)) == ([], set())


def test_model_records_a_call_that_writes_the_mark() -> None:
    fresh = create_model(marked=False, before=False)
    check_read(CLEAN, fresh)
    assert not fresh.has_marker
    check_isolation(FILL, Returned(0), "CL_SUCCESS", fresh)
    assert fresh.has_marker
