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

from .sampling import ALL

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NOT_PACKAGED = ("tests", "docs", ".ci")
NEEDED_SETUPTOOLS = int(re.findall(r"\d+", SETTINGS["build-system"]["requires"][0])[0])

PLAIN = ("--assert=plain", "-p", "no:cacheprovider")
"""The failures of a copy's tests are not read, and rewriting their assertions would take half the time."""
LARGE = ("extract", "oracles", "reports", "runner", "selftest", "simulator")
LEFT_OUT = () if ALL else tuple(f"tests/{each}" for each in LARGE)
"""Folders that a copy does not collect by default, because they would take four times as long.

Other tests cover the possible omissions: ``tests/test_layers.py`` checks that tests are not imported by the package's
name, and a test below checks that the wheel has every module and every data file.
"""
FEW = "every_package or (below_it and (calls or recording))"
"""Tests of a copy that run on the installed wheel; all tests of the module take twenty times as long."""


def in_git(*patterns: str) -> list[Path]:
    """Return the files of this checkout that git tracks or would add, relative to its root."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("no git checkout: which files belong to the repository cannot be told")
    listing = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-co", "--exclude-standard", "-z", "--", *patterns]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in sorted(set(names.split("\0"))) if name and (ROOT / name).is_file()]


def packages() -> set[Path]:
    """Return the folders with modules, except those that are not packaged."""
    folders = {path.parent for path in in_git("*.py")}
    return {folder for folder in folders if folder.parts and folder.parts[0] not in NOT_PACKAGED}


def data_files() -> set[str]:
    patterns = SETTINGS["tool"]["setuptools"]["package-data"]
    found = set()
    for package, globs in patterns.items():
        folder = Path(*package.split(".")[1:])
        for pattern in globs:
            found |= {str(path.relative_to(ROOT)) for path in (ROOT / folder).glob(pattern) if path.is_file()}
    return found


def test_the_list_of_packages_is_that_of_the_folders() -> None:
    listed = SETTINGS["tool"]["setuptools"]["packages"]
    assert listed == sorted(listed)
    assert set(listed) == {".".join(("clconform", *folder.parts)) for folder in packages()}


def test_every_package_has_its_init_and_the_root_has_none() -> None:
    assert [str(folder) for folder in packages() if not (ROOT / folder / "__init__.py").is_file()] == []
    assert not (ROOT / "__init__.py").exists()


def test_every_file_that_is_no_module_is_listed_as_data() -> None:
    inside = {str(path) for folder in packages() for path in in_git(str(folder)) if path.suffix != ".py"}
    assert inside == data_files()


def test_a_bare_pytest_runs_our_own_tests_only() -> None:
    options = SETTINGS["tool"]["pytest"]["ini_options"]
    assert options["testpaths"] == ["tests"]
    assert "--import-mode=importlib" in options["addopts"]
    assert not any("--cl-" in option for option in options["addopts"])


def test_the_plugin_comes_by_its_entry_point_only() -> None:
    assert SETTINGS["project"]["entry-points"]["pytest11"] == {"clconform": "clconform.runner.pytest_plugin.plugin"}
    for path in in_git("*conftest.py"):
        assert "pytest_plugins" not in (ROOT / path).read_text(encoding="utf-8")


def test_every_command_and_plugin_can_be_imported() -> None:
    entries = [*SETTINGS["project"]["scripts"].values(), *SETTINGS["project"]["entry-points"]["pytest11"].values()]
    for entry in entries:
        module, _, name = entry.partition(":")
        assert importlib.util.find_spec(module) is not None, entry
        assert not name or hasattr(importlib.import_module(module), name), entry


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of this checkout with uncommitted changes, under another name."""
    folder = tmp_path_factory.mktemp("elsewhere") / "another-name"
    for path in in_git():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    return folder


def pip(*arguments: str, seconds: float = 150) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


@pytest.fixture(scope="module")
def wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel built from the copy; skip if a sufficiently new setuptools is unavailable."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("no pip here: the wheel cannot be built")
    folder = tmp_path_factory.mktemp("wheel")
    arguments = ["wheel", str(clone), "--no-deps", "--wheel-dir", str(folder)]
    if has_new_setuptools():
        arguments.append("--no-build-isolation")
    built = pip(*arguments)
    output = built.stdout + built.stderr
    if built.returncode and re.search(r"No matching distribution found for setuptools|Could not fetch URL", output):
        pytest.skip(f"no setuptools >= {NEEDED_SETUPTOOLS} is installed, and none can be had from a package index")
    assert built.returncode == 0, output[-3000:]
    (found,) = folder.glob("*.whl")
    return found


def has_new_setuptools() -> bool:
    try:
        major = int(importlib.metadata.version("setuptools").split(".")[0])
    except importlib.metadata.PackageNotFoundError:
        return False
    return major >= NEEDED_SETUPTOOLS


def test_the_wheel_holds_every_module_and_every_data_file_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    modules = {
        str(path)
        for folder in packages()
        for path in in_git(str(folder))
        if path.parent == folder and path.suffix == ".py"
    }
    assert inside == {f"clconform/{name}" for name in modules | data_files()}


def test_the_wheel_carries_the_licence_and_the_entry_points(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        described = {name.partition(".dist-info/")[2] for name in archive.namelist() if ".dist-info/" in name}
        (entries,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        text = archive.read(entries).decode()
    assert any(name.endswith("LICENSE") for name in described)
    assert "clconform = clconform.runner.pytest_plugin.plugin" in text
    assert "clconform = clconform.tools.cli:main" in text


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("installed")
    done = pip("install", "--no-deps", "--no-index", "--no-compile", "--target", str(folder), str(wheel))
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def run(installed: Path, where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with the installed wheel first on the path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(installed)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_a_clone_of_another_name_collects_our_tests_and_no_suite(installed: Path, clone: Path) -> None:
    done = run(
        installed, clone, "-m", "pytest", "--collect-only", "-q", *PLAIN, *(f"--ignore={each}" for each in LEFT_OUT)
    )
    assert done.returncode == 0, done.stdout[-3000:]
    ids = [line for line in done.stdout.splitlines() if "::" in line]
    assert len(ids) > 300
    assert all(one.startswith("tests/") for one in ids)


def test_a_clone_of_another_name_passes_tests_on_the_installed_wheel(installed: Path, clone: Path) -> None:
    where = "import clconform.oracles, sys; print(clconform.oracles.__path__[0])"
    assert run(installed, clone, "-c", where).stdout.startswith(str(installed))
    done = run(installed, clone, "-m", "pytest", "tests/test_layers.py", "-q", *PLAIN, "-k", FEW)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "3 passed" in done.stdout


def test_the_installed_suites_run_from_anywhere(installed: Path, tmp_path: Path) -> None:
    options = ("--cl-simulated", "flat-4", "--cl-tier", "tables", "--cl-requirement", "clRetainDevice/*")
    done = run(
        installed, tmp_path, "-m", "pytest", "--pyargs", "clconform.suites", "-q", "-p", "no:cacheprovider", *options
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "passed" in done.stdout
