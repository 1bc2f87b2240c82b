"""An ill-formed version is a deviation of the query that returned it, and of nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.reports import load_result
from clconform.reports.writer import RESULT
from clconform.spec_tables import load

from . import building
from .cases import QUICK_SECONDS, REFERENCES
from .runs import run_command

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")
OPTIONS = ("--direct", "--tier", "tables", "--seed", "1", "--minimise-seconds", "0")
TESTS = (
    *("queries.values", "--requirement=CL_PLATFORM_*", "--requirement=CL_DEVICE_VERSION*"),
    *("--requirement=CL_DEVICE_OPENCL_C*", "--requirement=clRetainContext/success", REFERENCES.partition("::")[0]),
)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("CL_PLATFORM_VERSION", "OpenCL 999999999999999.0 x"),
        ("CL_PLATFORM_VERSION", "OpenCL \u0663.\u0660 x"),
        ("CL_DEVICE_VERSION", "OpenCL -1.-1 x"),
        ("CL_DEVICE_OPENCL_C_VERSION", f"OpenCL C {'9' * 6000}.0 x"),
        ("CL_DRIVER_VERSION", f"{'9' * 6000}.{'9' * 6000}"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_only_the_query_of_an_ill_formed_version_deviates(query: str, text: str, library: Path, tmp_path: Path) -> None:
    function = "clGetPlatformInfo" if query.startswith("CL_PLATFORM") else "clGetDeviceInfo"
    variables = {
        "HOSTILE": f"another_text@{function}",
        "HOSTILE_QUERY": str(load().enumerants[query].value),
        "HOSTILE_TEXT": text,
    }
    ended = run_command(tmp_path, [f"--driver={library}", *OPTIONS, *TESTS], variables, QUICK_SECONDS)
    free = query == "CL_DRIVER_VERSION"  # any text is allowed
    assert ended.code == (exit_codes.AS_EXPECTED if free else exit_codes.DEVIATIONS), ended.output[-3000:]
    deviations = load_result(ended.out / RESULT).deviations
    assert {requirement for each in deviations for requirement in each.requirements} == (set() if free else {query})
