"""Attribution of unexpected bytes: drivers that change contents written by another command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.deviation_keys import symptom_in
from clconform.calls.values import Data, Items, OutputBuffer
from clconform.oracles.engine.symptoms import WRONG_BYTES
from clconform.runner.deviations.attributing import SINCE
from clconform.runner.deviations.following import confirm_all
from clconform.runner.session.answers import made
from clconform.spec_tables import load

from . import building
from .sessions import seen_in, target_of

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.runner.session.session import Session

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")

SIZE = 64
COPY, READ = "clEnqueueCopyBuffer", "clEnqueueReadBuffer"


def copy_beside_another_write(session: Session) -> None:
    with session.example():
        (context,) = made(session.clCreateContext(None, 1, Items((session.device,)), None, None, OutputBuffer(1)))
        (queue,) = made(session.clCreateCommandQueue(context, session.device, 0, OutputBuffer(1)))
        buffers = [made(session.clCreateBuffer(context, 1, SIZE, None, OutputBuffer(1)))[0] for _ in range(3)]
        for buffer in buffers:
            session.clEnqueueWriteBuffer(queue, buffer, 1, 0, SIZE, Data(bytes(range(SIZE))), 0, None, None)
        session.clEnqueueCopyBuffer(queue, buffers[0], buffers[1], 0, 0, SIZE, 0, None, None)
        session.clEnqueueWriteBuffer(queue, buffers[2], 1, 0, SIZE, Data(bytes(SIZE)), 0, None, None)
        for buffer in buffers:
            session.clEnqueueReadBuffer(queue, buffer, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


@pytest.mark.parametrize(
    ("how", "named", "note"),
    [("copies_spoil_their_source", READ, SINCE.format(COPY)), ("copies_spoil_their_target", COPY, "")],
    ids=["source", "target"],
)
def test_the_call_since_which_they_are_wrong_is_told_unless_it_is_the_one_named(
    how: str, named: str, note: str, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", how)
    (seen,) = seen_in(target_of(library), copy_beside_another_write)
    assert (seen.records, symptom_in(seen.key)) == ([f"{named}/success"], WRONG_BYTES.code)
    (end,) = confirm_all([seen], target_of(library), load())
    assert (end.verdict, end.note) == ("deviates", note)
