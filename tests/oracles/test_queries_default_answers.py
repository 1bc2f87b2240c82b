"""The oracle's default answers conform to all its rules, in every version and profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.queries.answering import expect_query_value, is_stable
from clconform.oracles.queries.default_answers import add_default_facts
from clconform.oracles.queries.query_request import query_request_of

from .oracle_setup import OracleSetup

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Values

CORE_EXTENSIONS = " ".join(
    f"cl_khr_{name}"
    for name in (
        "byte_addressable_store",
        "global_int32_base_atomics",
        "global_int32_extended_atomics",
        "local_int32_base_atomics",
        "local_int32_extended_atomics",
    )
)


@pytest.mark.parametrize("profile", ["FULL_PROFILE", "EMBEDDED_PROFILE"])
@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "3.0"])
def test_default_query_values_conform_to_every_rule(version: str, profile: str) -> None:
    world = OracleSetup(version=version, extensions=CORE_EXTENSIONS)
    device = world.roots[0]
    world.platform.facts["CL_PLATFORM_PROFILE"] = device.facts["CL_DEVICE_PROFILE"] = profile
    device.facts |= {"CL_DEVICE_COMPILER_AVAILABLE": 1, "CL_DEVICE_PLATFORM": "platform1"}
    complaints = []
    for function, thing in (("clGetPlatformInfo", world.platform), ("clGetDeviceInfo", device)):
        add_default_facts(thing, world.model, world.oracle.rulebook)
        parameters = [parameter.name for parameter in world.model.tables.functions[function].parameters]
        for query in world.model.tables.queries_of(function):
            if query.name not in world.model.tables.enumerants:
                continue
            values = (Handle(thing.name), world.value(query.name), 0, OutputBuffer(1), None)
            question = query_request_of(Call(function, dict(zip(parameters, values, strict=True))), world.model)
            if question is None or not is_stable(query.name):
                continue
            assert question.fact_key in thing.facts, query.name
            fact = thing.facts[question.fact_key]
            seen: Values = list(fact) if isinstance(fact, tuple) else [fact]
            if query.shape == "string":
                seen = [f"{fact}\0"]
            complaints += [
                (query.name, fact, complaint.requirement)
                for complaint in expect_query_value(question, world.oracle.rulebook).mismatches(seen)
            ]
    assert not complaints
