"""Builds the worker with sanitizers, and starts it for requests in the raw form."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.harness.c_compiler import CompilerError, list_compilers
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.worker_build import VARIABLE, find_worker
from clconform.harness.worker_executable import build_executable, source_digest, start_error
from clconform.harness.worker_process import WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

ADDRESS, THREAD = "address,undefined", "thread"
"""The values of ``-fsanitize`` of the builds."""
VARIABLES = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=66:report_signal_unsafe=0",
}
"""The environment variables of the sanitizers: the worker ends without its atexit functions, so leaks are not found."""
_FLAGS = ("-g", "-O1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=undefined")
_START_SECONDS = 60.0


@functools.cache
def _build(sanitizers: str) -> Path | str:
    """Return the path of a build with sanitizers, or the reason why there is none."""
    compilers = list_compilers()
    if not compilers:
        return "no C compiler is installed"
    folder = Path(tempfile.gettempdir()) / f"clconform-sanitized-{sanitizers.replace(',', '-')}-{source_digest()}"
    path = folder / "clconform-worker"
    if path.exists():
        return path
    folder.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as unfinished:
        built = Path(unfinished.name)
    try:
        build_executable(compilers[0], built, [*_FLAGS, f"-fsanitize={sanitizers}"])
    except CompilerError as error:
        return f"the compiler has no -fsanitize={sanitizers}: {error}"
    built.chmod(0o755)
    reason = start_error(built)
    if reason:
        return f"a program with -fsanitize={sanitizers} does not start here: {reason}"
    return built.rename(path)


def build_sanitized_worker(sanitizers: str) -> Path:
    """Return the path of the worker built with ``-fsanitize=``; skip the test if that is not possible here."""
    found = _build(sanitizers)
    if isinstance(found, str):
        pytest.skip(found)
    return found


@contextmanager
def start_sanitized_worker(sanitizers: str, *options: str) -> Iterator[DriverConnection]:
    """Start a worker with sanitizers that has loaded nothing, and end it afterwards.

    The test fails if a sanitizer has reported something, or if the worker has ended before.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(build_sanitized_worker(sanitizers)))
        for name, value in VARIABLES.items():
            patch.setenv(name, value)
        find_worker.cache_clear()
        try:
            process = WorkerProcess(Target.null(), options=options)
        finally:
            find_worker.cache_clear()
        try:
            yield DriverConnection(process, _START_SECONDS)
            assert not process.has_died, process.output_tail()
        finally:
            output = process.output_tail()
            process.close()
    assert "Sanitizer" not in output, output
    assert "runtime error" not in output, output


def compile_library(source: Path, folder: Path) -> Path:
    """Compile a C file to a library without sanitizers, as drivers are."""
    library = folder / f"lib{source.stem}.so"
    command = [*list_compilers()[0], "-shared", "-fPIC", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run([*command, "-o", str(library), str(source)], check=True, timeout=60)
    return library
