"""The commands ``programs list`` and ``programs build``: the programs for devices without a compiler."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.oracles.model.devices import Device
from clconform.reports.escaping import escape_unprintable
from clconform.runner.program_binaries import ProgramBinariesError, describe_device, write_binaries
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.spec_tables import load
from clconform.suites.needed_programs import ProgramBuildError, build_binary, list_programs
from clconform.tools.driver_options import with_default_driver
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
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
    named, why = with_default_driver(named)
    if why:
        print_text(
            f"clconform: {why}. Using installed platform {escape_unprintable(named.platform, limit=200)} instead."
        )
    session = Session(named.target(), load(), SessionObserver(), device_index=named.device_index or 0)
    built: list[tuple[ProgramText, bytes]] = []
    try:
        if session.fact("CL_DEVICE_COMPILER_AVAILABLE") == 0:
            raise CommandError(f"{session.target}: the device has no compiler; name a driver with one with --driver")
        device = describe_device(session.reached, session.device.name, session.fact("CL_DEVICE_ADDRESS_BITS"))
        programs = list_programs(session.model.get(Device, session.device).version)
        for text in programs:
            try:
                built.append((text, build_binary(session, text)))
            except ProgramBuildError as error:
                print_text(f"{text.title}: {escape_unprintable(str(error), limit=400)}")
        write_binaries(Path(folder), device, built)
    except ProgramBinariesError as error:
        raise CommandError(str(error)) from None
    finally:
        session.close()
    name = escape_unprintable(device.name, limit=200)
    print_text(f"clconform: {len(built)} of {len(programs)} programs were built for {name}; they are in {folder}")
    return exit_codes.AS_EXPECTED if built else exit_codes.INCOMPLETE
