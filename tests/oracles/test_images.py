"""Creating images: what cannot be wrong with a call that takes no properties."""

from __future__ import annotations

from typing import Any, cast

import pytest

from clconform.calls.call import Call
from clconform.oracles.engine.answers import Answer
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load


@pytest.mark.parametrize(
    "record",
    ["clCreateImage/CL_INVALID_DEVICE/2", "clCreateImage/CL_INVALID_DEVICE/3", "clCreateImage/CL_INVALID_DEVICE/4"],
)
def test_a_function_without_properties_lists_no_device(record: str) -> None:
    predicate = rulebook_of(load()).predicate(record)
    assert predicate(Call("clCreateImage", {}), cast("Any", None)) is Answer.NO
