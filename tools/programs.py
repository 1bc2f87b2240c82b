"""The commands ``programs``: list, build and register the programs for devices without a compiler."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.oracles.model.devices import Device
from clconform.reports.escaping import escape_unprintable
from clconform.reports.untrusted_files import GivenFileError, MissingFileError, read_bytes
from clconform.runner.program_binaries import (
    MAX_BINARY_BYTES,
    ProgramBinariesError,
    describe_device,
    write_binaries,
)
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.spec_tables import load
from clconform.suites.needed_programs import ProgramBuildError, build_binary, list_programs
from clconform.tools.driver_options import with_default_driver
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.program_binaries import ProgramText
    from clconform.tools.driver_options import DriverOptions


def print_programs(version: tuple[int, int], out: str) -> int:
    """Print the programs that suites need on a device of an OpenCL version.

    ``out``: the folder for their sources; empty if none. CommandError if a source cannot be written.
    """
    programs = list_programs(version)
    for text in programs:
        print_text(f"{text.digest}  {text.kernel_list}{f'  {text.options}' if text.options else ''}")
    if out:
        _write_sources(Path(out), programs)
    return exit_codes.AS_EXPECTED


def _write_sources(folder: Path, programs: list[ProgramText]) -> None:
    path = folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for text in programs:
            path = folder / f"{text.digest}.cl"
            path.write_text(text.source, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"--out {path}: cannot write ({error.strerror}); choose another folder") from None
    print_text(f"clconform: {len(programs)} sources are in {folder}")


def build_programs(folder: str, named: DriverOptions) -> int:
    """Build the programs that suites need with a driver, and write their binaries and the manifest to a folder.

    Return the exit code: incomplete if no program could be built. CommandError: the device has no compiler, or the
    folder cannot be written. HarnessError: there is no such driver.
    """
    with _start_session(named) as session:
        if session.fact("CL_DEVICE_COMPILER_AVAILABLE") == 0:
            raise CommandError(f"{session.target}: the device has no compiler; name a driver with one with --driver")
        programs, built = _list_for_device(session), []
        for text in programs:
            try:
                built.append((text, build_binary(session, text)))
            except ProgramBuildError as error:
                print_text(f"{text.title}: {escape_unprintable(str(error), limit=400)}")
        name = _write_manifest(folder, session, built)
    print_text(f"clconform: {len(built)} of {len(programs)} programs were built for {name}; they are in {folder}")
    return exit_codes.AS_EXPECTED if built else exit_codes.INCOMPLETE


def register_programs(folder: str, named: DriverOptions) -> int:
    """Write the manifest for binaries in a folder that another compiler built for the device of a driver.

    Return the exit code: incomplete if the folder has none of the programs that suites need. CommandError: a binary
    cannot be read, or the manifest cannot be written. HarnessError: there is no such driver.
    """
    with _start_session(named) as session:
        programs, found = _list_for_device(session), []
        for text in programs:
            path = Path(folder) / f"{text.digest}.bin"
            try:
                found.append((text, read_bytes(path, MAX_BINARY_BYTES)))
            except MissingFileError:
                print_text(f"{text.title}: {folder} does not have it")
            except GivenFileError as error:
                raise CommandError(f"{path}: {error}; build it again, or remove it") from None
        if not found:
            print_text(f"clconform: {folder} has none of the {len(programs)} programs; build DIGEST.cl to DIGEST.bin")
            return exit_codes.INCOMPLETE
        name = _write_manifest(folder, session, found)
    print_text(f"clconform: {len(found)} of {len(programs)} programs in {folder} are registered for {name}")
    return exit_codes.AS_EXPECTED


@contextmanager
def _start_session(named: DriverOptions) -> Iterator[Session]:
    """Start a session with the driver that the options name, by default the embedded one, and end it."""
    named, why = with_default_driver(named)
    if why:
        name = escape_unprintable(named.platform, limit=200)
        print_text(f"clconform: {why}. Using installed platform {name} instead.")
    session = Session(named.target(), load(), SessionObserver(), device_index=named.device_index or 0)
    try:
        yield session
    finally:
        session.close()


def _list_for_device(session: Session) -> list[ProgramText]:
    known = session.model.get(Device, session.device)
    return list_programs(known.version, known.facts)


def _write_manifest(folder: str, session: Session, binaries: list[tuple[ProgramText, bytes]]) -> str:
    """Write binaries and their manifest for the device of a session; return the name of the device for a message."""
    try:
        device = describe_device(session.reached, session.device.name, session.fact("CL_DEVICE_ADDRESS_BITS"))
        write_binaries(Path(folder), device, binaries)
    except ProgramBinariesError as error:
        raise CommandError(str(error)) from None
    return escape_unprintable(device.name, limit=200)
