"""The ``platforms`` command: lists installed platforms and the embedded driver, or simulated platforms."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clconform.calls import exit_codes
from clconform.harness import HarnessError, Target, query_platforms
from clconform.harness.errors import fold_line
from clconform.harness.host_shortages import find_shortage
from clconform.harness.libraries import VENDORS
from clconform.reports.escaping import escape_unprintable
from clconform.reports.terminal_summary import capability_tables
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.spec_tables.regular_files import read_regular_file
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.protocol import PlatformIdentity, TargetReached

EVERY_SIMULATED = "list"
"""The name that stands for all simulated platforms."""
DEFAULT_WIDTH = 160
"""Number of columns if the output does not go to a terminal."""


@dataclass(frozen=True)
class PlatformSource:
    """A source of platforms, such as a driver.

    ``options``: the options that select it. ``found``: its platforms, or None after an error. ``target``: the target
    with all of its platforms. ``is_shortage``: the error is a lack of resources on this machine.
    """

    name: str
    options: str
    found: TargetReached | None
    error: str = ""
    target: Target | None = None
    is_shortage: bool = False


def print_platforms(driver: str, simulated: str, *, verbose: bool, as_json: bool) -> int:
    """Print the platforms of each source; return NO_SUCH_PLATFORM if no platform is available.

    Return NO_RESOURCES if this machine lacks something that one of them needs.

    ``driver``, ``simulated``: print only this source; ``EVERY_SIMULATED`` prints every simulated platform. ``verbose``:
    print all query results.
    """
    topologies = TOPOLOGIES if simulated == EVERY_SIMULATED else [simulated] if simulated else []
    named = [*(_driver_sources(driver) if driver else ()), *map(_simulated_source, topologies)]
    every = named or [*_installed_sources(), _survey_source("embedded", "--embedded", Target.embedded)]
    if as_json:
        print_text(json.dumps([_source_to_json(source) for source in every], indent=1))
    else:
        console = Console()
        console = console if console.is_terminal else Console(width=DEFAULT_WIDTH)
        console.print(_platform_table(every))
        for source in every:
            if source.error:
                console.print(
                    Text(f"{source.name}: {escape_unprintable(source.error, limit=1000)}", style="red"), soft_wrap=True
                )
            if verbose and source.found is not None:
                _print_details(source, source.found, console)
        if not named:
            console.print(Text(f"Simulated platforms: clconform platforms --simulated {EVERY_SIMULATED}", style="dim"))
    if any(source.is_shortage for source in every):
        return exit_codes.NO_RESOURCES
    return exit_codes.AS_EXPECTED if any(_count_devices(source) for source in every) else exit_codes.NO_SUCH_PLATFORM


def print_faults(*, as_json: bool) -> int:
    """Print every fault of simulated platforms with its description; return AS_EXPECTED."""
    from clconform.selftest.faults.every_fault import get_every_fault

    found = {name: next(iter((change.__doc__ or "").splitlines()), "") for name, change in get_every_fault().items()}
    if as_json:
        print_text(json.dumps(found, indent=1))
        return exit_codes.AS_EXPECTED
    for name, what in found.items():
        print_text(f"{name}: {what}")
    return exit_codes.AS_EXPECTED


def _driver_sources(driver: str) -> list[PlatformSource]:
    return [
        _survey_source("loader", f"--driver {driver}", lambda: Target.driver(driver)),
        _survey_source("direct", f"--driver {driver} --direct", lambda: Target.driver(driver, direct=True)),
    ]


def _installed_sources() -> list[PlatformSource]:
    """Return the platforms of the installed loader; if it fails, those of each driver that it would load."""
    whole = _survey_source("installed", "--platform PART", Target.installed)
    if whole.found is not None:
        return [whole]
    libraries = []
    for file in sorted(VENDORS.glob("*.icd")):
        try:
            libraries.append(read_regular_file(file).decode("utf-8", "replace").strip())
        except OSError as error:
            whole = PlatformSource(whole.name, whole.options, None, f"{whole.error}; {file}: {error.strerror}")
    return [whole, *(_library_source(library) for library in libraries if library)]


def _library_source(library: str) -> PlatformSource:
    return _survey_source(Path(library).name, f"--driver {library}", lambda: Target.driver(library))


def _simulated_source(topology: str) -> PlatformSource:
    return _survey_source("simulated", f"--simulated {topology}", lambda: Target.simulated(topology))


def _survey_source(name: str, options: str, target: Callable[[], Target]) -> PlatformSource:
    try:
        found = target()
        return PlatformSource(name, options, query_platforms(found), target=found)
    except HarnessError as error:
        return PlatformSource(name, options, None, str(error), is_shortage=bool(find_shortage(error)))


def _count_devices(source: PlatformSource) -> int:
    return sum(len(platform.devices) for platform in source.found.platforms) if source.found else 0


def _platform_table(sources: list[PlatformSource]) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("source", "platform", "version", "devices", "test it with: clconform run ..."):
        table.add_column(title, overflow="fold")
    for source in sources:
        for platform in source.found.platforms if source.found else []:
            table.add_row(
                source.name,
                Text(fold_line(platform.name, 48)),
                Text(fold_line(platform.version, 40)),
                Text(_device_text(platform)),
                Text(_option_text(source, platform)),
            )
    return table


def _device_text(platform: PlatformIdentity) -> str:
    return ", ".join(f"{fold_line(d.name, 40)} ({d.compute_units} units)" for d in platform.devices) or "none"


def _option_text(source: PlatformSource, platform: PlatformIdentity) -> str:
    if not platform.devices:
        return "(no device: nothing to test)"
    word = platform.name.split()[0] if platform.name.split() else platform.name
    return source.options.replace("PART", fold_line(word, 40))


def _print_details(source: PlatformSource, reached: TargetReached, console: Console) -> None:
    """Print the properties of a source's platforms and devices."""
    for platform in reached.platforms:
        console.print(Text(f"\n{source.name}: {escape_unprintable(platform.name)}", style="bold"))
        facts = [("vendor", platform.vendor), ("profile", platform.profile), ("way", reached.access)]
        facts += [("loader", reached.loader)] if reached.loader else []
        facts += [("library", library) for library in reached.libraries]
        facts.append(("extensions", platform.extensions))
        for device in platform.devices:
            facts.append((device.handle, f"{device.name} · {device.version} · driver {device.driver_version}"))
        for name, value in facts:
            console.print(Text(f"  {name:<11}{escape_unprintable(value, limit=4000)}"), soft_wrap=True)
        if platform.devices:
            _print_capabilities(source, platform, console)


def _print_capabilities(source: PlatformSource, platform: PlatformIdentity, console: Console) -> None:
    """Print all query results of a platform and its devices, each with the minimum that the documents require."""
    from clconform.oracles.queries.capability_text import describe_capabilities
    from clconform.runner.journal.recorder import Recorder
    from clconform.runner.session.session import Session

    target = source.target
    try:
        if target is None or target.kind == "installed":
            target = Target.platform(platform.name)
        session = Session(target, load(), Recorder(None))
    except HarnessError as error:
        console.print(
            Text(f"  queries failed: {escape_unprintable(str(error), limit=1000)}", style="red"), soft_wrap=True
        )
        return
    found = describe_capabilities(session.model)
    session.close()
    for table in capability_tables(found):
        console.print()
        console.print(table)


def _source_to_json(source: PlatformSource) -> dict[str, Any]:
    return {
        "source": source.name,
        "options": source.options,
        "error": source.error,
        **(msgspec.to_builtins(source.found) if source.found else {}),
    }
