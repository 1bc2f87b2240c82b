"""Gates: what lets a fact hold on a platform, and what does instead."""

from __future__ import annotations

import pytest

from clconform.oracles.gates import closed_gate
from clconform.oracles.model import Platform
from clconform.spec_tables.records import Gate


@pytest.mark.parametrize(
    ("version", "extensions", "closed"),
    [
        ("1.2", "", True),
        ("1.2", "cl_khr_other", True),
        ("1.2", "cl_khr_things", False),
        ("2.0", "", False),
    ],
)
def test_an_extension_may_do_instead_of_a_version(version: str, extensions: str, closed: bool) -> None:  # noqa: FBT001
    facts = {"CL_PLATFORM_VERSION": f"OpenCL {version} test", "CL_PLATFORM_EXTENSIONS": extensions}
    platform = Platform("cl_platform_id", "platform1", facts=dict(facts))
    platform.refresh()
    gates = (Gate("platform-version", since="2.0", instead="cl_khr_things"),)
    assert bool(closed_gate(gates, platform, None)) == closed
