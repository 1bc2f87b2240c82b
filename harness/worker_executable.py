"""The executable of the worker, the C program that loads a driver: its sources, its names and how it is compiled.

This module imports only the standard library, because the build of the wheel imports it, too.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.harness.c_compiler import run_compiler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SOURCES = Path(__file__).with_name("driver_worker")
PACKAGED = SOURCES / "bin"
"""The folder in the package with the executables that the build of the wheel has put there."""
NAME = "clconform-worker"
FLAGS = ("-std=c11", "-O2")
_WINDOWS = "windows_"
"""The beginning of the names of the platforms with Windows."""
_LIBRARIES = ("-ldl", "-lpthread")
_WINDOWS_LIBRARIES = ("-static", "-lws2_32", "-lpthread")
_SUFFIXES = {False: "_windows.c", True: "_linux.c"}
"""Maps whether a platform has Windows to the ends of the names of sources that are not for it."""
PRODUCT = "the worker that loads drivers"
_SECONDS = 60.0
_USAGE_ERROR = 2
_OF_32_BITS = {"linux_x86_64": "linux_i686", "linux_aarch64": "linux_armv7l"}
_FOLDER = re.compile(r"(?P<platform>\w+)-glibc-(?P<major>\d+)\.(?P<minor>\d+)-(?P<digest>[0-9a-f]+)")


@functools.cache
def source_digest() -> str:
    """Return a digest of the sources and of the flags that they are compiled with."""
    digest = hashlib.sha256(" ".join((*FLAGS, *_LIBRARIES, *_WINDOWS_LIBRARIES)).encode())
    for path in sorted(SOURCES.glob("*.[ch]")):
        contents = path.read_bytes()
        digest.update(f"\0{path.name}\0{len(contents)}\0".encode())
        digest.update(contents)
    return digest.hexdigest()[:16]


def platform_name() -> str:
    """Return the name of the platform that this Python was built for, as in the names of wheels: ``linux_x86_64``."""
    name = re.sub(r"\W", "_", sysconfig.get_platform())
    return _OF_32_BITS.get(name, name) if sys.maxsize < 1 << 32 else name


def glibc_version() -> tuple[int, int] | None:
    """Return the version of the C library; None if it is not glibc."""
    try:
        found = re.fullmatch(r"glibc (\d+)\.(\d+).*", os.confstr("CS_GNU_LIBC_VERSION") or "")
    except (AttributeError, OSError, ValueError):
        return None
    return (int(found[1]), int(found[2])) if found else None


def executable_path(root: Path, platform: str, glibc: tuple[int, int] | None) -> Path:
    """Return the path in a folder of the executable for a platform, built for this version of glibc or a newer one."""
    library = f"glibc-{glibc[0]}.{glibc[1]}" if glibc else "other"
    return root / f"{platform}-{library}-{source_digest()}" / executable_name(platform)


def parse_glibc_version(folder_name: str) -> tuple[int, int]:
    """Return the version of glibc for which the executable in a folder of this name was built; 0.0 without one."""
    found = _FOLDER.fullmatch(folder_name)
    return (int(found["major"]), int(found["minor"])) if found else (0, 0)


def executable_name(platform: str) -> str:
    """Return the name of the executable's file for a platform."""
    return f"{NAME}.exe" if platform.startswith(_WINDOWS) else NAME


def find_executable(root: Path) -> Path | None:
    """Return an executable in a folder that was built from the present sources and runs on this machine, or None."""
    version = glibc_version()
    if version is None:
        paths = [executable_path(root, platform_name(), None)]
    else:
        paths = [path / NAME for path in sorted(root.glob(f"{platform_name()}-*")) if _fits(path.name, version)]
    return next((path for path in paths if path.is_file() and os.access(path, os.X_OK)), None)


def build_executable(
    compiler: Sequence[str],
    target: Path,
    options: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    platform: str = "",
) -> None:
    """Compile the sources to the target, by default for this platform; CompilerError if the compiler fails."""
    is_windows = platform.startswith(_WINDOWS)
    sources = map(str, list_sources(platform))
    libraries = _WINDOWS_LIBRARIES if is_windows else _LIBRARIES
    run_compiler(compiler, [*FLAGS, *options, "-o", str(target), *sources, *libraries], PRODUCT, variables)


def start_error(path: Path) -> str:
    """Return the reason why an executable does not start on this machine, or an empty text.

    Without options, the worker ends with an exit code for bad usage.
    """
    try:
        done = subprocess.run([path], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False)
    except OSError as error:
        return str(error.strerror)
    except subprocess.TimeoutExpired:
        return f"it runs for more than {_SECONDS:g} s"
    return "" if done.returncode == _USAGE_ERROR else f"exit code {done.returncode}"


def list_sources(platform: str = "") -> list[Path]:
    """Return the C files for a platform, by default for this one: without those of other operating systems."""
    suffix = _SUFFIXES[platform.startswith(_WINDOWS)]
    return [path for path in sorted(SOURCES.glob("*.c")) if not path.name.endswith(suffix)]


def _fits(name: str, version: tuple[int, int]) -> bool:
    """Return whether the folder of this name has an executable of the present sources for this version of glibc."""
    found = _FOLDER.fullmatch(name)
    return (
        found is not None
        and (found["platform"], found["digest"]) == (platform_name(), source_digest())
        and (int(found["major"]), int(found["minor"])) <= version
    )
