"""Targets of a test run (a driver's library, an installed platform, a simulator) and the commands for their workers."""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform.harness import cache_dirs, libraries
from clconform.harness.errors import HarnessError
from clconform.harness.library_paths import file_name, is_loader_name
from clconform.harness.sandbox import GIB
from clconform.harness.worker_build import VARIABLE, find_worker
from clconform.spec_tables import loading

if TYPE_CHECKING:
    from clconform.harness.remote.device import RemoteDevice

# Python settings that would hide a driver's crash from the parent, or change measurements
_NOT_INHERITED = ("PYTHONFAULTHANDLER", "PYTHONDEVMODE", "PYTHONINSPECT", "PYTHONTRACEMALLOC", "PYTHONWARNINGS")
# A preloaded library that changes the date also changes the clock of timed waits, which then never end
_FAKED_CLOCK = "libfaketime"
_LOADER_SETTINGS = (
    "OCL_ICD_VENDORS",
    "OCL_ICD_FILENAMES",
    "OCL_ICD_PLATFORM_SORT",
    "OCL_ICD_DEFAULT_PLATFORM",
    "OPENCL_LAYERS",
)

_OWN_CACHES = ("POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR")
_COMMON_CACHES = ("CUDA_CACHE_PATH", "NEO_CACHE_DIR", "AMD_COMGR_CACHE_DIR")
"""Cache folders of NVIDIA's driver, Intel's GPU driver and AMD's compiler, which all processes of a run share.

An empty cache for each repetition costs a fifth of a run on an NVIDIA GPU (docs/quality.md).
"""

WRAPPER = "CLCONFORM_WRAPPER"
"""The environment variable with a command that starts the worker, such as a debugging tool."""
_MALLOC_DEBUG = "libc_malloc_debug.so.0"
"""Contains the heap checks from glibc 2.34 on; the dynamic linker ignores it if it is missing."""
_HEAP_CHECKS = {"MALLOC_CHECK_": "3", "MALLOC_PERTURB_": "165"}


class WorkerCommand(NamedTuple):
    """The command line of a worker, without ``--mailbox ID``, and its environment.

    ``template``: the beginning of the command line of a template process, which forks such workers; ``--starts``
    follows. It is empty if workers cannot be forked.
    """

    argv: list[str]
    environment: dict[str, str]
    template: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """The driver or platform under test.

    Targets are created by ``driver``, ``platform``, ``installed``, ``embedded``, ``simulated`` or ``null``.

    ``kind``: the name of that class method. ``library``: the driver's path. ``name_part``: part of a platform's name.
    ``arguments``: the arguments of the simulator. ``loader``: a path, or empty for the default. ``data_limit``: in GiB,
    0 for none. ``deadline_scale``: factor for all deadlines, at the start and in calls. ``has_heap_checks``: the C
    library checks the heap while the driver runs. ``caches``: the cache folder of PoCL and Mesa, or empty for the
    folder of this process. ``device``: the machine of the driver; None for this machine.
    """

    kind: str
    library: str = ""
    direct: bool = False
    name_part: str = ""
    arguments: tuple[str, ...] = ()
    loader: str = ""
    data_limit: int = 8
    deadline_scale: float = 1.0
    has_heap_checks: bool = False
    caches: str = ""
    device: RemoteDevice | None = None

    @classmethod
    def on_device(cls, device: RemoteDevice, *, library: str = "", direct: bool = False, name_part: str = "") -> Target:
        """Return the target for a driver on another machine.

        ``library``: its path there, which only that machine can check; empty for all platforms of the loader there.
        """
        kind = "driver" if library else "platform" if name_part else "installed"
        return cls(kind, library, direct, name_part, device=device)

    @classmethod
    def driver(cls, library: str, *, direct: bool = False, loader: str = "", data_limit: int = 8) -> Target:
        """Return the target for one driver, by its library's path or name; HarnessError if the file is missing."""
        path = libraries.resolve_library(library)
        return cls("driver", path, direct, loader=loader and libraries.resolve_library(loader), data_limit=data_limit)

    @classmethod
    def platform(cls, name_part: str, *, loader: str = "", data_limit: int = 8) -> Target:
        """Return the target for the installed platforms with ``name_part`` in name or vendor, case-insensitive."""
        if not name_part.strip():
            raise HarnessError(
                "an empty name matches every platform; give part of a name (clconform platforms lists them)"
            )
        return cls(
            "platform", name_part=name_part, loader=loader and libraries.resolve_library(loader), data_limit=data_limit
        )

    @classmethod
    def installed(cls, *, loader: str = "", data_limit: int = 8) -> Target:
        """Return the target for all platforms of the installed loader, or else of the one bundled with pyopencl."""
        return cls("installed", loader=loader and libraries.resolve_library(loader), data_limit=data_limit)

    @classmethod
    def embedded(cls, *, direct: bool = False, data_limit: int = 8) -> Target:
        """Return the target for the PoCL from PyPI, with its loader; HarnessError if it is not installed."""
        loader = "" if direct else libraries.bundled_loader() or ""
        return cls("embedded", libraries.embedded_pocl(), direct, loader=loader, data_limit=data_limit)

    @classmethod
    def simulated(cls, topology: str, *options: str) -> Target:
        """Return the target for a simulated platform; ``options``: further options of ``clconform.simulator``."""
        return cls("simulated", arguments=("--topology", topology, *options))

    @classmethod
    def null(cls) -> Target:
        """Return the target for a process that loads no driver, whose functions do nothing."""
        return cls("null")

    def with_deadlines(self, scale: float) -> Target:
        """Return the same target with the default deadlines multiplied by ``scale``."""
        return replace(self, deadline_scale=scale)

    def with_caches(self, folder: Path) -> Target:
        """Return the same target with the driver's compiler cache in this folder."""
        return replace(self, caches=str(folder))

    def with_heap_checks(self) -> Target:
        """Return the same target with the heap checks of the GNU C library, if the driver uses that library.

        Freeing a block that was written past its end aborts the process. New and freed blocks are filled with a
        pattern.
        """
        return replace(self, has_heap_checks=True)

    def to_options(self) -> list[str]:
        """Return the command line options that select this target."""
        named = {
            "driver": ["--driver", self.library],
            "platform": ["--platform", self.name_part],
            "embedded": ["--embedded"],
            "simulated": [{"--topology": "--simulated"}.get(word, word) for word in self.arguments],
        }.get(self.kind, [])
        if self.direct:
            named.append("--direct")
        if self.loader and self.kind != "embedded":
            named += ["--loader", self.loader]
        return [*named, *(self.device.to_options() if self.device else ())]

    def worker_command(self) -> WorkerCommand:
        """Return the command that starts the worker; HarnessError if a library or a program that it needs is missing.

        The value of ``CLCONFORM_WRAPPER`` precedes the command of a driver, for example ``valgrind -q``.
        """
        environment = self._environment()
        if self.kind == "simulated":
            module = "clconform.selftest.faults" if "--fault" in self.arguments else "clconform.simulator"
            tables = ["--tables", str(loading.selected_folder())] if loading.selected_folder() != loading.DATA else []
            program = [sys.executable, "-P", "-m", module, *tables]
            return WorkerCommand([*program, *self.arguments], environment, tuple(program))
        if not self.direct and self.kind != "null":
            if not self.library:
                libraries.check_vendor_files()
            loader = self.loader_library()
            prepend_library_path(environment, libraries.bundled_folder(loader))
            if loader == libraries.bundled_loader():
                # this loader searches there for bundled drivers, and crashes if the variable is not set
                environment["PYOPENCL_HOME"] = str(libraries.pyopencl_folder())
        if self.library:
            prepend_library_path(environment, libraries.bundled_folder(self.library))
        return WorkerCommand([*shlex.split(os.environ.get(WRAPPER, "")), str(find_worker())], environment)

    @property
    def data_limit_bytes(self) -> int:
        """The limit for the memory of the driver's process, in bytes; 0 for none.

        A debugging tool or another executable (``CLCONFORM_WRAPPER``, ``CLCONFORM_WORKER``) has no limit: shadow
        memory, as of AddressSanitizer, would exceed it.
        """
        return 0 if self.device or os.environ.get(WRAPPER) or os.environ.get(VARIABLE) else self.data_limit * GIB

    def loader_library(self) -> str:
        """Return the path of the loader; HarnessError if there is none."""
        return self.loader or libraries.any_loader()

    def device_variables(self, folder: str) -> dict[str, str]:
        """Return the variables for a driver's process on another machine; ``folder``: for its temporary files."""
        variables = {"RUSTICL_ENABLE": "llvmpipe", **dict.fromkeys(_OWN_CACHES, folder), "TMPDIR": folder}
        if self.library and not is_loader_name(self.library):  # a loader would load itself as a driver
            variables["OCL_ICD_VENDORS"] = variables["OCL_ICD_FILENAMES"] = self.library
        return variables | dict(self.device.environment if self.device else ())

    def _environment(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
        preloaded = environment.get("LD_PRELOAD", "")
        if _FAKED_CLOCK in preloaded:
            others = [each for each in re.split("[: ]", preloaded) if each and _FAKED_CLOCK not in each]
            environment["LD_PRELOAD"] = ":".join(others)
        environment.setdefault("RUSTICL_ENABLE", "llvmpipe")
        own = Path(self.caches) if self.caches else cache_dirs.process_folder()
        for caches, names in ((own, _OWN_CACHES), (cache_dirs.shared_folder(), _COMMON_CACHES)):
            for name in names:
                made = caches / name.split("_")[0].lower()
                made.mkdir(parents=True, exist_ok=True)
                environment[name] = str(made)
        if self.has_heap_checks:
            others = [environment["LD_PRELOAD"]] if environment.get("LD_PRELOAD") else []
            environment |= _HEAP_CHECKS | {"LD_PRELOAD": ":".join([_MALLOC_DEBUG, *others])}
        if self.library:
            for name in _LOADER_SETTINGS:
                environment.pop(name, None)
            # ocl-icd accepts the path of one library in the first; Khronos' loader ignores that and uses the second
            environment["OCL_ICD_VENDORS"] = environment["OCL_ICD_FILENAMES"] = self.library
        return environment

    def __str__(self) -> str:
        """Return a short name for messages."""
        return f"{self._name} on {self.device}" if self.device else self._name

    @property
    def _name(self) -> str:
        if self.kind == "simulated":
            return f"simulated platform {self.arguments[1]}"
        if self.library:
            return f"{file_name(self.library)}{' (without loader)' if self.direct else ''}"
        return f"platform {self.name_part!r}" if self.name_part else "the installed loader"


def prepend_library_path(environment: dict[str, str], folder: str | None) -> None:
    """Let the dynamic linker search this folder first; do nothing for None."""
    if folder is not None:
        paths = environment.get("LD_LIBRARY_PATH", "").split(":")
        environment["LD_LIBRARY_PATH"] = ":".join([folder, *(path for path in paths if path not in ("", folder))])
