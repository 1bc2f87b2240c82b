"""The ``replay`` command: replays the calls of a stored deviation, and reports whether the driver still deviates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.harness.debugged_replay import replay_backtrace
from clconform.reports import format_steps
from clconform.reports.call_formatting import ValueNames
from clconform.reports.escaping import escape_unprintable
from clconform.runner.deviations.confirmation_steps import HANG_DEADLINES
from clconform.runner.deviations.replay import Replayer, ReplayTarget
from clconform.spec_tables import load
from clconform.spec_tables.regular_files import write_given_file
from clconform.tools.driver_options import DriverOptions, parse_stored_target, survey_target
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.tools.result_commands import find_deviation, load_result_at

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.protocol import TargetReached
    from clconform.harness import Target
    from clconform.reports import DeviationResult, RunResult
    from clconform.reports.run_result import PlatformTested
    from clconform.runner.deviations.replay import ReplayResult


def replay_deviation(result_path: str, deviation_id: str, named: DriverOptions, *, gdb: bool) -> int:
    """Replay a deviation and print each call, its result and the verdict; return the exit code."""
    result, path, deviation = find_replayable(result_path, deviation_id)
    target, device = _select_target(result, named)
    reached = survey_target(target, device)
    _print_deviation(deviation, result.platform, reached)
    replayed = _replay_calls(deviation, target, device)
    tables = load()
    names = ValueNames(tables)
    for number, line in enumerate(format_steps(replayed.steps, tables, names), start=1):
        print_text(f"{number:4}  {escape_unprintable(line, limit=2000)}")
    code = _print_verdict(deviation, replayed)
    if gdb:
        _save_backtrace(deviation, target, path.parent)
    return code


def find_replayable(result_path: str, deviation_id: str) -> tuple[RunResult, Path, DeviationResult]:
    """Return the result at a path, the path of its file, and the deviation; CommandError if no calls are stored."""
    result, path = load_result_at(result_path)
    deviation = find_deviation(result, deviation_id)
    if not deviation.sequence:
        raise CommandError(f"the result has no stored calls for {deviation.id}; run the suite again")
    return result, path, deviation


def tested_device_index(result: RunResult) -> int:
    """Return the index of the device that the result tested."""
    tested = result.platform
    handles = [device.handle for device in tested.devices] if tested else []
    return handles.index(tested.device) if tested and tested.device in handles else 0


def _select_target(result: RunResult, named: DriverOptions) -> tuple[Target, int]:
    """Return the target and the index of the device: those of the result, unless options override them."""
    number = tested_device_index(result)
    if named.is_empty:
        return parse_stored_target(
            result.run.target, number
        ).target(), number if named.device_index is None else named.device_index
    return named.target(), named.device_index or 0


def _print_deviation(deviation: DeviationResult, tested: PlatformTested | None, reached: TargetReached) -> None:
    """Print the deviation that is replayed, and the platform of the result if it differs from the present one."""
    print_text(f"{deviation.id}  {deviation.verdict}  {escape_unprintable(' | '.join(deviation.requirements))}")
    platform = next(platform for platform in reached.platforms if platform.devices)
    print_text(f"on {escape_unprintable(platform.name)} · {escape_unprintable(platform.version)} · {reached.access}")
    if tested is not None and (tested.name, tested.version) != (platform.name, platform.version):
        print_text(
            f"(found on {escape_unprintable(tested.name)} · {escape_unprintable(tested.version)} · {tested.access})"
        )


def _replay_calls(deviation: DeviationResult, target: Target, device: int) -> ReplayResult:
    deadlines = HANG_DEADLINES if deviation.verdict == "hangs" else None
    replayer = Replayer(ReplayTarget(target, load(), device), deadlines=deadlines)
    try:
        return replayer.run(deviation.sequence, fresh=True)
    finally:
        replayer.close()


def _print_verdict(deviation: DeviationResult, replayed: ReplayResult) -> int:
    """Print whether the driver still deviates; return the exit code."""
    if replayed.shows(deviation.key):
        print_text(f"reproduced: {escape_unprintable(deviation.observed, limit=300)}")
        print_text(f"allowed: {escape_unprintable(', '.join(deviation.allowed), limit=300)}")
        return exit_codes.DEVIATIONS
    others = sorted({key for met in replayed.deviations_by_step for key in met})
    if others:
        print_text(f"deviates, but differently: {escape_unprintable('; '.join(others), limit=600)}")
        return exit_codes.DEVIATIONS
    if replayed.obstacle:
        raise CommandError(f"the calls cannot be made on this driver: {replayed.obstacle}", exit_codes.NO_SUCH_PLATFORM)
    print_text("not reproduced: every result conforms")
    return exit_codes.AS_EXPECTED


def _save_backtrace(deviation: DeviationResult, target: Target, folder: Path) -> None:
    """Replay with gdb, print the backtrace, and save it to a file; HarnessError if gdb is missing."""
    text = replay_backtrace(target, [step.call for step in deviation.sequence])
    print_text(escape_unprintable(text, limit=20_000, lines=True))
    kept = folder / f"{deviation.id}-backtrace.txt"
    try:
        write_given_file(kept, text)
    except OSError as error:
        raise CommandError(f"{kept}: cannot write ({error.strerror})") from None
    print_text(f"saved in {kept}")
