"""The repository is the package: the contents of the wheel, and clones with any name."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from clconform.harness.c_compiler import list_compilers
from clconform.harness.worker_executable import platform_name, start_error

from .case_sampling import ALL

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NOT_PACKAGED = ("tests", "docs", ".ci", "build_backend")
EXECUTABLES = "harness/driver_worker/bin/"
"""The folder of the executables, which git does not track."""
REQUIRED_SETUPTOOLS = int(re.findall(r"\d+", SETTINGS["build-system"]["requires"][0])[0])

PLAIN_OPTIONS = ("--assert=plain", "-p", "no:cacheprovider")
"""The failures of a copy's tests are not read, and rewriting their assertions would take half the time."""
LARGE_FOLDERS = ("extract", "oracles", "reports", "runner", "selftest", "simulator")
OMITTED_FOLDERS = () if ALL else tuple(f"tests/{each}" for each in LARGE_FOLDERS)
"""Folders that a copy does not collect by default, because they would take four times as long.

Other tests cover the possible omissions: ``tests/test_layers.py`` checks that tests are not imported by the package's
name, and a test below checks that the wheel has every module and every data file.
"""
ZIG = """
import pathlib, sys
built = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
built.write_text("#!/bin/sh\\nexit 2\\n# " + " ".join(sys.argv[1:]))
built.chmod(0o755)
"""
SELECTED_TESTS = "every_package or (below_it and (calls or recording))"
"""Tests of a copy that run on the installed wheel; all tests of the module take twenty times as long."""


def git_files(*patterns: str) -> list[Path]:
    """Return the files of this checkout that git tracks or would add, relative to its root."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("no git checkout: which files belong to the repository cannot be told")
    listing = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-co", "--exclude-standard", "-z", "--", *patterns]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in sorted(set(names.split("\0"))) if name and (ROOT / name).is_file()]


def package_folders() -> set[Path]:
    """Return the folders with modules, except those that are not packaged."""
    folders = {path.parent for path in git_files("*.py")}
    return {folder for folder in folders if folder.parts and folder.parts[0] not in NOT_PACKAGED}


def listed_data_files() -> set[str]:
    patterns = SETTINGS["tool"]["setuptools"]["package-data"]
    found = set()
    for package, globs in patterns.items():
        folder = Path(*package.split(".")[1:])
        for pattern in globs:
            found |= {str(path.relative_to(ROOT)) for path in (ROOT / folder).glob(pattern) if path.is_file()}
    return {name for name in found if not name.startswith(EXECUTABLES)}


def test_package_list_of_pyproject_names_every_package_folder() -> None:
    listed = SETTINGS["tool"]["setuptools"]["packages"]
    assert listed == sorted(listed)
    assert set(listed) == {".".join(("clconform", *folder.parts)) for folder in package_folders()}


def test_every_package_folder_except_the_root_has_init_module() -> None:
    assert [str(folder) for folder in package_folders() if not (ROOT / folder / "__init__.py").is_file()] == []
    assert not (ROOT / "__init__.py").exists()


def test_every_data_file_is_listed_in_pyproject() -> None:
    inside = {str(path) for folder in package_folders() for path in git_files(str(folder)) if path.suffix != ".py"}
    assert inside == listed_data_files()


def test_pytest_without_arguments_is_configured_to_run_only_tests_folder() -> None:
    options = SETTINGS["tool"]["pytest"]["ini_options"]
    assert options["testpaths"] == ["tests"]
    assert "--import-mode=importlib" in options["addopts"]
    assert not any("--cl-" in option for option in options["addopts"])


def test_plugin_is_loaded_only_by_its_entry_point() -> None:
    assert SETTINGS["project"]["entry-points"]["pytest11"] == {"clconform": "clconform.runner.pytest_plugin.plugin"}
    for path in git_files("*conftest.py"):
        assert "pytest_plugins" not in (ROOT / path).read_text(encoding="utf-8")


def test_commands_and_plugins_can_be_imported() -> None:
    entries = [*SETTINGS["project"]["scripts"].values(), *SETTINGS["project"]["entry-points"]["pytest11"].values()]
    for entry in entries:
        module, _, name = entry.partition(":")
        assert importlib.util.find_spec(module) is not None, entry
        assert not name or hasattr(importlib.import_module(module), name), entry


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of this checkout with uncommitted changes, under another name."""
    folder = tmp_path_factory.mktemp("elsewhere") / "another-name"
    for path in git_files():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    return folder


def run_pip(*arguments: str, seconds: float = 150) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


@pytest.fixture(scope="module")
def wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel built from the copy. Skip if a sufficiently new setuptools is unavailable.

    Without a C compiler, the build would download zig, unless the copy has the executable.
    """
    if importlib.util.find_spec("pip") is None:
        pytest.skip("no pip here: the wheel cannot be built")
    if not list_compilers():
        if not (ROOT / EXECUTABLES).is_dir():
            pytest.skip("no C compiler is here (apt-get install gcc libc6-dev)")
        shutil.copytree(ROOT / EXECUTABLES, clone / EXECUTABLES, dirs_exist_ok=True)
    folder = tmp_path_factory.mktemp("wheel")
    arguments = ["wheel", str(clone), "--no-deps", "--wheel-dir", str(folder)]
    if has_new_setuptools():
        arguments.append("--no-build-isolation")
    built = run_pip(*arguments)
    output = built.stdout + built.stderr
    if built.returncode and re.search(r"No matching distribution found for setuptools|Could not fetch URL", output):
        pytest.skip(f"no setuptools >= {REQUIRED_SETUPTOOLS} is installed, and none can be had from a package index")
    assert built.returncode == 0, output[-3000:]
    (found,) = folder.glob("*.whl")
    return found


def has_new_setuptools() -> bool:
    try:
        major = int(importlib.metadata.version("setuptools").split(".")[0])
    except importlib.metadata.PackageNotFoundError:
        return False
    return major >= REQUIRED_SETUPTOOLS


def test_wheel_holds_exactly_the_modules_and_data_files(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    modules = {
        str(path)
        for folder in package_folders()
        for path in git_files(str(folder))
        if path.parent == folder and path.suffix == ".py"
    }
    executables = {name for name in inside if name.startswith(f"clconform/{EXECUTABLES}")}
    assert len(executables) == 1
    assert inside - executables == {f"clconform/{name}" for name in modules | listed_data_files()}


def test_tag_of_wheel_names_its_platform(wheel: Path) -> None:
    assert wheel.name.endswith(f"-py3-none-{platform_name()}.whl")


def test_wheel_has_licence_and_entry_points(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        described = {name.partition(".dist-info/")[2] for name in archive.namelist() if ".dist-info/" in name}
        (entries,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        text = archive.read(entries).decode()
    assert any(name.endswith("LICENSE") for name in described)
    assert "clconform = clconform.runner.pytest_plugin.plugin" in text
    assert "clconform = clconform.tools.start:main" in text


@pytest.fixture(scope="module")
def installed_wheel(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("installed")
    done = run_pip("install", "--no-deps", "--no-index", "--no-compile", "--target", str(folder), str(wheel))
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def test_installed_wheel_needs_no_compiler(installed_wheel: Path, tmp_path: Path) -> None:
    code = "from clconform.harness.worker_build import find_worker; print(find_worker())"
    environment = {**os.environ, "PYTHONPATH": str(installed_wheel), "PATH": "", "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    worker = Path(done.stdout.strip())
    assert worker.is_relative_to(installed_wheel)
    assert start_error(worker) == ""


@pytest.fixture
def build_folder(tmp_path: Path) -> Path:
    """Return a copy of the build backend, next to copies of the files that it uses; there is no executable."""
    for path in git_files("build_backend/*", "harness/*"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, tmp_path / path)
    return tmp_path / "build_backend"


def run_build(build_folder: Path, expression: str, path: str) -> str:
    """Return the value of an expression about the build, in a process without installed packages."""
    excluded = ("CC", "PYTHONPATH", "PYTHONSAFEPATH")  # commands that ran earlier in this process may have set the last
    environment = {name: value for name, value in os.environ.items() if name not in excluded}
    command = [sys.executable, "-S", "-c", f"import worker_binaries; print(worker_binaries.{expression})"]
    done = subprocess.run(
        command, cwd=build_folder, env={**environment, "PATH": path}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_build_without_compiler_requests_zig(build_folder: Path) -> None:
    expected = run_build(build_folder, "can_use_zig() and [worker_binaries.ZIG_REQUIREMENT] or []", "")
    assert run_build(build_folder, "list_requirements()", "") == expected


def test_build_with_compiler_requests_nothing(build_folder: Path) -> None:
    if not list_compilers():
        pytest.skip("no C compiler is here (apt-get install gcc libc6-dev)")
    assert run_build(build_folder, "list_requirements()", os.environ["PATH"]) == "[]"


def test_build_with_compiler_that_cannot_link_requests_zig(build_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cc").symlink_to("/bin/false")
    expected = run_build(build_folder, "can_use_zig() and [worker_binaries.ZIG_REQUIREMENT] or []", "")
    assert run_build(build_folder, "list_requirements()", str(tmp_path)) == expected


def test_build_without_compiler_and_zig_reports_the_reason(build_folder: Path) -> None:
    assert run_build(build_folder, "provide_executable()", "") == "there is no C compiler"


def test_build_by_zig_is_for_an_older_glibc(build_folder: Path) -> None:
    """A program with zig's name writes its arguments into the executable."""
    if run_build(build_folder, "can_use_zig()", "") == "False":
        pytest.skip("zig does not build for this machine")
    (build_folder / "ziglang").mkdir()
    (build_folder / "ziglang" / "__main__.py").write_text(ZIG, encoding="utf-8")
    (build_folder / "ziglang" / "__init__.py").touch()
    outdated = build_folder.parent / EXECUTABLES / f"{platform_name()}-glibc-2.28-0123456789abcdef" / "clconform-worker"
    outdated.parent.mkdir(parents=True)
    outdated.touch()
    assert run_build(build_folder, "provide_executable()", "") == ""
    (built,) = (build_folder.parent / EXECUTABLES).rglob("clconform-worker")
    assert built.parent.name.startswith(f"{platform_name()}-glibc-2.28-")
    assert re.search(r"cc .*-target [\w-]+-linux-\w+\.2\.28 ", built.read_text(encoding="utf-8"))


def run_python(installed_wheel: Path, where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with the installed wheel first on the path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(installed_wheel)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_pytest_in_renamed_clone_collects_only_the_tests_folder(installed_wheel: Path, clone: Path) -> None:
    done = run_python(
        installed_wheel,
        clone,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        *PLAIN_OPTIONS,
        *(f"--ignore={each}" for each in OMITTED_FOLDERS),
    )
    assert done.returncode == 0, done.stdout[-3000:]
    ids = [line for line in done.stdout.splitlines() if "::" in line]
    assert len(ids) > 300
    assert all(one.startswith("tests/") for one in ids)


def test_renamed_clone_passes_tests_on_the_installed_wheel(installed_wheel: Path, clone: Path) -> None:
    where = "import clconform.oracles, sys; print(clconform.oracles.__path__[0])"
    assert run_python(installed_wheel, clone, "-c", where).stdout.startswith(str(installed_wheel))
    done = run_python(
        installed_wheel, clone, "-m", "pytest", "tests/test_layers.py", "-q", *PLAIN_OPTIONS, "-k", SELECTED_TESTS
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "3 passed" in done.stdout


def test_installed_suites_run_from_any_folder(installed_wheel: Path, tmp_path: Path) -> None:
    options = ("--cl-simulated", "flat-4", "--cl-tier", "tables", "--cl-requirement", "clRetainDevice/*")
    done = run_python(
        installed_wheel,
        tmp_path,
        "-m",
        "pytest",
        "--pyargs",
        "clconform.suites",
        "-q",
        "-p",
        "no:cacheprovider",
        *options,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "passed" in done.stdout
