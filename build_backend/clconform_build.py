"""The build backend of this project: setuptools, with the worker's executable for this machine in the wheel.

A local C compiler builds the executable. Without one, the backend requests zig from the package index. The wheel is
also built if there is no executable: then a C compiler is needed when the worker is first used.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

from setuptools import build_meta
from worker_binaries import ROOT, list_requirements, provide_executable

from clconform.harness import worker_executable

if TYPE_CHECKING:
    from collections.abc import Mapping

    ConfigSettings = Mapping[str, Any] | None

build_sdist = build_meta.build_sdist
get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings: ConfigSettings = None) -> list[str]:
    """Return the requirements of setuptools, and zig if it must build the executable."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *list_requirements()]


def get_requires_for_build_editable(config_settings: ConfigSettings = None) -> list[str]:
    """Return the requirements of setuptools, and zig if it must build the executable."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *list_requirements()]


def build_wheel(
    wheel_directory: str, config_settings: ConfigSettings = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel with the executable, and return its name."""
    _remove_earlier_copies()
    if _report_executable():
        config_settings = _with_platform(config_settings)
    return str(build_meta.build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(
    wheel_directory: str, config_settings: ConfigSettings = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel of an editable installation, and the executable in the folder of its sources."""
    _report_executable()
    return str(build_meta.build_editable(wheel_directory, config_settings, metadata_directory))


def _report_executable() -> bool:
    """Provide the executable; print the reason if there is none."""
    reason = provide_executable()
    if reason:
        sys.stderr.write(
            f"clconform: built without {worker_executable.PRODUCT}: {reason}; "
            "a C compiler will be needed when it is first used\n"
        )
    return not reason


def _with_platform(settings: ConfigSettings) -> dict[str, Any]:
    """Return settings that name the platform in the wheel's tag; a platform in the given settings has priority."""
    given = (settings or {}).get("--build-option", [])
    options = given.split() if isinstance(given, str) else list(given)
    return {**(settings or {}), "--build-option": [f"--plat-name={worker_executable.platform_name()}", *options]}


def _remove_earlier_copies() -> None:
    """Remove the executables that an earlier build has left in the folder in which setuptools collects files."""
    copies = ROOT / "build" / "lib" / "clconform" / worker_executable.PACKAGED.relative_to(ROOT)
    shutil.rmtree(copies, ignore_errors=True)
