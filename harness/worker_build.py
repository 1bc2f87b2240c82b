"""Finds the executable of the worker, the C program that loads a driver, and builds it if it is missing."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from clconform.harness.build_cache import build_once, cache_folder
from clconform.harness.c_compiler import INSTALL_ADVICE, CompilerError, find_compiler
from clconform.harness.errors import HarnessError, fold_line
from clconform.harness.worker_executable import (
    PACKAGED,
    PRODUCT,
    build_executable,
    executable_path,
    find_executable,
    glibc_version,
    platform_name,
    start_error,
)

_MAX_MESSAGE = 800
VARIABLE = "CLCONFORM_WORKER"
"""The environment variable that names another executable, such as one with a sanitizer."""


@functools.cache
def find_worker() -> Path:
    """Return the path of the worker's executable.

    It is the one that the environment names, that of the installed package, that in the user's cache, or one that is
    built there now. An executable of other sources is never used. HarnessError if there is none and it cannot be built.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return _check_named(Path(named).expanduser().absolute())
    return find_executable(PACKAGED) or _find_cached()


def _check_named(path: Path) -> Path:
    if not path.is_file():
        raise HarnessError(f"no such file: {path}; set {VARIABLE} to the worker's executable, or unset it")
    if not os.access(path, os.X_OK):
        raise HarnessError(f"{path} cannot be executed; set {VARIABLE} to the worker's executable, or unset it")
    return path


def _find_cached() -> Path:
    """Return the executable in the user's cache, which is built if it is missing."""
    try:
        folder = cache_folder() / "workers"
        target = executable_path(folder, platform_name(), glibc_version())
        found = find_executable(folder) or build_once(target, _build_checked)
    except CompilerError as error:
        message = fold_line(str(error), _MAX_MESSAGE)
        advice = "" if INSTALL_ADVICE in message else f"; {INSTALL_ADVICE}"
        raise HarnessError(f"{message}{advice}, or install a release wheel of clconform") from None
    except OSError as error:
        raise HarnessError(
            f"cannot write {PRODUCT} to {error.filename or 'the cache folder'}: {error.strerror}; "
            "set XDG_CACHE_HOME to a folder that can be written"
        ) from None
    if not os.access(found, os.X_OK):
        raise _unusable("it cannot be executed")
    return found


def _build_checked(target: Path) -> None:
    build_executable(find_compiler(PRODUCT), target)
    error = start_error(target)
    if error:
        raise _unusable(error)


def _unusable(reason: str) -> HarnessError:
    return HarnessError(
        f"{PRODUCT} was built in {cache_folder()} but does not start: {reason}; set "
        "XDG_CACHE_HOME to a folder on a file system that permits programs, or CC to a compiler for this machine"
    )
