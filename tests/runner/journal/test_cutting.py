"""Long outputs are truncated when stored: equality is preserved, reports show it, verdicts do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Output, Returned, Step
from clconform.calls.cutting import LONGEST_BYTES, MOST_VALUES, cut_short, is_cut
from clconform.calls.values import Handle, OutputBuffer
from clconform.reports.wording import format_outcome
from clconform.runner.session.steps import steps_of
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.call import Outcome

CALL = Call(
    "clGetDeviceInfo",
    {
        "device": Handle("device1"),
        "param_name": 0x102B,
        "param_value_size": 1 << 20,
        "param_value": OutputBuffer(1 << 20),
        "param_value_size_ret": None,
    },
)


def answer(raw: bytes, values: list[int | float | str | None]) -> Returned:
    return Returned(0, {"param_value": Output(values, len(raw), raw)})


LONG = {
    "a string": answer(b"x" * (1 << 20), ["x" * (1 << 20)]),
    "numbers": answer(bytes(1 << 20), [0] * (1 << 17)),
    "bytes": answer(bytes(1 << 20), []),
    "many texts": answer(b"", ["ab" * 600] * 100),
}


@pytest.mark.parametrize("words", LONG)
def test_what_is_stored_is_short(words: str) -> None:
    stored = cut_short(LONG[words])
    assert is_cut(stored)
    assert len(msgspec.json.encode(stored)) < 6 * LONGEST_BYTES
    assert isinstance(stored, Returned)
    output, whole = stored.outputs["param_value"], LONG[words].outputs["param_value"]
    assert (output.written, output.count) == (whole.written, len(whole.values))
    assert cut_short(msgspec.structs.replace(LONG[words])) == stored


def test_others_differ_in_their_digest_alone() -> None:
    one, other = (cut_short(answer(bytes(1 << 20) + end, [])) for end in (b"1", b"2"))
    assert one != other


def test_what_is_short_is_stored_as_it_is() -> None:
    short = answer(bytes(LONGEST_BYTES), [0] * MOST_VALUES)
    assert cut_short(short) is short
    assert not is_cut(short)


@pytest.mark.parametrize("words", LONG)
def test_steps_are_cut_and_reports_say_so(words: str) -> None:
    (step,) = steps_of([(CALL, LONG[words])], ())
    assert is_cut(step.outcome)
    stored = msgspec.json.decode(msgspec.json.encode(step), type=Step)
    shown = format_outcome(CALL, stored.outcome, load())
    assert "(cut; in all " in shown
    assert len(shown) < 2000


def test_objects_beyond_the_cut_are_bound_all_the_same() -> None:
    outcome: Outcome = Returned(0, {"devices": Output([f"device{number}" for number in range(1, 10_001)], 80_000)})
    (step,) = steps_of([(CALL, outcome)], ())
    assert len(step.binds) == 10_000
