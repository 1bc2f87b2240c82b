"""What to test, and how its worker is started: a driver's library, an installed platform, a model."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from clconform.harness import libraries, scratch
from clconform.harness.errors import HarnessError
from clconform.spec_tables import loading

# settings of Python that would hide a driver's crash from the parent, or change what is measured
_NOT_INHERITED = ("PYTHONFAULTHANDLER", "PYTHONDEVMODE", "PYTHONINSPECT", "PYTHONTRACEMALLOC", "PYTHONWARNINGS")
_LOADER_SETTINGS = (
    "OCL_ICD_VENDORS",
    "OCL_ICD_FILENAMES",
    "OCL_ICD_PLATFORM_SORT",
    "OCL_ICD_DEFAULT_PLATFORM",
    "OPENCL_LAYERS",
)

_OWN_CACHES = ("POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR")
_COMMON_CACHES = ("CUDA_CACHE_PATH", "NEO_CACHE_DIR", "AMD_COMGR_CACHE_DIR")
"""Settings of NVIDIA's driver, Intel's for GPUs, and AMD's compiler, which all processes of a run have in common.

Empty ones for each repetition take a fifth of a run on an NVIDIA GPU (docs/quality.md).
"""

_MALLOC_DEBUG = "libc_malloc_debug.so.0"
"""Holds the checks from glibc 2.34 on; the dynamic linker goes on without it where it is not found."""
_HEAP_CHECKS = {"MALLOC_CHECK_": "3", "MALLOC_PERTURB_": "165"}


class Start(NamedTuple):
    """A worker program: its command line (``--mailbox ID`` is still to be added) and its environment.

    ``template``: the beginning of the command line, which with ``--starts`` runs a process that forks such workers;
    empty if there is none.
    """

    argv: list[str]
    environment: dict[str, str]
    template: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """What is tested. Made by ``driver``, ``platform``, ``installed``, ``embedded`` and ``simulated``, not by hand.

    ``kind``: the name of the one that made it. ``library``: the driver's path. ``part``: part of a platform's name.
    ``arguments``: the simulator's. ``loader``: a path, or empty for the default. ``data_limit``: GiB, 0 for none.
    ``deadline_scale``: how many times as long as by default the driver may take, to start and in calls. ``checked``:
    the C library checks the heap while the driver runs. ``caches``: the folder where PoCL and Mesa keep what they
    have compiled, or empty for the folder of this process.
    """

    kind: str
    library: str = ""
    direct: bool = False
    part: str = ""
    arguments: tuple[str, ...] = ()
    loader: str = ""
    data_limit: int = 8
    deadline_scale: float = 1.0
    checked: bool = False
    caches: str = ""

    @classmethod
    def driver(cls, library: str, *, direct: bool = False, loader: str = "", data_limit: int = 8) -> Target:
        """Name one driver by its library's path or name; HarnessError if there is no such file."""
        path = libraries.resolve(library)
        return cls("driver", path, direct, loader=loader and libraries.resolve(loader), data_limit=data_limit)

    @classmethod
    def platform(cls, part: str, *, loader: str = "", data_limit: int = 8) -> Target:
        """Name the platforms of the installed loader whose name or vendor contains ``part``, case-insensitive."""
        if not part.strip():
            raise HarnessError(
                "an empty name matches every platform; give part of a name (clconform platforms lists them)"
            )
        return cls("platform", part=part, loader=loader and libraries.resolve(loader), data_limit=data_limit)

    @classmethod
    def installed(cls, *, loader: str = "", data_limit: int = 8) -> Target:
        """Name every platform of the installed loader (or of the one in pyopencl)."""
        return cls("installed", loader=loader and libraries.resolve(loader), data_limit=data_limit)

    @classmethod
    def embedded(cls, *, direct: bool = False, data_limit: int = 8) -> Target:
        """Name the PoCL from PyPI, with its loader; HarnessError if it is not installed."""
        loader = "" if direct else libraries.bundled_loader() or ""
        return cls("embedded", libraries.embedded_pocl(), direct, loader=loader, data_limit=data_limit)

    @classmethod
    def simulated(cls, topology: str, *options: str) -> Target:
        """Name a simulated platform; ``options`` follow ``--topology`` in ``python -m clconform.simulator``."""
        return cls("simulated", arguments=("--topology", topology, *options))

    def with_deadlines(self, scale: float) -> Target:
        """Return the same target with all deadlines ``scale`` times as long as by default."""
        return replace(self, deadline_scale=scale)

    def with_caches(self, folder: Path) -> Target:
        """Return the same target, whose driver keeps what it has compiled in this folder."""
        return replace(self, caches=str(folder))

    def with_heap_checks(self) -> Target:
        """Return the same target, run under the checks of the GNU C library's allocator where that is in use.

        A block of memory that was written past its end ends the process where it is freed. New and freed blocks hold a
        pattern.
        """
        return replace(self, checked=True)

    def describe(self) -> list[str]:
        """Return the command line options that name this target."""
        named = {
            "driver": ["--driver", self.library],
            "platform": ["--platform", self.part],
            "embedded": ["--embedded"],
            "simulated": [{"--topology": "--simulated"}.get(word, word) for word in self.arguments],
        }.get(self.kind, [])
        if self.direct:
            named.append("--direct")
        if self.loader and self.kind != "embedded":
            named += ["--loader", self.loader]
        return named

    def start(self) -> Start:
        """Return how the worker is started; HarnessError if something that it needs is missing."""
        program = [sys.executable, "-P", "-m"]
        tables = ["--tables", str(loading.chosen())] if loading.chosen() != loading.DATA else []
        if self.kind == "simulated":
            module = "clconform.selftest.planted" if "--fault" in self.arguments else "clconform.simulator"
            program += [module, *tables]
            return Start([*program, *self.arguments], self._environment(), tuple(program))
        program += ["clconform.harness.worker", *tables]
        argv = [*program, "--data-limit", str(self.data_limit)]
        environment = self._environment()
        if self.library:
            argv += ["--driver", self.library]
        if self.direct:
            argv.append("--direct")
        else:
            loader = self.loader or libraries.any_loader()
            argv += ["--loader", loader]
            _put_first(environment, libraries.own_folder(loader))
            if loader == libraries.bundled_loader():
                # it looks there for its own drivers, and crashes without it
                environment["PYOPENCL_HOME"] = str(libraries.pyopencl_folder())
        if self.library:
            _put_first(environment, libraries.own_folder(self.library))
        if self.part:
            argv += ["--platform", self.part]
        return Start(argv, environment, tuple(program))

    def _environment(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
        environment.setdefault("RUSTICL_ENABLE", "llvmpipe")
        own = Path(self.caches) if self.caches else scratch.folder()
        for caches, names in ((own, _OWN_CACHES), (scratch.common(), _COMMON_CACHES)):
            for name in names:
                made = caches / name.split("_")[0].lower()
                made.mkdir(parents=True, exist_ok=True)
                environment[name] = str(made)
        if self.checked:
            others = [environment["LD_PRELOAD"]] if environment.get("LD_PRELOAD") else []
            environment |= _HEAP_CHECKS | {"LD_PRELOAD": ":".join([_MALLOC_DEBUG, *others])}
        if self.library:
            for name in _LOADER_SETTINGS:
                environment.pop(name, None)
            # ocl-icd takes the first as one library; Khronos' loader finds no folder there and takes the second
            environment["OCL_ICD_VENDORS"] = environment["OCL_ICD_FILENAMES"] = self.library
        return environment

    def __str__(self) -> str:
        """Return a short name for messages."""
        if self.kind == "simulated":
            return f"simulated platform {self.arguments[1]}"
        if self.library:
            return f"{Path(self.library).name}{' (without loader)' if self.direct else ''}"
        return f"platform {self.part!r}" if self.part else "the installed loader"


def _put_first(environment: dict[str, str], folder: str | None) -> None:
    """Let the dynamic linker search this folder first; None changes nothing."""
    if folder is not None:
        paths = environment.get("LD_LIBRARY_PATH", "").split(":")
        environment["LD_LIBRARY_PATH"] = ":".join([folder, *(path for path in paths if path not in ("", folder))])
