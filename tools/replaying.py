"""The ``replay`` command: replays a stored deviation's calls and reports whether the driver still deviates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness import backtrace
from clconform.reports import format_steps
from clconform.reports.escaping import visible
from clconform.reports.wording import Names
from clconform.runner.deviations.confirming import LONE_DEADLINES
from clconform.runner.deviations.replay import Replayer
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.results import find, result_at
from clconform.tools.saying import say
from clconform.tools.targets import Named, reach, stored

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.protocol import Reached
    from clconform.harness import Target
    from clconform.reports import DeviationResult, Result
    from clconform.reports.result import PlatformTested
    from clconform.runner.deviations.replay import Replayed


def replay(given: str, wanted: str, named: Named, *, gdb: bool) -> int:
    """Replay a deviation and print each call, its result and the verdict; return the exit code."""
    result, path, deviation = to_replay(given, wanted)
    target, device = _target(result, named)
    reached = reach(target, device)
    _introduce(deviation, result.platform, reached)
    replayed = _run(deviation, target, device)
    tables = load()
    names = Names(tables)
    for number, line in enumerate(format_steps(replayed.steps, tables, names), start=1):
        say(f"{number:4}  {visible(line, limit=2000)}")
    code = _verdict(deviation, replayed)
    if gdb:
        _backtrace(deviation, target, path.parent)
    return code


def to_replay(given: str, wanted: str) -> tuple[Result, Path, DeviationResult]:
    """Return the result at a path, its path, and the deviation to replay; CommandError if it has no stored calls."""
    result, path = result_at(given)
    deviation = find(result, wanted)
    if not deviation.sequence:
        raise CommandError(f"the result has no stored calls for {deviation.id}; run the suite again")
    return result, path, deviation


def tested_device(result: Result) -> int:
    """Return the index of the tested device."""
    tested = result.platform
    handles = [device.handle for device in tested.devices] if tested else []
    return handles.index(tested.device) if tested and tested.device in handles else 0


def _target(result: Result, named: Named) -> tuple[Target, int]:
    """Return the target and the device's index: those of the result, unless options override them."""
    number = tested_device(result)
    if named.nothing:
        return stored(result.run.target, number).target(), number if named.device is None else named.device
    return named.target(), named.device or 0


def _introduce(deviation: DeviationResult, tested: PlatformTested | None, reached: Reached) -> None:
    """Print the deviation that is replayed, and the platform of the result if it is a different one."""
    say(f"{deviation.id}  {deviation.verdict}  {visible(' | '.join(deviation.records))}")
    platform = next(platform for platform in reached.platforms if platform.devices)
    say(f"on {visible(platform.name)} · {visible(platform.version)} · {reached.access}")
    if tested is not None and (tested.name, tested.version) != (platform.name, platform.version):
        say(f"(found on {visible(tested.name)} · {visible(tested.version)} · {tested.access})")


def _run(deviation: DeviationResult, target: Target, device: int) -> Replayed:
    deadlines = LONE_DEADLINES if deviation.verdict == "hangs" else None
    replayer = Replayer(target, load(), device_index=device, deadlines=deadlines)
    try:
        return replayer.run(deviation.sequence, fresh=True)
    finally:
        replayer.close()


def _verdict(deviation: DeviationResult, replayed: Replayed) -> int:
    """Print whether the deviation is reproduced; return the exit code."""
    if replayed.shows(deviation.key):
        say(f"reproduced: {visible(deviation.observed, limit=300)}")
        say(f"allowed: {visible(', '.join(deviation.allowed), limit=300)}")
        return exit_codes.DEVIATIONS
    others = sorted({key for met in replayed.keys for key in met})
    if others:
        say(f"deviates, but differently: {visible('; '.join(others), limit=600)}")
        return exit_codes.DEVIATIONS
    if replayed.broken:
        raise CommandError(f"the calls cannot be made on this driver: {replayed.broken}", exit_codes.NO_SUCH_PLATFORM)
    say("not reproduced: every result conforms")
    return exit_codes.AS_EXPECTED


def _backtrace(deviation: DeviationResult, target: Target, folder: Path) -> None:
    """Replay under gdb, print the backtrace and save it; HarnessError if gdb is missing."""
    text = backtrace.of_replay(target, [step.call for step in deviation.sequence])
    say(visible(text, limit=20_000, lines=True))
    kept = folder / f"{deviation.id}-backtrace.txt"
    try:
        kept.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise CommandError(f"{kept}: cannot write ({error.strerror})") from None
    say(f"saved in {kept}")
