"""The process that runs a driver: ``python -m clconform.harness.worker --descriptors R,W --driver lib.so ...``.

It loads a driver, reports what it found, and makes the requested calls until the pipe closes. With
``--replay FILE`` instead of descriptors it makes the calls of that file, one after the other, for a debugger.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome
from clconform.calls.protocol import (
    Ask,
    AskTogether,
    AskWitness,
    Begin,
    Channel,
    Closed,
    Forget,
    Reached,
    Refused,
    Request,
    Together,
    Unreachable,
)
from clconform.harness import witness
from clconform.harness.addresses import Addresses
from clconform.harness.confinement import GIB, confine, own_descriptors
from clconform.harness.driver import Driver
from clconform.harness.entry_points import DispatchTableEntryPoints, EntryPoints, LoaderEntryPoints
from clconform.harness.errors import BadCall, HarnessError, one_line
from clconform.harness.one_core import WorkerChannel
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Sequence

REPLAYED = "clconform: the sequence ran to its end"
"""Printed by ``--replay`` after the last call, so that its reader knows that nothing died."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a worker; it never returns, and runs no exit handlers of the driver."""
    options = _options(arguments)
    confine(options.data_limit * GIB)
    if options.replay:
        _replay(options)
    else:
        reading, writing = (int(number) for number in options.descriptors.split(","))
        channel = WorkerChannel(*own_descriptors(reading, writing))
        with suppress(Closed, BrokenPipeError):  # the parent has ended or closed the pipe
            _serve(options, channel)
    sys.stderr.flush()
    os._exit(0)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="clconform.harness.worker", description="the process that runs a driver")
    parser.add_argument(
        "--descriptors", metavar="R,W", help="inherited descriptors: to read requests from, to answer on"
    )
    parser.add_argument("--replay", metavar="FILE", help="a JSON list of calls to make instead")
    parser.add_argument("--loader", metavar="PATH", default="libOpenCL.so.1", help="the loader's library")
    parser.add_argument("--driver", metavar="PATH", help="only platforms of this library; default: all")
    parser.add_argument("--direct", action="store_true", help="bypass the loader; call --driver directly")
    parser.add_argument("--platform", metavar="PART", default="", help="only platforms whose name contains PART")
    parser.add_argument(
        "--data-limit", metavar="GIB", type=int, default=8, help="memory limit for data; 0 for no limit"
    )
    options = parser.parse_args(arguments)
    if not options.replay and not options.descriptors:
        parser.error("one of --descriptors and --replay is needed")
    if options.direct and not options.driver:
        parser.error("--direct needs --driver")
    return options


def _open(options: argparse.Namespace) -> tuple[Driver, Reached]:
    """Load the driver and find its platforms; HarnessError if there is nothing to test."""
    tables, addresses = load(), Addresses()
    entry_points: EntryPoints
    if options.direct:
        entry_points = DispatchTableEntryPoints(options.driver, tables, addresses)
    else:
        entry_points = LoaderEntryPoints(options.loader, options.driver, tables, addresses)
    driver = Driver(tables, entry_points, addresses)
    seen = driver.survey(options.platform)
    return driver, Reached(entry_points.access, entry_points.loader, driver.libraries(), seen, driver.empty_entries())


def _serve(options: argparse.Namespace, channel: Channel) -> None:
    try:
        driver, greeting = _open(options)
    except HarnessError as error:
        channel.send(Unreachable(str(error)))
        return
    channel.send(greeting)
    decode = msgspec.msgpack.Decoder(Request).decode
    while True:
        body = channel.receive()
        try:
            request = decode(body)
        except msgspec.MsgspecError as error:
            channel.send(Refused(one_line(f"not a request: {error}")))
            continue
        match request:
            case Ask(call):
                channel.send(_answer(driver, call))
            case AskTogether(calls):
                channel.send(_answer_together(driver, calls))
            case AskWitness(handle, param_name):
                channel.send(witness.read(driver.names, handle, param_name))
            case Begin():
                driver.begin()
            case Forget(names):
                driver.forget(names)


def _answer(driver: Driver, call: Call) -> Outcome | Refused:
    try:
        return driver.perform(call)
    except BadCall as error:
        return Refused(one_line(str(error)))
    except Exception as error:  # noqa: BLE001 (a bug of ours must not look like the driver's death)
        traceback.print_exc()
        return Refused(one_line(f"internal error of the worker at {call.function}: {error!r}"))


def _answer_together(driver: Driver, calls: list[Call]) -> Together | Refused:
    try:
        return Together(driver.perform_together(calls))
    except BadCall as error:
        return Refused(one_line(str(error)))
    except Exception as error:  # noqa: BLE001 (a bug of ours must not look like the driver's death)
        traceback.print_exc()
        return Refused(one_line(f"internal error of the worker at {calls[0].function}: {error!r}"))


def _replay(options: argparse.Namespace) -> None:
    """Make the calls of a file and print each with its outcome, for a debugger."""
    try:
        calls = msgspec.json.decode(Path(options.replay).read_bytes(), type=list[Call])
        driver, _ = _open(options)
    except (HarnessError, OSError, msgspec.MsgspecError) as error:
        print(one_line(str(error)), flush=True)  # noqa: T201 (this is what a debugger's transcript shows)
        return
    for call in calls:
        print(f"{call.function} ...", flush=True)  # noqa: T201
        print(f"  {one_line(repr(_answer(driver, call)))}", flush=True)  # noqa: T201
    print(REPLAYED, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
