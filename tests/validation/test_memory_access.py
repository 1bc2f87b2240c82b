"""The layer reads memory of the program also where the system has no call for memory that may be unreadable."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import CallEntry, RecordingFile
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REFUSAL = """
#include <errno.h>
long process_vm_readv(void) { errno = %s; return -1; }
"""


def read_regions(path: Path) -> list[object]:
    """Return the recorded regions of sub-buffers."""
    calls = [each for each in RecordingFile(path, load()).events() if isinstance(each, CallEntry)]
    return [each.arguments["buffer_create_info"].content for each in calls if each.function == "clCreateSubBuffer"]


@pytest.mark.parametrize(("error", "is_known"), [("ENOSYS", True), ("EPERM", True), ("EFAULT", False)])
def test_memory_is_read_without_the_system_call(
    record_program: Callable[..., tuple[Path, object]],
    build_program: Callable[..., Path],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    error: str,
    *,
    is_known: bool,
) -> None:
    folder, program = tmp_path_factory.mktemp("preloaded"), build_program("mistakes", "SHORT")
    (folder / "refusal.c").write_text(REFUSAL % error, encoding="ascii")
    words = ["cc", "-shared", "-fPIC", "-o", folder / "refusal.so", folder / "refusal.c"]
    subprocess.run(words, check=True)
    usual, _ = record_program(program)
    monkeypatch.setenv("LD_PRELOAD", str(folder / "refusal.so"))
    other, _ = record_program(program)
    regions = read_regions(usual)
    assert regions
    assert None not in regions
    assert read_regions(other) == (regions if is_known else [None] * len(regions))
