"""Finds shared libraries: a driver by path or name, the system's loader, and the libraries bundled with pyopencl."""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import shutil
import subprocess
from pathlib import Path

from clconform.harness.errors import HarnessError
from clconform.spec_tables.regular_files import find_irregular_kind

LOADER_NAME = "libOpenCL.so.1"
_LDCONFIG_SECONDS = 20
VENDORS = Path("/etc/OpenCL/vendors")
"""The folder with the files that name the installed drivers."""
_SYSTEM_FOLDERS = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")


def resolve_library(library: str) -> str:
    """Return the absolute path of a library that is specified by a path, or by a name in the linker's search path.

    Symbolic links are not resolved, because a driver may look for its files next to the path that it was loaded from.
    HarnessError if the library is missing or not a file.
    """
    if "/" not in library and not Path(library).is_file():
        found = _find_by_name(library)
        if found is None:
            raise HarnessError(f"the dynamic linker does not find {library!r}; give its full path")
        return found
    path = Path(library).expanduser().absolute()
    if not path.is_file():
        kind = "folder" if path.is_dir() else find_irregular_kind(path)
        raise HarnessError(f"no such library: {library} ({f'it is a {kind}' if kind else 'check the path'})")
    return str(path)


def installed_loader() -> str | None:
    """Return the path of the loader that programs in this environment use, or None if it is not installed."""
    return _find_by_name(LOADER_NAME)


def any_loader() -> str:
    """Return the installed loader, or else the one bundled with pyopencl; HarnessError if both are missing."""
    found = installed_loader() or _find_near_pyopencl("libOpenCL*.so*")
    if found is None:
        raise HarnessError(
            f"no OpenCL loader found: install {LOADER_NAME} (Debian: ocl-icd-libopencl1) or pyopencl; or use --direct"
        )
    return found


def bundled_loader() -> str | None:
    """Return the path of the loader bundled in pyopencl's wheel, or None."""
    return _find_near_pyopencl("libOpenCL*.so*")


def pyopencl_folder() -> Path | None:
    """Return the folder of the pyopencl package, or None if it is not installed."""
    spec = importlib.util.find_spec("pyopencl")
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def embedded_pocl() -> str:
    """Return the path of the PoCL library that pip installed into pyopencl; HarnessError if it is missing."""
    found = _find_near_pyopencl("libpocl*.so*")
    if found is not None:
        return found
    if platform.machine() != "x86_64":
        raise HarnessError(
            f"the embedded PoCL is built for x86-64 Linux, this is {platform.machine()}; name a driver with --driver"
        )
    raise HarnessError(
        "the embedded PoCL is not installed: run `pip install pocl-binary-distribution`, or use --driver"
    )


def bundled_folder(library: str) -> str | None:
    """Return the folder to prepend to LD_LIBRARY_PATH for this library, or None for a system library.

    Drivers from wheels and archives bundle their dependencies (TBB, Clang), and find them only with this path.
    """
    folder = os.path.dirname(os.path.realpath(library))  # noqa: PTH120 (one spelling for the comparison below)
    multiarch = f"{platform.machine()}-linux-gnu"
    system = {os.path.realpath(f"{base}{end}") for base in _SYSTEM_FOLDERS for end in ("", f"/{multiarch}")}
    return None if folder in system else folder


def check_vendor_files() -> None:
    """Raise HarnessError if a file that names a driver for the loader is a pipe or a device, which would block it.

    ``OCL_ICD_VENDORS`` replaces the default folder. Khronos' loader reads ``OCL_ICD_FILENAMES`` in addition to that
    folder, and ocl-icd ignores it.
    """
    given = os.environ.get("OCL_ICD_FILENAMES", ""), os.environ.get("OCL_ICD_VENDORS") or str(VENDORS)
    listed = [Path(each) for each in ":".join(given).split(":") if each]
    for path in [*listed, *(file for folder in listed if folder.is_dir() for file in sorted(folder.glob("*.icd")))]:
        kind = find_irregular_kind(path)
        if kind:
            raise HarnessError(f"{path}: it is a {kind}, for which the loader would wait; remove it")


def _find_near_pyopencl(pattern: str) -> str | None:
    """Return a library that auditwheel put next to pyopencl; does not import pyopencl, which would load a loader."""
    package = pyopencl_folder()
    if package is None:
        return None
    for folder in (package / ".libs", package.parent / "pyopencl.libs"):
        found = sorted(folder.glob(pattern))
        if found:
            return str(found[0])
    return None


def _find_by_name(name: str) -> str | None:
    for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        if folder and Path(folder, name).is_file():
            return str(Path(folder, name).absolute())
    ldconfig = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    if ldconfig is not None:
        wide = "x86-64" if platform.machine() == "x86_64" else ""
        for line in _ldconfig_cache(ldconfig).splitlines():
            entry, _, path = line.partition(" => ")
            if entry.split()[:1] == [name] and wide in entry and Path(path).is_file():
                return path
    for base in _SYSTEM_FOLDERS:
        for place in (Path(base, f"{platform.machine()}-linux-gnu", name), Path(base, name)):
            if place.is_file():
                return str(place)
    return None


@functools.cache
def _ldconfig_cache(ldconfig: str) -> str:
    """Return the dynamic linker's cache as text; cached because each start of a worker looks the loader up."""
    return subprocess.run(
        [ldconfig, "-p"], capture_output=True, text=True, timeout=_LDCONFIG_SECONDS, check=False
    ).stdout
