"""Builds the small faulty driver of ``bad_driver.c``."""

from __future__ import annotations

import shutil
from pathlib import Path

from clconform.spec_tables import load

COMPILER = shutil.which("cc")
DISPATCH_MACROS = {
    "GET_PLATFORM_INFO": "clGetPlatformInfo",
    "GET_DEVICE_IDS": "clGetDeviceIDs",
    "RELEASE_DEVICE": "clReleaseDevice",
}
"""Maps the macros for indices in the dispatch table to the functions of the driver."""


def build_command(library: Path, how: str = "") -> list[str]:
    """Return the build command. ``how`` is the behaviour unless BAD_DRIVER in the environment selects one."""
    order = load().dispatch
    places = [f"-D{name}={order.index(function)}" for name, function in DISPATCH_MACROS.items()]
    behaviour = [f'-DHOW="{how}"'] if how else []
    source = str(Path(__file__).with_name("bad_driver.c"))
    return [COMPILER or "cc", "-shared", "-fPIC", *places, *behaviour, source, "-o", str(library), "-pthread"]
