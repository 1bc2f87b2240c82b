"""Programs that were built elsewhere, for a device without a compiler: a folder of binaries with a manifest.

The manifest is the JSON file ``programs.json``. It lists the source, the build options and the digest of each binary,
and the device that they were built for. The name of a binary is a digest of its source and options, so that suites find
it by the program that they need.

``read_binaries`` reads such a folder and ``write_binaries`` writes one. Both raise ``ProgramBinariesError``, whose
message is one line with the file, the reason and a remedy.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls.values import BinaryOrigin, Data
from clconform.reports.escaping import escape_unprintable
from clconform.reports.untrusted_files import MAX_TEXT_BYTES, GivenFileError, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from clconform.calls.protocol import TargetReached
    from clconform.oracles.model.cl_object import Fact

MANIFEST, FORMAT = "programs.json", 1
"""The name of the manifest, and the version of its format."""
MAX_BINARY_BYTES = 1 << 18
"""The size in bytes of the largest binary that a recorded sequence of calls may contain."""
DIGEST_DIGITS = 20
BUILD_COMMAND = "clconform programs build DIR"
_SHOWN = 200
"""Maximum number of characters of a value in a message."""
_KERNEL, _SHOWN_KERNELS = re.compile(r"\b(?:__)?kernel\b[^;{]*?\bvoid\s+(\w+)\("), 3


class ProgramBinariesError(Exception):
    """A folder of program binaries cannot be used; the message is one line with the value and a remedy."""


class ProgramText(NamedTuple):
    """A program that suites need: its source, and the build options."""

    source: str
    options: str = ""

    @property
    def digest(self) -> str:
        """The name of the program's files, without their suffix."""
        whole = json.dumps([self.source, self.options]).encode()
        return hashlib.sha256(whole).hexdigest()[:DIGEST_DIGITS]

    @property
    def file_name(self) -> str:
        """The name of the file with the program's binary."""
        return f"{self.digest}.bin"

    @property
    def title(self) -> str:
        """The digest, the first kernels and the options of the program, for messages."""
        return f"program {self.digest} ({self.kernel_list}; options: {self.options or 'none'})"

    @property
    def kernel_list(self) -> str:
        """The names of the first kernels, and the number of the others."""
        names = _KERNEL.findall(self.source)
        more = f" and {len(names) - _SHOWN_KERNELS} more" if len(names) > _SHOWN_KERNELS else ""
        return ", ".join(names[:_SHOWN_KERNELS]) + more if names else "no kernels"


class BinaryDevice(msgspec.Struct, frozen=True):
    """The device that binaries were built for.

    ``type``: its cl_device_type. ``address_bits``: the size of its addresses in bits.

    The driver loads the binaries of a device with the same properties, except that ``driver_version`` may differ: then
    the driver may reject them.
    """

    platform: str
    vendor: str
    name: str
    type: int
    address_bits: int
    driver_version: str


class BinaryManifest(msgspec.Struct, frozen=True):
    """The content of the manifest."""

    format: int
    device: BinaryDevice
    programs: list[BinaryOrigin]


class _ManifestFormat(msgspec.Struct):
    """The part of a manifest that all versions of its format have."""

    format: int


@dataclass(frozen=True)
class ProgramBinaries:
    """The binaries of a folder; ``contents``: maps digests of programs to binaries."""

    folder: Path
    device: BinaryDevice
    contents: Mapping[str, Data]

    def find(self, text: ProgramText) -> Data | None:
        """Return the binary of a program; None if the folder does not have it."""
        return self.contents.get(text.digest)

    def require_device(self, device: BinaryDevice) -> None:
        """Raise ProgramBinariesError if ``device`` is not of the kind of the binaries; driver versions may differ.

        A binary is never passed to the driver of another device, because no document defines the effect.
        """
        for name in ("platform", "vendor", "name", "type", "address_bits"):
            built, tested = getattr(self.device, name), getattr(device, name)
            if built != tested:
                values = f"{name.replace('_', ' ')} {_show(built)}, but that of the tested device is {_show(tested)}"
                remedy = f"build others with {BUILD_COMMAND}"
                raise ProgramBinariesError(f"{self.folder}: the binaries are for a device with {values}; {remedy}")


def _show(value: object) -> str:
    return escape_unprintable(repr(value) if isinstance(value, str) else str(value), limit=_SHOWN)


def describe_device(reached: TargetReached, handle: str, bits: Fact | None) -> BinaryDevice:
    """Return the properties of a device that determine which binaries it can load.

    ``handle``: its name in calls. ``bits``: its CL_DEVICE_ADDRESS_BITS. ProgramBinariesError: the driver does not
    report one of the properties.
    """
    platform, device = next(
        (platform, device) for platform in reached.platforms for device in platform.devices if device.handle == handle
    )
    if not isinstance(bits, int) or not device.name:
        missing = "CL_DEVICE_NAME" if isinstance(bits, int) else "CL_DEVICE_ADDRESS_BITS"
        raise ProgramBinariesError(
            f"the driver does not report {missing}, so binaries cannot be assigned to its device; fix this query first"
        )
    return BinaryDevice(platform.name, platform.vendor, device.name, device.type, bits, device.driver_version)


def read_binaries(folder: Path) -> ProgramBinaries:
    """Read a folder of binaries; ProgramBinariesError if it is incomplete or changed."""
    manifest = _read_manifest(folder)
    found: dict[str, Data] = {}
    for each in manifest.programs:
        text = ProgramText(each.source, each.options)
        path = folder / text.file_name
        try:
            content = read_bytes(path, MAX_BINARY_BYTES)
        except GivenFileError as error:
            raise ProgramBinariesError(f"{path}: {error}; build it again with {BUILD_COMMAND}") from None
        digest = hashlib.sha256(content).hexdigest()
        if digest != each.sha256:
            digests = (
                f"its SHA-256 is {digest[:DIGEST_DIGITS]}…, in {MANIFEST} it is {_show(each.sha256[:DIGEST_DIGITS])}…"
            )
            raise ProgramBinariesError(f"{path}: the file was changed ({digests}); build it again with {BUILD_COMMAND}")
        found[text.digest] = Data(content, origin=each)
    return ProgramBinaries(folder, manifest.device, found)


def _read_manifest(folder: Path) -> BinaryManifest:
    path = folder / MANIFEST
    if not folder.is_dir():
        raise ProgramBinariesError(f"{folder}: there is no such folder; create it with {BUILD_COMMAND}")
    try:
        content = read_bytes(path, MAX_TEXT_BYTES)
    except GivenFileError as error:
        raise ProgramBinariesError(f"{path}: {error}; write it with {BUILD_COMMAND}") from None
    try:
        version = msgspec.json.decode(content, type=_ManifestFormat).format
        if version != FORMAT:
            formats = f"its format is {version}, this clconform reads format {FORMAT}"
            raise ProgramBinariesError(f"{path}: {formats}; write it again with {BUILD_COMMAND}")
        return msgspec.json.decode(content, type=BinaryManifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = escape_unprintable(str(error), limit=_SHOWN)
        raise ProgramBinariesError(f"{path}: not a manifest ({reason}); write it again with {BUILD_COMMAND}") from None


def compute_manifest_digest(folder: Path) -> str:
    """Return a digest of the manifest in a folder, in hexadecimal digits; empty if the manifest cannot be read."""
    try:
        return hashlib.sha256(read_bytes(folder / MANIFEST, MAX_TEXT_BYTES)).hexdigest()[:DIGEST_DIGITS]
    except GivenFileError:
        return ""


def write_binaries(folder: Path, device: BinaryDevice, binaries: Sequence[tuple[ProgramText, bytes]]) -> None:
    """Write binaries and their manifest to a folder, which is created; ProgramBinariesError if that fails.

    The manifest is written last, so that it never lists a file that was not written.
    """
    listed: list[BinaryOrigin] = []
    path = folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for text, content in binaries:
            path = folder / text.file_name
            path.write_bytes(content)
            listed.append(BinaryOrigin(text.source, text.options, hashlib.sha256(content).hexdigest()))
        path = folder / MANIFEST
        manifest = msgspec.json.encode(BinaryManifest(FORMAT, device, listed))
        path.write_bytes(msgspec.json.format(manifest) + b"\n")
    except OSError as error:
        raise ProgramBinariesError(f"{path}: cannot write ({error.strerror}); choose another folder") from None
