"""The mark that one process leaves in memory: whom it accuses when it comes to light, and whom not."""

from __future__ import annotations

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import Data, Room
from clconform.oracles.chapters.isolation.marks import KEPT_APART, MARK, note_marks, shown
from clconform.oracles.model.world import Model
from clconform.spec_tables import load

FILL = Call("clEnqueueFillBuffer", {"pattern": Data(MARK)})
CLEAN, DIRTY = bytes(64), bytes(20) + MARK + bytes(28)


def read(raw: bytes) -> Returned:
    return Returned(0, {"ptr": Output([], len(raw), raw)})


def model(*, marked: bool, before: bool) -> Model:
    made = Model(load())
    made.marked, made.marked_before = marked, before
    return made


def test_the_mark_of_a_process_before_is_complained_of() -> None:
    complaints, fulfilled = shown(read(DIRTY), model(marked=False, before=True))
    assert [complaint.record for complaint in complaints] == [KEPT_APART]
    assert fulfilled == set()


def test_clean_bytes_speak_for_the_record() -> None:
    assert shown(read(CLEAN), model(marked=False, before=True)) == ([], {KEPT_APART})


@pytest.mark.parametrize(("marked", "before"), [(True, True), (True, False), (False, False)])
def test_what_the_process_was_given_itself_or_nobody_was_tells_nothing(*, marked: bool, before: bool) -> None:
    assert shown(read(DIRTY), model(marked=marked, before=before)) == ([], set())


def test_a_call_that_hands_the_mark_over_is_noted() -> None:
    fresh = model(marked=False, before=False)
    note_marks(Call("clEnqueueReadBuffer", {"ptr": Room(64)}), fresh)
    assert not fresh.marked
    note_marks(FILL, fresh)
    assert fresh.marked
