"""Finds the drivers on which the cases are compared, and selects one of them for the programs that are started."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DEBIAN = Path("/usr/lib/x86_64-linux-gnu")
RUSTICL_DEVICES = "RUSTICL_ENABLE"
_LOADER_VARIABLES = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES")
"""The variables by which ocl-icd and Khronos' loader select drivers."""


class InstalledDriver(NamedTuple):
    """A driver: its name in the tables, and its library."""

    name: str
    library: Path

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that make the loader use only this driver."""
        made = dict.fromkeys(_LOADER_VARIABLES, str(self.library))
        if self.name == "rusticl":
            made[RUSTICL_DEVICES] = "llvmpipe"
        if self.name == "intel":  # it finds its own parts only so
            made["LD_LIBRARY_PATH"] = str(self.library.parent)
        return made


DRIVERS = (
    InstalledDriver("pocl", _DEBIAN / "libpocl.so.2"),
    InstalledDriver("rusticl", _DEBIAN / "libRusticlOpenCL.so.1"),
    InstalledDriver("oclgrind", Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")),
    InstalledDriver("intel", Path(sys.prefix) / "lib" / "libintelocl.so"),
)
"""The drivers of the tables, where Debian's packages and the package intel-opencl-rt of PyPI install them."""


def find_drivers(named: Sequence[str]) -> list[InstalledDriver]:
    """Return the installed drivers; ``named``: ``NAME=LIBRARY`` for drivers in other places."""
    places = dict(word.split("=", 1) for word in named)
    found = [InstalledDriver(each.name, Path(places.pop(each.name, each.library))) for each in DRIVERS]
    return [each for each in found if each.library.exists()]


@contextmanager
def use_driver(driver: InstalledDriver) -> Iterator[None]:
    """Select a driver for the programs that are started in the context."""
    before = dict(os.environ)
    os.environ.update(driver.variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
