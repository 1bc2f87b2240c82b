"""Attribution of unexpected bytes on drivers whose commands change bytes that they should not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.deviation_keys import build_key, parse_symptom
from clconform.calls.values import Data, ElementList, OutputBuffer
from clconform.oracles.engine.symptoms import UNEXPECTED_BYTES
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.parallel_confirmation import Confirmers, confirm_all
from clconform.runner.session.outcome_values import returned_handles

from . import building
from .sessions import find_deviations, hostile_target

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.runner.session.session import Session

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")

SIZE = 64
COPY, READ, WRITE = "clEnqueueCopyBuffer", "clEnqueueReadBuffer", "clEnqueueWriteBuffer"


def copy_with_other_write(session: Session) -> None:
    with session.example():
        (context,) = returned_handles(
            session.clCreateContext(None, 1, ElementList((session.device,)), None, None, OutputBuffer(1))
        )
        (queue,) = returned_handles(session.clCreateCommandQueue(context, session.device, 0, OutputBuffer(1)))
        buffers = [
            returned_handles(session.clCreateBuffer(context, 1, SIZE, None, OutputBuffer(1)))[0] for _ in range(3)
        ]
        for buffer in buffers:
            session.clEnqueueWriteBuffer(queue, buffer, 1, 0, SIZE, Data(bytes(range(SIZE))), 0, None, None)
        session.clEnqueueCopyBuffer(queue, buffers[0], buffers[1], 0, 0, SIZE, 0, None, None)
        session.clEnqueueWriteBuffer(queue, buffers[2], 1, 0, SIZE, Data(bytes(SIZE)), 0, None, None)
        for buffer in buffers:
            session.clEnqueueReadBuffer(queue, buffer, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


@pytest.mark.parametrize(
    ("how", "named"),
    [("copies_spoil_their_source", [COPY, WRITE]), ("copies_spoil_their_target", [COPY])],
    ids=["source", "target"],
)
def test_corrupted_copy_source_and_target_are_attributed_to_the_copy(
    how: str, named: list[str], library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", how)
    (seen,) = find_deviations(hostile_target(library), copy_with_other_write)
    assert (sorted(seen.requirements), parse_symptom(seen.key)) == (
        [f"{each}/success" for each in named],
        UNEXPECTED_BYTES.code,
    )
    ends = confirm_all([seen], Confirmers(ConfirmationSettings(hostile_target(library))))
    key = build_key(READ, [f"{COPY}/success"], UNEXPECTED_BYTES.code)
    assert {(end.key, end.verdict) for end in ends if not end.replaced_by} == {(key, "deviates")}
    assert {end.replaced_by for end in ends} == ({"", key} if len(named) > 1 else {""})
