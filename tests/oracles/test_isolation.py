"""The mark that one process leaves in memory, and the reads in which it is a deviation."""

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


def shown(raw: bytes, there: Model) -> tuple[list[Mismatch], set[str]]:
    """Return the mismatches of a read of these bytes, and the requirements that it covers."""
    outcome = Returned(0, {"ptr": Output([], len(raw), raw)})
    return check_isolation(Call("clEnqueueReadBuffer", {"ptr": OutputBuffer(64)}), outcome, "CL_SUCCESS", there)


def model(*, marked: bool, before: bool) -> Model:
    made = Model(load())
    made.has_marker, made.had_marker_before = marked, before
    return made


def test_the_mark_of_a_process_before_is_complained_of() -> None:
    complaints, fulfilled = shown(DIRTY, model(marked=False, before=True))
    assert [complaint.requirement for complaint in complaints] == [PROCESS_ISOLATION]
    assert fulfilled == set()


def test_clean_bytes_speak_for_the_record() -> None:
    assert shown(CLEAN, model(marked=False, before=True)) == ([], {PROCESS_ISOLATION})


@pytest.mark.parametrize(("marked", "before"), [(True, True), (True, False), (False, False)])
def test_what_the_process_was_given_itself_or_nobody_was_tells_nothing(*, marked: bool, before: bool) -> None:
    assert shown(DIRTY, model(marked=marked, before=before)) == ([], set())


def test_a_call_that_hands_the_mark_over_is_noted() -> None:
    fresh = model(marked=False, before=False)
    shown(CLEAN, fresh)
    assert not fresh.has_marker
    check_isolation(FILL, Returned(0), "CL_SUCCESS", fresh)
    assert fresh.has_marker
