"""Defines the options that select the driver to test, and the target that they name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from clconform.calls.protocol import TargetReached
    from clconform.harness import Target

Command = TypeVar("Command", bound=Callable[..., Any])
NO_DRIVER = (
    "there is no driver to test: {embedded}; and there is no installed platform: {installed}; "
    "name a driver with --driver; a simulated platform is only tested with --simulated"
)
OPTIONS = (
    click.option("--driver", metavar="LIB", default="", help="test the driver in this library, through a loader"),
    click.option("--direct", is_flag=True, help="bypass the ICD loader; call through the driver's dispatch table"),
    click.option(
        "--platform", metavar="PART", default="", help="test the installed platform whose name or vendor contains PART"
    ),
    click.option("--simulated", metavar="TOPOLOGY", default="", help="test the simulated platform of this topology"),
    click.option("--fault", metavar="NAME", default="", help="inject this fault into the simulated platform"),
    click.option(
        "--result-seed",
        metavar="SEED",
        type=click.IntRange(0),
        default=None,
        help="let the simulated platform return random allowed results by this seed, not the first one",
    ),
    click.option("--embedded", is_flag=True, help="test the PoCL driver from PyPI (the default)"),
    click.option(
        "--device", metavar="N", type=click.IntRange(0), default=None, help="test the root device with this index"
    ),
)


@dataclass(frozen=True)
class DriverOptions:
    """The options that select a driver; ``device`` and ``result_seed`` are None if they were not specified."""

    driver: str = ""
    direct: bool = False
    platform: str = ""
    simulated: str = ""
    fault: str = ""
    result_seed: int | None = None
    embedded: bool = False
    device: int | None = None

    def __post_init__(self) -> None:
        """Raise CommandError if the options contradict each other."""
        given = [f"--{name}" for name in ("driver", "platform", "simulated", "embedded") if getattr(self, name)]
        if len(given) > 1:
            raise CommandError(f"{' and '.join(given)} each name a driver; give only one")
        if self.direct and (self.platform or self.simulated):
            raise CommandError("--direct needs the driver's library: name it with --driver")
        if self.fault and not self.simulated:
            raise CommandError(f"--fault {self.fault} applies to simulated platforms only; name one with --simulated")
        if self.result_seed is not None and not self.simulated:
            raise CommandError(
                f"--result-seed {self.result_seed} applies to simulated platforms only; name one with --simulated"
            )

    @property
    def is_empty(self) -> bool:
        """Return whether no option names a driver."""
        return not (self.driver or self.platform or self.simulated or self.embedded or self.direct)

    def target(self) -> Target:
        """Return the target that the options name; HarnessError if its library is missing."""
        from clconform.harness import Target

        if self.driver:
            return Target.driver(self.driver, direct=self.direct)
        if self.platform:
            return Target.platform(self.platform)
        if self.simulated:
            fault = ("--fault", self.fault) if self.fault else ()
            choices = ("--result-seed", str(self.result_seed)) if self.result_seed is not None else ()
            return Target.simulated(self.simulated, *fault, *choices)
        return Target.embedded(direct=self.direct)

    def plugin_options(self) -> list[str]:
        """Return the options in the form of the pytest plugin's options."""
        words = [
            f"--cl-{name}={getattr(self, name)}"
            for name in ("driver", "platform", "simulated", "fault")
            if getattr(self, name)
        ]
        words += [f"--cl-result-seed={self.result_seed}"] if self.result_seed is not None else []
        words += [f"--cl-{name}" for name in ("direct", "embedded") if getattr(self, name)]
        return [*words, f"--cl-device={self.device or 0}"]


def add_driver_options(command: Command) -> Command:
    """Add the options that name a driver to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def tables_option(help_text: str) -> Callable[[Command], Command]:
    """Return the option ``--tables``.

    Its value is a revision of the specification whose tables are installed, a folder with tables, or empty.
    """
    return click.option("--tables", metavar="REVISION", default="", help=help_text)


def add_result_tables_option(command: Command) -> Command:
    """Add the option ``--tables`` to a command that reads results.

    The option names the tables by which a result was judged, if they are not in the package.
    """

    def chosen(context: click.Context, option: click.Parameter, given: str) -> None:
        if given:
            from clconform.tools.revision_option import select_named_tables

            select_named_tables(context, option, given)

    told = "use these tables of the run if the package does not have their revision"
    option = click.option("--tables", metavar="DIR", default="", expose_value=False, callback=chosen, help=told)
    return option(command)


def with_default_driver(named: DriverOptions) -> tuple[DriverOptions, str]:
    """Return the options with a driver, and a reason if the driver is not the usual default.

    The default is the embedded driver. If it is not installed, the first installed platform with a device is the
    default. HarnessError without such a platform: a simulated platform is never tested without its option.
    """
    if not named.is_empty:
        return named, ""
    from clconform.harness import HarnessError
    from clconform.harness.libraries import embedded_pocl

    try:
        embedded_pocl()
    except HarnessError as error:
        return DriverOptions(platform=_find_installed_platform(str(error)), device=named.device), str(error)
    return DriverOptions(embedded=True, device=named.device), ""


def _find_installed_platform(embedded: str) -> str:
    """Return the name of the first installed platform with a device; its vendor if it has no name.

    ``embedded``: why the embedded driver cannot be tested. HarnessError if there is no such platform, or if it has
    neither a name nor a vendor.
    """
    from clconform.harness import HarnessError, Target, query_platforms
    from clconform.harness.host_shortages import find_shortage

    try:
        found = query_platforms(Target.installed()).platforms
    except HarnessError as error:
        if find_shortage(error):
            raise
        raise HarnessError(NO_DRIVER.format(embedded=embedded, installed=error)) from None
    tested = next((platform for platform in found if platform.devices), None)
    if tested is None:
        raise HarnessError(NO_DRIVER.format(embedded=embedded, installed="none of them has a device; install a driver"))
    name = next((text for text in (tested.name, tested.vendor) if text.strip()), "")
    if not name:
        raise HarnessError(f"{embedded}; the installed platform has no name: name its library with --driver")
    return name


def parse_stored_target(words: list[str], device: int) -> DriverOptions:
    """Return the options for the target that a result stores; CommandError if this version does not know them."""
    fields: dict[str, Any] = {"device": device}
    rest = iter(words)
    for word in rest:
        name = word.removeprefix("--").replace("topology", "simulated")
        if name in ("direct", "embedded"):
            fields[name] = True
        elif name in ("driver", "platform", "simulated", "fault"):
            fields[name] = next(rest, "")
            if not fields[name].strip():
                raise CommandError(f"the result names no driver after {word!r}; name the driver with --driver")
        elif name in ("choices", "result-seed"):
            seed = next(rest, "")
            if not seed.isdecimal():
                raise CommandError(f"the result names {seed!r} as --result-seed, not a seed; name the driver again")
            fields["result_seed"] = int(seed)
        else:
            raise CommandError(f"unknown target in the result: {' '.join(words)!r}; name the driver with --driver")
    return DriverOptions(**fields)


def survey_target(target: Target, device: int) -> TargetReached:
    """Return the platforms of a target; HarnessError if it has no platforms, or no device with this index."""
    from clconform.harness import HarnessError, Worker

    with Worker(target) as worker:
        reached = worker.greeting
    platform = next(platform for platform in reached.platforms if platform.devices)
    if device >= len(platform.devices):
        last = len(platform.devices) - 1
        raise HarnessError(f"--device {device}: {platform.name} has no such device; valid values are 0 to {last}")
    return reached
