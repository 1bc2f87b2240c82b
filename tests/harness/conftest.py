"""Fixtures of the harness tests: drivers in C that misbehave or follow a script, and calls by positional arguments."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.harness import HarnessError, Target
from clconform.harness.libraries import any_loader
from clconform.harness.worker_process import WorkerProcess
from clconform.spec_tables import load

from .scripted_driver import ScriptedDriver, generate_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.spec_tables import Tables

_FILLED = (
    "GetPlatformInfo",
    "GetDeviceIDs",
    "GetDeviceInfo",
    "CreateSubDevices",
    "RetainDevice",
    "ReleaseDevice",
    "CreateContext",
    "CreateContextFromType",
    "RetainContext",
    "ReleaseContext",
    "GetContextInfo",
)


@pytest.fixture(scope="session")
def tables() -> Tables:
    return load()


@pytest.fixture(scope="session")
def compile_driver(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that compiles the fake driver with macro definitions and returns the path of the library."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc) here: the fake driver cannot be built")
    folder = tmp_path_factory.mktemp("fake")
    entries = " ".join(f"ENTRY({tables.dispatch.index(f'cl{name}')}, {name})" for name in _FILLED)

    def compile_with(*definitions: str) -> Path:
        library = folder / f"libfake{'-'.join(definitions)}.so"
        source = Path(__file__).with_name("fake_driver.c")
        flags = ["-shared", "-fPIC", "-pthread", "-w", f"-DICD_ENTRIES={entries}", *(f"-D{one}" for one in definitions)]
        subprocess.run([compiler, *flags, "-o", library, source], check=True, timeout=60)
        return library

    return compile_with


@pytest.fixture(scope="session")
def fake_driver(compile_driver: Callable[..., Path]) -> str:
    """Return the path of the fake driver."""
    return str(compile_driver())


@pytest.fixture(scope="session")
def scripted_library(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the library of a ``ScriptedDriver``."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc) here: the scripted driver cannot be built")
    folder = tmp_path_factory.mktemp("scripted")
    source, library = folder / "scripted_driver.c", folder / "libscripted.so"
    source.write_text(generate_source(tables), encoding="utf-8")
    flags = ["-shared", "-fPIC", "-pthread", "-w"]
    subprocess.run([compiler, *flags, "-o", library, source], check=True, timeout=60)
    return library


@pytest.fixture
def scripted(tables: Tables, scripted_library: Path) -> Iterator[ScriptedDriver]:
    """Return a driver that does what the test scripts."""
    process = WorkerProcess(Target.null())
    try:
        yield ScriptedDriver(process, scripted_library, tables)
    finally:
        process.close()


@pytest.fixture(scope="session")
def loader() -> str:
    """Return the path of an ICD loader. Skip the test if none is installed."""
    try:
        return any_loader()
    except HarnessError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def create_call(tables: Tables) -> Callable[..., Call]:
    """Return a function that creates a call from a function's name and positional arguments."""

    def make(function: str, *values: Value) -> Call:
        names = [parameter.name for parameter in tables.functions[function].parameters]
        return Call(function, dict(zip(names, values, strict=True)))

    return make
