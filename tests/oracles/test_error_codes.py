"""errcode_ret: calls whose success shows that NULL is accepted, and calls that do not show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import OutputBuffer, Value

from .kits import open_kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit

CREATE, EFFECT = "clCreateBuffer", "clCreateBuffer/effect/1"


@pytest.fixture
def kit() -> Iterator[Kit]:
    with open_kit("flat-4") as made:
        yield made


@pytest.mark.parametrize(
    ("place", "value", "credited"),
    [(None, "mem77", True), (None, None, False), (OutputBuffer(1), "mem77", False)],
)
def test_created_object_with_null_errcode_ret_is_evidence(
    kit: Kit, place: Value, value: str | None, *, credited: bool
) -> None:
    oracle = kit.cl.oracle
    expectation = oracle.expect(Call(CREATE, kit.valid_arguments(CREATE, errcode_ret=place)))
    outputs = {} if place is None else {"errcode_ret": Output([0], 4)}
    judgement = oracle.judge(expectation, Returned(value, outputs))
    assert ((EFFECT, "conforms") in judgement.evidence) == credited
