"""Builds the worker's executable for this machine by a local C compiler or by zig, and for other machines by zig.

``.ci/release-workers`` runs this module to build the executables of a release.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]


def _use_modules_of_this_folder() -> None:
    """Let ``clconform.harness`` be the folder next to this one, without the imports of its ``__init__`` module.

    The environment of a build has none of the packages that the project depends on.
    """
    for name, folder in (("clconform", ROOT), ("clconform.harness", ROOT / "harness")):
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


_use_modules_of_this_folder()

from clconform.harness import worker_executable  # noqa: E402 (after the packages are defined)
from clconform.harness.c_compiler import CompilerError, list_compilers, run_compiler  # noqa: E402

ZIG_REQUIREMENT = "ziglang==0.17.1"
ZIG_GLIBC = (2, 28)
"""The oldest version of glibc for which zig builds."""
ZIG_TARGETS = {
    "linux_x86_64": "x86_64-linux-gnu",
    "linux_i686": "x86-linux-gnu",
    "linux_aarch64": "aarch64-linux-gnu",
    "linux_armv7l": "arm-linux-gnueabihf",
    "linux_riscv64": "riscv64-linux-gnu",
    "windows_x86_64": "x86_64-windows-gnu",
}
"""Maps platforms to zig's names of them."""
_PROBE = "#include <dlfcn.h>\n#include <stdio.h>\nint main(void) { return puts(dlerror()) == EOF; }\n"


def find_usable_compiler() -> list[str] | None:
    """Return the command of a local C compiler that has a C library to link with, or None."""
    return next((each for each in list_compilers() if _is_usable(each)), None)


def can_use_zig() -> bool:
    """Return whether zig, if it is installed, can build an executable that runs on this machine."""
    version = worker_executable.glibc_version()
    return worker_executable.platform_name() in ZIG_TARGETS and version is not None and version >= ZIG_GLIBC


def list_requirements() -> list[str]:
    """Return the packages that the build of the executable needs: zig, if a local C compiler is missing."""
    has_executable = worker_executable.find_executable(worker_executable.PACKAGED) is not None
    return [] if has_executable or find_usable_compiler() or not can_use_zig() else [ZIG_REQUIREMENT]


def provide_executable() -> str:
    """Build the executable for this machine in the package's folder, unless it is there.

    Returns the reason why there is none; an empty text if there is one. Executables of other sources are removed.
    """
    remove_outdated(worker_executable.PACKAGED)
    if worker_executable.find_executable(worker_executable.PACKAGED):
        return ""
    platform = worker_executable.platform_name()
    compiler = find_usable_compiler()
    try:
        if compiler:
            version = worker_executable.glibc_version()
            _build(compiler, worker_executable.executable_path(worker_executable.PACKAGED, platform, version))
        elif can_use_zig() and importlib.util.find_spec("ziglang"):
            with tempfile.TemporaryDirectory() as cache:
                build_with_zig(platform, worker_executable.PACKAGED, Path(cache))
        else:
            return "there is no C compiler"
    except (CompilerError, OSError) as error:
        return str(error)
    return _start_error()


def build_with_zig(platform: str, folder: Path, cache: Path) -> Path:
    """Build the executable for a platform, and return its path in the folder; CompilerError if zig fails."""
    has_glibc = platform.startswith("linux_")
    target = worker_executable.executable_path(folder, platform, ZIG_GLIBC if has_glibc else None)
    triple = f"{ZIG_TARGETS[platform]}.{ZIG_GLIBC[0]}.{ZIG_GLIBC[1]}" if has_glibc else ZIG_TARGETS[platform]
    variables = {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    _build([sys.executable, "-m", "ziglang", "cc"], target, ("-target", triple, "-s"), variables, platform)
    return target


def remove_outdated(folder: Path) -> None:
    """Remove the executables that were built from other sources."""
    for path in folder.glob("*"):
        if not path.name.endswith(f"-{worker_executable.source_digest()}"):
            shutil.rmtree(path, ignore_errors=True)


def build_release(folder: Path) -> None:
    """Build the executables for all platforms in a folder, and print their paths."""
    remove_outdated(folder)
    with tempfile.TemporaryDirectory() as cache:
        for platform in ZIG_TARGETS:
            print(build_with_zig(platform, folder, Path(cache)))  # noqa: T201 (the output of a command)


def _build(
    compiler: list[str],
    target: Path,
    options: tuple[str, ...] = (),
    variables: dict[str, str] | None = None,
    platform: str = "",
) -> None:
    """Build an executable in a temporary folder, so that a path with an unfinished one never exists."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        built = Path(work, target.name)
        worker_executable.build_executable(compiler, built, options, variables, platform)
        built.replace(target)


def _start_error() -> str:
    """Return the reason why the executable that was built does not start here; it is then removed."""
    found = worker_executable.find_executable(worker_executable.PACKAGED)
    if found is None:
        return "the file system permits no programs"
    error = worker_executable.start_error(found)
    if error:
        shutil.rmtree(found.parent)
    return f"it does not start: {error}" if error else ""


def _is_usable(compiler: list[str]) -> bool:
    with tempfile.TemporaryDirectory() as work:
        source, program = Path(work, "probe.c"), Path(work, "probe")
        source.write_text(_PROBE, encoding="ascii")
        try:
            run_compiler(compiler, ["-o", program, source, "-ldl", "-lpthread"], "a program")
        except CompilerError:
            return False
        return True


if __name__ == "__main__":
    build_release(Path(sys.argv[1]).resolve() if sys.argv[1:] else worker_executable.PACKAGED)
