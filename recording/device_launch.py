"""Runs a program on another machine under the layer or the shim that records its calls, and fetches the recordings."""

from __future__ import annotations

import contextlib
import re
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls import exit_codes
from clconform.harness.errors import ConnectionLostError, HarnessError
from clconform.harness.remote.device_shell import DeviceShell
from clconform.harness.remote.worker_files import platform_of_machine
from clconform.recording.file_layout import mark_lost_connection
from clconform.recording.layer_build import LAYER_TARGETS, LayerError, build_layer_for, build_shim_for
from clconform.recording.program_launch import (
    CONTENTS,
    DEFAULT_OPTIONS,
    HASHES,
    LAYERS,
    LIBRARY_PATH,
    LIVE,
    PRELOAD,
    RECORDING,
    SHIM_NAMES,
    VENDOR_LIBRARY,
    LaunchError,
    ProgramEnd,
    RecordingOptions,
    ShimUse,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.harness.remote.device import RemoteDevice
    from clconform.harness.remote.device_shell import RemoteMachine
    from clconform.spec_tables import Tables

_FILE, _CODE, _PROCESS = "calls.clrec", "code", "process"
"""Names of files in the folder of a program: its recording, its exit code, and the number of its process."""
_RECORDINGS = re.compile(r"calls\.clrec(\.[0-9]+)?")
_SIGNAL_BASE = 128
"""Shells add this to the number of the signal that has ended a program."""


class DeviceProgram(NamedTuple):
    """A program on another machine: its words, and the driver's library there that it uses; empty for the installed."""

    device: RemoteDevice
    words: Sequence[str]
    driver: str = ""


def run_on_device(
    program: DeviceProgram,
    tables: Tables,
    recording: Path,
    options: RecordingOptions = DEFAULT_OPTIONS,
    *,
    stdout: int | None = None,
) -> ProgramEnd:
    """Run a program there to its end, with the input and the output of this process; write its recordings here.

    Those of child processes get the names that they have on this machine. ``stdout``: a descriptor that replaces
    standard output. If the connection is lost, the recordings are marked as incomplete. LaunchError if the program is
    missing there, LayerError if there is no layer for the machine, HarnessError if the machine cannot be reached, or if
    no recording can be fetched after a lost connection.
    """
    shell = DeviceShell(program.device.address)
    there = _probe(shell)
    if there.is_android and options.shim is None:
        options = options._replace(shim=ShimUse())  # Android has no loader, so it has no layers
    layer = _install_layer(shell, there, program.device, tables, is_shim=options.shim is not None)
    _check_program(shell, program.words[0])
    folder = shell.run(f"mktemp -d {shlex.quote(layer.rpartition('/')[0])}/clconform-recording-XXXXXX").strip()
    if not folder.startswith("/"):
        raise HarnessError(f"{shell.address}: mktemp there has printed {folder!r}, not the path of a folder")
    try:
        code = _run(shell, _program_line(program, layer, folder, options), stdout)
        end = _read_end(shell, folder, code)
        _fetch_recordings(shell, folder, recording, end)
    except KeyboardInterrupt:
        with contextlib.suppress(HarnessError):
            _end_program(shell, folder)
            _fetch_recordings(shell, folder, recording, None)
        raise
    finally:
        with contextlib.suppress(HarnessError):
            shell.run(f"rm -rf {shlex.quote(folder)}")
    return end


def _probe(shell: DeviceShell) -> RemoteMachine:
    """Return the kind of the machine; HarnessError if programs there cannot be recorded."""
    there = shell.probe()
    if there.kernel != "Linux":
        raise HarnessError(f"{shell.address}: programs are recorded on Linux, and {there.kernel!r} answers there")
    return there


def _install_layer(
    shell: DeviceShell, there: RemoteMachine, device: RemoteDevice, tables: Tables, *, is_shim: bool
) -> str:
    """Return the path of the layer or the shim there; copy it if this version of it is missing."""
    try:
        platform = device.platform or platform_of_machine(there.machine)
    except HarnessError:
        raise LayerError(
            f"{shell.address}: there is no layer for machines of the type {there.machine!r}; the targets with a layer "
            f"are {', '.join(LAYER_TARGETS)}"
        ) from None
    if there.is_android:
        platform = platform.replace("linux_", "android_")
    layer = build_shim_for(tables, platform) if is_shim else build_layer_for(tables, platform)
    path = f"{there.folder}/{layer.name}"
    shell.install(layer, path)
    return path


def _check_program(shell: DeviceShell, program: str) -> None:
    """Raise LaunchError if there is no such program there."""
    quoted = shlex.quote(program)
    test = f"test -f {quoted} && test -x {quoted}" if "/" in program else f"command -v {quoted} > /dev/null"
    if shell.run(f"{test} && printf there || true").strip() == "there":
        return
    here = ""
    if Path(program).exists():
        here = f"; {program} of this machine is not copied: copy it there first, and give its path there"
    raise LaunchError(f"{shell.address}: there is no program {program} there{here}")


def _program_line(program: DeviceProgram, layer: str, folder: str, options: RecordingOptions) -> str:
    """Return the line that runs the program, and writes the number of its process and its exit code to files.

    The last layer in the loader's list is the first one that receives the program's calls.
    """
    names = (VENDOR_LIBRARY,) if options.shim else ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES")
    variables = dict.fromkeys(names, program.driver) if program.driver else {}
    variables |= dict(program.device.environment)
    variables |= {RECORDING: f"{folder}/{_FILE}", CONTENTS: str(options.contents), LIVE: ""}
    variables |= {HASHES: "1"} if options.hashes else {}
    given = " ".join(shlex.quote(f"{name}={value}") for name, value in variables.items())
    start = f'printf %s $$ > {shlex.quote(f"{folder}/{_PROCESS}")}; {_list_line(layer, folder, options)}; exec "$@"'
    words = " ".join(map(shlex.quote, program.words))
    code = shlex.quote(f"{folder}/{_CODE}")
    return f"env {given} sh -c {shlex.quote(start)} sh {words}; code=$?; printf %s $code > {code}; exit $code"


def _list_line(layer: str, folder: str, options: RecordingOptions) -> str:
    """Return the line that adds the layer to the loader's list of layers, or the shim to a list of the linker."""
    if options.shim is None:
        return f'{LAYERS}="${{{LAYERS}:+${LAYERS}:}}"{shlex.quote(layer)}; export {LAYERS}'
    if options.shim.is_preloaded:
        name, first, links = PRELOAD, shlex.quote(layer), ""
    else:
        name, first = LIBRARY_PATH, shlex.quote(folder)
        links = "".join(f"ln -s {shlex.quote(layer)} {first}/{each} && " for each in SHIM_NAMES)
    return f'{links}{name}={first}"${{{name}:+:${name}}}" && export {name} || exit 1'


def _run(shell: DeviceShell, line: str, stdout: int | None) -> int:
    """Run a line to its end; return the exit code of the command that connects to the machine."""
    with shell.start(line, stdout=stdout) as process:
        try:
            return process.wait()
        except BaseException:
            process.kill()
            raise


def _read_end(shell: DeviceShell, folder: str, code: int) -> ProgramEnd:
    """Return the end of the program; ``code``: the exit code of the command that has run it.

    If there is no exit code there, the connection was lost while the program ran, and the program is ended.
    """
    lost = f"the connection to {shell.address} was lost ({shell.command('')[0]} has ended with exit code {code})"
    try:
        written = shell.run(f"cat {shlex.quote(f'{folder}/{_CODE}')} 2> /dev/null || true").strip()
        if not written:
            _end_program(shell, folder)
    except ConnectionLostError as error:
        raise ConnectionLostError(f"{lost}; its recording cannot be fetched: {error}") from None
    if not written.isdecimal():
        return ProgramEnd(exit_codes.INCOMPLETE, lost=lost)
    number = int(written) - _SIGNAL_BASE
    is_signal = number in {int(each) for each in signal.Signals}
    return ProgramEnd(int(written), signal.Signals(number).name if is_signal else "")


def _end_program(shell: DeviceShell, folder: str) -> None:
    shell.run(f"kill -9 $(cat {shlex.quote(f'{folder}/{_PROCESS}')}) 2> /dev/null || true")


def _fetch_recordings(shell: DeviceShell, folder: str, recording: Path, end: ProgramEnd | None) -> None:
    """Fetch all recordings; mark those that are incomplete because a connection was lost, now or at the program's end.

    ``end``: the end of the program; None if it was stopped here. ConnectionLostError if nothing can be fetched.
    """
    listed = shell.run(f"ls {shlex.quote(folder)}").split()
    for name in filter(_RECORDINGS.fullmatch, listed):
        target = recording.with_name(recording.name + name.removeprefix(_FILE))
        is_whole = end is not None and not end.lost
        try:
            shell.fetch(f"{folder}/{name}", target)
        except ConnectionLostError:
            is_whole = False
        if not is_whole:
            mark_lost_connection(target)
