"""Folders of program binaries are written and read again; unusable folders are refused with one line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.runner.program_binaries import (
    MANIFEST,
    MAX_BINARY_BYTES,
    BinaryDevice,
    ProgramBinariesError,
    ProgramText,
    read_binaries,
    write_binaries,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DEVICE = BinaryDevice("a platform", "a vendor", "a device", 4, 64, "1.0")
TEXT = ProgramText("__kernel void first(void)\n{\n}\n", "-w")
OTHER = ProgramText(TEXT.source)


def change_manifest(folder: Path, change: Callable[[Any], object]) -> None:
    path = folder / MANIFEST
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two binaries."""
    made = tmp_path / "binaries"
    write_binaries(made, DEVICE, [(TEXT, b"\1\2"), (OTHER, b"\3")])
    return made


def test_binary_is_found_by_source_and_options(folder: Path) -> None:
    binaries = read_binaries(folder)
    found, other = binaries.find(TEXT), binaries.find(OTHER)
    assert found is not None
    assert other is not None
    assert (found.content, other.content) == (b"\1\2", b"\3")
    assert found.known_origin is not None
    assert (found.known_origin.source, found.known_origin.options) == TEXT
    assert binaries.find(ProgramText(TEXT.source, "-g")) is None


def test_title_lists_first_kernels_and_options() -> None:
    sources = [f"kernel void k{number}(void) {{}}\n" for number in range(5)]
    assert ProgramText("".join(sources), "-g").title.endswith("(k0, k1, k2 and 2 more; options: -g)")
    assert OTHER.title == f"program {OTHER.digest} (first; options: none)"


def remove_folder(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


REFUSALS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (remove_folder, "there is no such folder"),
    "no manifest": (lambda folder: (folder / MANIFEST).unlink(), f"{MANIFEST}: there is no such file"),
    "garbage": (lambda folder: (folder / MANIFEST).write_bytes(b"\xff{"), "not a manifest"),
    "a list": (lambda folder: (folder / MANIFEST).write_text("[]"), "not a manifest"),
    "deep nesting": (lambda folder: (folder / MANIFEST).write_text("[" * 100_000), "not a manifest"),
    "another format": (
        lambda folder: change_manifest(folder, lambda content: content.update(format=2, device=0)),
        "its format is 2, this clconform reads format 1",
    ),
    "a missing field": (
        lambda folder: change_manifest(folder, lambda content: content["device"].pop("name")),
        "missing required field `name`",
    ),
    "a missing file": (lambda folder: (folder / f"{TEXT.digest}.bin").unlink(), f"{TEXT.digest}.bin: there is no such"),
    "a changed file": (lambda folder: (folder / f"{TEXT.digest}.bin").write_bytes(b"\1"), "the file was changed"),
    "a large file": (
        lambda folder: (folder / f"{TEXT.digest}.bin").write_bytes(bytes(MAX_BINARY_BYTES + 1)),
        "the limit is",
    ),
    "a folder in place of a file": (
        lambda folder: ((folder / f"{TEXT.digest}.bin").unlink(), (folder / f"{TEXT.digest}.bin").mkdir()),
        f"{TEXT.digest}.bin: ",
    ),
}
"""Maps descriptions of unusable folders to the change of a usable folder, and a part of the message."""


@pytest.mark.parametrize("words", REFUSALS)
def test_unusable_folder_is_refused_with_one_line(folder: Path, words: str) -> None:
    spoil, reason = REFUSALS[words]
    spoil(folder)
    with pytest.raises(ProgramBinariesError) as refused:
        read_binaries(folder)
    message = str(refused.value)
    assert reason in message
    assert message.startswith(str(folder))
    assert "clconform programs build" in message
    assert message.isprintable()


@pytest.mark.parametrize(
    ("name", "value"),
    [("platform", "b"), ("vendor", ""), ("name", "a\ndevice"), ("type", 2), ("address_bits", 32)],
)
def test_binaries_of_another_device_are_refused(folder: Path, name: str, value: str | int) -> None:
    with pytest.raises(ProgramBinariesError, match=f"with {name.replace('_', ' ')} ") as refused:
        read_binaries(folder).require_device(msgspec.structs.replace(DEVICE, **{name: value}))
    assert str(refused.value).isprintable()


def test_binaries_of_another_driver_version_are_accepted(folder: Path) -> None:
    read_binaries(folder).require_device(msgspec.structs.replace(DEVICE, driver_version="2.0"))


def test_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ProgramBinariesError, match="cannot write"):
        write_binaries(tmp_path / "file", DEVICE, [])
