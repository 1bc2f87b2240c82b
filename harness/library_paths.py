"""Paths of libraries in the driver's process, which may run on another operating system than the session."""

from __future__ import annotations

import re

_WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]|[^/]*\\")
_LOADER_NAME = re.compile(r"libOpenCL\.so(\..*)?|opencl(\.dll)?", re.IGNORECASE)


def is_windows_path(path: str) -> bool:
    r"""Return whether a path with a folder has the form of Windows: ``C:\folder\file``."""
    return _WINDOWS_PATH.match(path) is not None


def has_folder(path: str) -> bool:
    """Return whether a library is specified by a path, and not by a name for the system to search for."""
    return "/" in path or is_windows_path(path)


def file_name(path: str) -> str:
    """Return the name of the file at a path."""
    return re.split(r"[\\/]" if is_windows_path(path) else "/", path)[-1]


def is_loader_name(path: str) -> bool:
    """Return whether the file at a path has the name of OpenCL's loader, which some drivers have, too."""
    return _LOADER_NAME.fullmatch(file_name(path)) is not None


def has_name(path: str, name: str) -> bool:
    """Return whether the file at a path has a name, or this name and further numbers of a version or an extension.

    Windows ignores case.
    """
    found = file_name(path)
    if is_windows_path(path):
        found, name = found.lower(), name.lower()
    return f"{found}.".startswith(f"{name}.")
