"""Finds the worker for another machine among those of the package and of the user's cache, and builds it on request."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from clconform.harness.build_cache import cache_folder
from clconform.harness.c_compiler import CompilerError
from clconform.harness.errors import HarnessError, fold_line
from clconform.harness.worker_build import find_worker
from clconform.harness.worker_executable import (
    NAME,
    PACKAGED,
    build_executable,
    executable_name,
    executable_path,
    parse_glibc_version,
    platform_name,
    source_digest,
)

if TYPE_CHECKING:
    from pathlib import Path

TRIPLES = {
    "x86_64-linux-gnu": "linux_x86_64",
    "i686-linux-gnu": "linux_i686",
    "aarch64-linux-gnu": "linux_aarch64",
    "arm-linux-gnueabihf": "linux_armv7l",
    "riscv64-linux-gnu": "linux_riscv64",
    "x86_64-windows-gnu": "windows_x86_64",
}
"""Maps the names of targets, as compilers use them, to platforms, as in the names of wheels."""
_GCC_NAMES = {"x86_64-windows-gnu": "x86_64-w64-mingw32"}
"""Maps the names of targets to those in the names of gcc's commands, where they differ."""
_GCC_PACKAGES = {"x86_64-windows-gnu": "gcc-mingw-w64-x86-64"}
"""Maps the names of targets to packages of Debian, where they differ from gcc-TARGET."""
_ALIASES = {"i386": "i686", "i486": "i686", "i586": "i686", "armv8l": "armv7l", "arm64": "aarch64", "amd64": "x86_64"}
"""Maps the names of machines to those in the names of wheels; armv8l is a 32-bit process on a 64-bit processor."""


def platform_of_machine(machine: str) -> str:
    """Return the platform of a Linux machine by the name that ``uname -m`` prints; HarnessError if there is none."""
    name = machine.strip().lower()
    platform = f"linux_{_ALIASES.get(name, name)}"
    if platform not in TRIPLES.values():
        raise HarnessError(
            f"there is no worker for machines of the type {machine!r}; build it there with a C compiler, and name it "
            "with exec:'… PATH {arguments}'"
        )
    return platform


def platform_of_target(target: str) -> str:
    """Return the platform of a target; HarnessError if it is unknown."""
    if target in TRIPLES:
        return TRIPLES[target]
    raise HarnessError(f"unknown target {target!r}; known are {', '.join(TRIPLES)}")


def find_worker_for(platform: str = "") -> Path:
    """Return the worker for a platform, by default this one; HarnessError, with how to get it, if there is none."""
    if platform in ("", platform_name()):
        return find_worker()
    found = find_existing(platform)
    if found is not None:
        return found
    target = next((name for name, each in TRIPLES.items() if each == platform), platform)
    raise HarnessError(
        f"there is no worker for {target} here; build it with clconform device worker {target} --build, or install a "
        "release wheel of clconform"
    )


def find_existing(platform: str) -> Path | None:
    """Return a worker of the present sources for a platform, of the oldest C library, or None."""
    paths = [
        path
        for root in (PACKAGED, cache_folder() / "workers")
        for path in root.glob(f"{platform}-*-{source_digest()}/{executable_name(platform)}")
    ]
    return min(paths, key=lambda path: parse_glibc_version(path.parent.name), default=None)


def build_worker_for(target: str) -> Path:
    """Build the worker for a target by its cross compiler, in the user's cache; HarnessError if that fails."""
    platform = platform_of_target(target)
    compiler = find_cross_compiler(target)
    path = executable_path(cache_folder() / "workers", platform, None)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{NAME}.new")
        build_executable(compiler, unfinished, platform=platform)
        unfinished.replace(path)
    except CompilerError as error:
        raise HarnessError(f"the worker for {target} cannot be built: {fold_line(str(error), 800)}") from None
    except OSError as error:
        raise HarnessError(f"cannot write {error.filename}: {error.strerror}; set XDG_CACHE_HOME to a folder") from None
    return path


def find_cross_compiler(target: str) -> list[str]:
    """Return the command of a C compiler for a target: gcc for it, or zig; HarnessError if there is none."""
    gcc = shutil.which(f"{_GCC_NAMES.get(target, target)}-gcc")
    if gcc:
        return [gcc]
    zig = shutil.which("zig")
    if zig:
        name = {"i686-linux-gnu": "x86-linux-gnu"}.get(target, target)
        return [zig, "cc", "-target", f"{name}.2.28" if "linux" in name else name, "-s"]
    package = _GCC_PACKAGES.get(target, f"gcc-{target}")
    raise HarnessError(f"there is no C compiler for {target}: install {package} (Debian) or zig, and run this again")
