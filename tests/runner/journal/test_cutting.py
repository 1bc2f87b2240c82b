"""Long outputs are truncated when stored. Different outputs stay different, and reports mark the truncation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Output, Returned, Step
from clconform.calls.truncation import MAX_BYTES, MAX_VALUES, is_truncated, truncate_outcome
from clconform.calls.values import Handle, OutputBuffer
from clconform.reports.call_formatting import format_outcome
from clconform.runner.session.steps import create_steps
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


def create_outcome(raw: bytes, values: list[int | float | str | None]) -> Returned:
    return Returned(0, {"param_value": Output(values, len(raw), raw)})


LONG_OUTCOMES = {
    "a string": create_outcome(b"x" * (1 << 20), ["x" * (1 << 20)]),
    "numbers": create_outcome(bytes(1 << 20), [0] * (1 << 17)),
    "bytes": create_outcome(bytes(1 << 20), []),
    "many texts": create_outcome(b"", ["ab" * 600] * 100),
}


@pytest.mark.parametrize("words", LONG_OUTCOMES)
def test_long_output_is_truncated_when_stored(words: str) -> None:
    stored = truncate_outcome(LONG_OUTCOMES[words])
    assert is_truncated(stored)
    assert len(msgspec.json.encode(stored)) < 6 * MAX_BYTES
    assert isinstance(stored, Returned)
    output, whole = stored.outputs["param_value"], LONG_OUTCOMES[words].outputs["param_value"]
    assert (output.written, output.count) == (whole.written, len(whole.values))
    assert truncate_outcome(msgspec.structs.replace(LONG_OUTCOMES[words])) == stored


def test_different_outputs_stay_different_when_truncated() -> None:
    one, other = (truncate_outcome(create_outcome(bytes(1 << 20) + end, [])) for end in (b"1", b"2"))
    assert one != other


def test_short_output_is_stored_unchanged() -> None:
    short = create_outcome(bytes(MAX_BYTES), [0] * MAX_VALUES)
    assert truncate_outcome(short) is short
    assert not is_truncated(short)


@pytest.mark.parametrize("words", LONG_OUTCOMES)
def test_truncated_steps_are_marked_in_reports(words: str) -> None:
    (step,) = create_steps([(CALL, LONG_OUTCOMES[words])], ())
    assert is_truncated(step.outcome)
    stored = msgspec.json.decode(msgspec.json.encode(step), type=Step)
    shown = format_outcome(CALL, stored.outcome, load())
    assert "(cut; in all " in shown
    assert len(shown) < 2000


def test_step_names_objects_in_truncated_part_of_its_output() -> None:
    outcome: Outcome = Returned(0, {"devices": Output([f"device{number}" for number in range(1, 10_001)], 80_000)})
    (step,) = create_steps([(CALL, outcome)], ())
    assert len(step.new_names) == 10_000
