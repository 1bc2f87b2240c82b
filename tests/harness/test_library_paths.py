"""Paths of Linux and of Windows in a session on either system."""

from __future__ import annotations

import pytest

from clconform.harness.library_paths import file_name, has_folder, has_name, is_loader_name


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/usr/lib/libpocl.so.2", True),
        ("./libpocl.so", True),
        ("C:\\drivers\\driver.dll", True),
        ("c:/drivers/driver.dll", True),
        ("\\\\server\\share\\driver.dll", True),
        ("drivers\\driver.dll", True),
        ("driver.dll", False),
        ("libpocl.so.2", False),
    ],
)
def test_path_has_a_folder(path: str, *, expected: bool) -> None:
    assert has_folder(path) == expected


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/usr/lib/libpocl.so.2", "libpocl.so.2"),
        ("/odd\\folder/driver.so", "driver.so"),
        ("C:\\drivers\\driver.dll", "driver.dll"),
        ("driver.dll", "driver.dll"),
    ],
)
def test_file_name(path: str, name: str) -> None:
    assert file_name(path) == name


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("/usr/lib/libpocl.so.2.11.0", "libpocl.so.2", True),
        ("/usr/lib/libpocl.so.2", "libpocl.so.2", True),
        ("/usr/lib/libpocl.so.20", "libpocl.so.2", False),
        ("/usr/lib/libPoCL.so.2", "libpocl.so.2", False),
        ("C:\\Windows\\System32\\OpenCL.dll", "opencl.dll", True),
        ("C:\\Windows\\System32\\OpenCL.dll", "OPENCL", True),
        ("C:\\Windows\\System32\\OpenCL2.dll", "OpenCL", False),
    ],
)
def test_file_has_a_name(path: str, name: str, *, expected: bool) -> None:
    assert has_name(path, name) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("OpenCL.dll", True),
        ("C:\\Windows\\System32\\opencl.dll", True),
        ("/vendor/lib64/libOpenCL.so", True),
        ("libOpenCL.so.1", True),
        ("libpocl.so.2", False),
        ("IntelOpenCL64.dll", False),
    ],
)
def test_loader_is_recognised_by_its_name(path: str, *, expected: bool) -> None:
    assert is_loader_name(path) == expected
