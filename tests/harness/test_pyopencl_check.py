"""pyopencl, in a process of its own, as an independent check of the values that sessions decode."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from clconform.harness import HarnessError, Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Query
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from clconform.calls.values import Handle

FUNCTIONS = {
    "Platform": "clGetPlatformInfo",
    "Device": "clGetDeviceInfo",
    "Context": "clGetContextInfo",
    "CommandQueue": "clGetCommandQueueInfo",
}
MIN_COMPARED = {"Platform": 5, "Device": 60, "Context": 1, "CommandQueue": 1}
"""The least number of values of each class that must be compared."""


def _query_names(function: str) -> dict[int, str]:
    """Map the numbers of the queries whose values are the same in every process to their names."""
    tables = load()
    asked = (each for each in tables.queries_of(function) if isinstance(each, Query) and each.name in tables.enumerants)
    return {
        tables.enumerants[query.name].value: query.name
        for query in asked
        if not query.name.endswith(("_REFERENCE_COUNT", "_SIZE")) and not query.type.startswith("cl_device")
    }


def _read_with_pyopencl(target: Target) -> dict[str, dict[str, int | str]]:
    """Return the values of pyopencl on the embedded PoCL, by the class and the query's number."""
    asked = {name: list(_query_names(function)) for name, function in FUNCTIONS.items()}
    command = [sys.executable, str(Path(__file__).with_name("pyopencl_values.py"))]
    environment = target.worker_command().environment
    ended = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, env=environment, timeout=60, check=True
    )
    found: dict[str, dict[str, int | str]] = json.loads(ended.stdout)
    return found


def test_session_decodes_the_same_values_as_pyopencl() -> None:
    pytest.importorskip("pyopencl")
    try:
        target = Target.embedded()
    except HarnessError as error:
        pytest.skip(str(error))
    read = _read_with_pyopencl(target)
    session = Session(target, load(), Recorder(None))
    try:
        with session.example():
            kit = Kit(session)
            owners = {
                "Platform": session.platform,
                "Device": session.device,
                "Context": kit.context,
                "CommandQueue": kit.queue,
            }
            differing = [
                (owner, *difference)
                for owner, handle in owners.items()
                for difference in _differences(session, FUNCTIONS[owner], handle, read[owner], MIN_COMPARED[owner])
            ]
    finally:
        session.close()
    assert differing == []


def _differences(
    session: Session, function: str, handle: Handle, read: dict[str, int | str], least: int
) -> list[tuple[str, Any, Any]]:
    """Return the queries whose values differ, with the session's and pyopencl's value."""
    names = _query_names(function)
    ours = {name: session.query(function, handle, name) for name in (names[int(number)] for number in read)}
    theirs = {names[int(number)]: value for number, value in read.items()}
    compared = [name for name, value in ours.items() if isinstance(value, (int, str))]
    assert len(compared) >= least
    return [(name, ours[name], theirs[name]) for name in compared if ours[name] != theirs[name]]
