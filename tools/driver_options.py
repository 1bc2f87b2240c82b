"""Defines the options that select the driver to test, and the target that they name."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clconform.harness.remote.addresses import TOKEN_VARIABLE
from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from clconform.calls.protocol import TargetReached
    from clconform.harness import Target

Command = TypeVar("Command", bound=Callable[..., Any])
NO_DRIVER = (
    "there is no driver to test: {embedded}; and there is no installed platform: {installed}; "
    "name a driver with --driver; a simulated platform is only tested with --simulated"
)
DEVICE_OPTIONS = (
    click.option(
        "--device-target",
        metavar="TARGET",
        default="",
        help="copy the worker for this target, such as aarch64-linux-gnu [the machine is asked]",
    ),
    click.option(
        "--device-env",
        metavar="NAME=VALUE",
        multiple=True,
        help="set a variable for the driver on that machine (repeatable)",
    ),
    click.option(
        "--reboot", metavar="COMMAND", default="", help="run this command if that machine is lost and does not return"
    ),
    click.option(
        "--device-wait",
        metavar="S",
        type=click.FloatRange(0, 86400),
        default=None,
        help="wait S seconds for a machine that was lost [60]",
    ),
    click.option(
        "--token",
        metavar="TEXT",
        envvar=TOKEN_VARIABLE,
        show_envvar=True,
        default="",
        help="the token that a server for tcp: has printed",
    ),
)
"""Options for the connection to a machine."""
PROGRAM_OPTIONS = (
    click.option(
        "--device",
        metavar="ADDRESS",
        default="",
        help="run the program on another machine: ssh:HOST, adb:SERIAL or exec:'COMMAND {arguments}'",
    ),
    click.option(
        "--device-target",
        metavar="TARGET",
        default="",
        help="record a program for this target, such as aarch64-linux-gnu [the machine is asked]",
    ),
    click.option(
        "--device-env",
        metavar="NAME=VALUE",
        multiple=True,
        help="set a variable for the program on that machine (repeatable)",
    ),
    click.option(
        "--driver",
        metavar="LIB",
        default="",
        help="let the program use the driver in this library there; with --shim, also on this machine",
    ),
    click.option(
        "--shim",
        type=click.Choice(["library", "preload"]),
        is_flag=False,
        flag_value="library",
        default=None,
        help="record without a loader, for a program that calls a vendor's library: replace libOpenCL.so by a shim; "
        "preload: by LD_PRELOAD, for libraries of other names [default on Android: library]",
    ),
)
"""Options for the machine of a program that is recorded, and for the library that it uses."""
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
        "--device-index",
        metavar="N",
        type=click.IntRange(0),
        default=None,
        help="test the OpenCL root device with this index",
    ),
    click.option(
        "--device",
        "devices",
        metavar="ADDRESS",
        multiple=True,
        help="test a driver on another machine: ssh:HOST, adb:SERIAL, tcp:HOST:PORT or exec:'COMMAND {arguments}' "
        "(repeatable for equal machines)",
    ),
    *DEVICE_OPTIONS,
)


@dataclass(frozen=True)
class DriverOptions:
    """The options that select a driver; ``device_index`` and ``result_seed`` are None if they were not specified."""

    driver: str = ""
    direct: bool = False
    platform: str = ""
    simulated: str = ""
    fault: str = ""
    result_seed: int | None = None
    embedded: bool = False
    device_index: int | None = None
    devices: tuple[str, ...] = ()
    device_target: str = ""
    device_env: tuple[str, ...] = ()
    reboot: str = ""
    device_wait: float | None = None
    token: str = ""

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

        if self.devices and (self.simulated or self.embedded):
            local = "--simulated" if self.simulated else "--embedded"
            raise CommandError(
                f"{local} names a driver on this machine, and --device {self.devices[0]} another machine"
            )
        for name in ("device_target", "device_env", "reboot", "device_wait"):
            if getattr(self, name) not in ("", (), None) and not self.devices:
                raise CommandError(f"--{name.replace('_', '-')} applies to other machines only; name one with --device")
        is_given = self.token and self.token != os.environ.get(TOKEN_VARIABLE)
        if is_given and not any(address.startswith("tcp:") for address in self.devices):
            raise CommandError("--token applies to tcp: addresses only; name one with --device, or omit it")

    @property
    def is_empty(self) -> bool:
        """Return whether no option names a driver."""
        return not (self.driver or self.platform or self.simulated or self.embedded or self.direct or self.devices)

    def target(self) -> Target:
        """Return the target that the options name; HarnessError if its library is missing."""
        from clconform.harness import Target

        if self.devices:
            return self._device_target(0)
        if self.driver:
            return Target.driver(self.driver, direct=self.direct)
        if self.platform:
            return Target.platform(self.platform)
        if self.simulated:
            fault = ("--fault", self.fault) if self.fault else ()
            choices = ("--result-seed", str(self.result_seed)) if self.result_seed is not None else ()
            return Target.simulated(self.simulated, *fault, *choices)
        return Target.embedded(direct=self.direct)

    def other_device_targets(self) -> list[Target]:
        """Return the targets on the second and further machines."""
        return [self._device_target(number) for number in range(1, len(self.devices))]

    def _device_target(self, number: int) -> Target:
        """Return the target on one of the machines, by its index."""
        from clconform.harness import Target
        from clconform.harness.remote.device import create_device

        device = create_device(
            self.devices[number],
            token=self.token,
            target=self.device_target,
            environment=self.device_env,
            reboot=self.reboot,
            **({} if self.device_wait is None else {"wait_seconds": self.device_wait}),
        )
        return Target.on_device(device, library=self.driver, direct=self.direct, name_part=self.platform)

    def plugin_options(self) -> list[str]:
        """Return the options in the form of the pytest plugin's options."""
        words = [
            f"--cl-{name}={getattr(self, name)}"
            for name in ("driver", "platform", "simulated", "fault")
            if getattr(self, name)
        ]
        words += [f"--cl-result-seed={self.result_seed}"] if self.result_seed is not None else []
        words += [f"--cl-{name}" for name in ("direct", "embedded") if getattr(self, name)]
        words += [f"--cl-device={address}" for address in self.devices]
        words += [f"--cl-device-env={variable}" for variable in self.device_env]
        words += [f"--cl-device-target={self.device_target}"] if self.device_target else []
        words += [f"--cl-reboot={self.reboot}"] if self.reboot else []
        words += [f"--cl-device-wait={self.device_wait}"] if self.device_wait is not None else []
        if self.token:
            os.environ[TOKEN_VARIABLE] = self.token  # options are stored, and seen by other users of the machine
        return [*words, f"--cl-device-index={self.device_index or 0}"]


def add_driver_options(command: Command) -> Command:
    """Add the options that name a driver to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def add_program_options(command: Command) -> Command:
    """Add the options for a recorded program to a command."""
    for option in reversed(PROGRAM_OPTIONS):
        command = option(command)
    return command


def add_device_options(command: Command) -> Command:
    """Add the options of a command that names a machine by an argument."""
    for option in reversed((*OPTIONS[:2], *DEVICE_OPTIONS)):
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
        return DriverOptions(platform=_find_installed_platform(str(error)), device_index=named.device_index), str(error)
    return DriverOptions(embedded=True, device_index=named.device_index), ""


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
    fields: dict[str, Any] = {"device_index": device}
    listed: dict[str, list[str]] = {"devices": [], "device_env": []}
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
        elif name in ("device", "device-env"):
            listed["devices" if name == "device" else "device_env"].append(next(rest, ""))
        elif name in ("device-target", "reboot"):
            fields[name.replace("-", "_")] = next(rest, "")
        elif name == "device-wait":
            fields["device_wait"] = _read_seconds(next(rest, ""))
        else:
            raise CommandError(f"unknown target in the result: {' '.join(words)!r}; name the driver with --driver")
    fields |= {name: tuple(values) for name, values in listed.items()}
    return DriverOptions(**fields, token=os.environ.get(TOKEN_VARIABLE, "") if listed["devices"] else "")


def _read_seconds(text: str) -> float:
    """Return the number of seconds in a stored option; CommandError for any other text."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < math.inf:
        raise CommandError(f"the result names {text!r} as --device-wait, not seconds; name the device again")
    return seconds


def survey_target(target: Target, device: int) -> TargetReached:
    """Return the platforms of a target; HarnessError if it has no platforms, or no device with this index."""
    from clconform.harness import HarnessError, Worker

    with Worker(target) as worker:
        reached = worker.greeting
    platform = next(platform for platform in reached.platforms if platform.devices)
    if device >= len(platform.devices):
        last = len(platform.devices) - 1
        raise HarnessError(f"--device-index {device}: {platform.name} has no such device; valid values are 0 to {last}")
    return reached
