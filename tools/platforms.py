"""The ``platforms`` command: lists installed platforms, the embedded driver and simulated topologies."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clconform.harness import HarnessError, Target, survey
from clconform.harness.errors import one_line
from clconform.reports.escaping import visible
from clconform.reports.terminal import capability_tables
from clconform.runner.gate import exit_codes
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.protocol import PlatformSeen, Reached

VENDORS = Path("/etc/OpenCL/vendors")
WIDE = 160
"""Number of columns if the output is not a terminal."""


@dataclass(frozen=True)
class Source:
    """A source of platforms: a name, the options that select it, and its platforms or the error.

    ``target`` gives access to all of its platforms.
    """

    name: str
    options: str
    reached: Reached | None
    error: str = ""
    target: Target | None = None


def show(driver: str, simulated: str, *, verbose: bool, as_json: bool) -> int:
    """Print the platforms of each source; return NO_SUCH_PLATFORM if no platform is available.

    ``driver``, ``simulated``: list only this one. ``verbose``: print all query results, of the named source or of all
    real drivers.
    """
    named = [*(_of_driver(driver) if driver else ()), *((_simulated(simulated),) if simulated else ())]
    detailed = named or [*_installed(), _asked("embedded", "--embedded", Target.embedded)]
    every = [*detailed, *(() if named else map(_simulated, TOPOLOGIES))]
    if as_json:
        say(json.dumps([_as_json(source) for source in every], indent=1))
    else:
        console = Console()
        console = console if console.is_terminal else Console(width=WIDE)
        console.print(_table(every))
        for source in every:
            if source.error:
                console.print(Text(f"{source.name}: {visible(source.error, limit=1000)}", style="red"), soft_wrap=True)
            if verbose and source.reached is not None and source in detailed:
                _details(source, source.reached, console)
    return exit_codes.AS_EXPECTED if any(_devices(source) for source in every) else exit_codes.NO_SUCH_PLATFORM


def show_faults(*, as_json: bool) -> int:
    """Print every fault that can be injected into a simulated platform, with its description; return AS_EXPECTED."""
    from clconform.selftest.planted.every_fault import every_fault

    found = {name: next(iter((change.__doc__ or "").splitlines()), "") for name, change in every_fault().items()}
    if as_json:
        say(json.dumps(found, indent=1))
        return exit_codes.AS_EXPECTED
    for name, what in found.items():
        say(f"{name}: {what}")
    return exit_codes.AS_EXPECTED


def _of_driver(driver: str) -> list[Source]:
    return [
        _asked("loader", f"--driver {driver}", lambda: Target.driver(driver)),
        _asked("direct", f"--driver {driver} --direct", lambda: Target.driver(driver, direct=True)),
    ]


def _installed() -> list[Source]:
    """Query the installed loader; if that fails, query each driver that it would load separately."""
    whole = _asked("installed", "--platform PART", Target.installed)
    if whole.reached is not None:
        return [whole]
    libraries = []
    for file in sorted(VENDORS.glob("*.icd")):
        try:
            libraries.append(file.read_text(encoding="utf-8", errors="replace").strip())
        except OSError as error:
            whole = Source(whole.name, whole.options, None, f"{whole.error}; {file}: {error.strerror}")
    return [whole, *(_alone(library) for library in libraries if library)]


def _alone(library: str) -> Source:
    return _asked(Path(library).name, f"--driver {library}", lambda: Target.driver(library))


def _simulated(topology: str) -> Source:
    return _asked("simulated", f"--simulated {topology}", lambda: Target.simulated(topology))


def _asked(name: str, options: str, target: Callable[[], Target]) -> Source:
    try:
        found = target()
        return Source(name, options, survey(found), target=found)
    except HarnessError as error:
        return Source(name, options, None, str(error))


def _devices(source: Source) -> int:
    return sum(len(platform.devices) for platform in source.reached.platforms) if source.reached else 0


def _table(sources: list[Source]) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("source", "platform", "version", "devices", "test it with: clconform run ..."):
        table.add_column(title, overflow="fold")
    for source in sources:
        for platform in source.reached.platforms if source.reached else []:
            table.add_row(
                source.name,
                Text(one_line(platform.name, 48)),
                Text(one_line(platform.version, 40)),
                Text(_units(platform)),
                Text(_option(source, platform)),
            )
    return table


def _units(platform: PlatformSeen) -> str:
    return ", ".join(f"{one_line(d.name, 40)} ({d.compute_units} units)" for d in platform.devices) or "none"


def _option(source: Source, platform: PlatformSeen) -> str:
    if not platform.devices:
        return "(no device: nothing to test)"
    word = platform.name.split()[0] if platform.name.split() else platform.name
    return source.options.replace("PART", one_line(word, 40))


def _details(source: Source, reached: Reached, console: Console) -> None:
    """Print the information that a source's platforms and devices report."""
    for platform in reached.platforms:
        console.print(Text(f"\n{source.name}: {visible(platform.name)}", style="bold"))
        facts = [("vendor", platform.vendor), ("profile", platform.profile), ("way", reached.access)]
        facts += [("loader", reached.loader)] if reached.loader else []
        facts += [("library", library) for library in reached.libraries]
        facts.append(("extensions", platform.extensions))
        for device in platform.devices:
            facts.append((device.handle, f"{device.name} · {device.version} · driver {device.driver_version}"))
        for name, value in facts:
            console.print(Text(f"  {name:<11}{visible(value, limit=4000)}"), soft_wrap=True)
        if platform.devices:
            _capabilities(source, platform, console)


def _capabilities(source: Source, platform: PlatformSeen, console: Console) -> None:
    """Print every query result of a platform and its devices, next to the minimum that the documents require."""
    from clconform.oracles.queries.in_words import capabilities
    from clconform.runner.journal.recorder import Recorder
    from clconform.runner.session.session import Session

    target = source.target
    try:
        if target is None or target.kind == "installed":
            target = Target.platform(platform.name)
        session = Session(target, load(), Recorder(None))
    except HarnessError as error:
        console.print(Text(f"  queries failed: {visible(str(error), limit=1000)}", style="red"), soft_wrap=True)
        return
    found = capabilities(session.model)
    session.close()
    for table in capability_tables(found):
        console.print()
        console.print(table)


def _as_json(source: Source) -> dict[str, Any]:
    return {
        "source": source.name,
        "options": source.options,
        "error": source.error,
        **(msgspec.to_builtins(source.reached) if source.reached else {}),
    }
