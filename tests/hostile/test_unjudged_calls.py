"""Queries make no calls besides those that are judged: a driver that fails in any other call conforms.

On revision 9a89dfee pyopencl repeated the queries in the driver's process. It retained the objects, and a library that
exports the functions of OpenCL received these calls directly. A crash there ended the run with exit code 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes

from . import building
from .runs import run_command

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")
OBJECT_QUERIES = ("queries.values", "--requirement=CL_CONTEXT_*", "--requirement=CL_QUEUE_*")
OPTIONS = ("--tier", "tables", "--seed", "1", "--minimise-seconds", "0", *OBJECT_QUERIES)


@pytest.mark.parametrize("behaviour", ["segv", "kills_itself@clRetainCommandQueue", "exits_7@clRetainDevice"])
def test_driver_that_ends_its_process_in_a_call_that_queries_do_not_make_conforms(
    behaviour: str, library: Path, tmp_path: Path
) -> None:
    ended = run_command(tmp_path, [f"--driver={library}", "--direct", *OPTIONS], {"HOSTILE": behaviour}, 60)
    assert ended.code == exit_codes.AS_EXPECTED, ended.output[-2000:]


def test_driver_library_that_exports_all_functions_conforms(tmp_path: Path) -> None:
    """The exported functions end the process, and are visible to every library; the dispatch table has others."""
    (tmp_path / "library").mkdir()
    library = building.build_library(tmp_path / "library", exports=True)
    ended = run_command(tmp_path, [f"--driver={library}", *OPTIONS], {}, 60)
    assert ended.code == exit_codes.AS_EXPECTED, ended.output[-2000:]
