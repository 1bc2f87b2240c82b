"""The process that runs a driver: ``python -m clconform.harness.worker --mailbox N --driver lib.so ...``.

It loads a driver, reports the platforms found, and makes the requested calls until the session ends it. With
``--replay FILE`` instead of a mailbox it makes the calls in that file one after another, for a debugger. With
``--starts N`` it does not load a driver and forks workers (``harness/fork_server.py``).
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import msgspec

from clconform.calls.call import GARBAGE, Call, Died, Returned
from clconform.calls.protocol import (
    WITHOUT_REPLY,
    AwaitCall,
    BeginCall,
    BeginExample,
    ForgetObjects,
    KeepObject,
    MakeCall,
    MakeConcurrentCalls,
    Request,
    RequestRefused,
    RestoreObject,
    TargetEnded,
    TargetReached,
    TargetUnreachable,
)
from clconform.harness.addresses import ProcessMemory
from clconform.harness.driver import Driver
from clconform.harness.driver_process import enter_driver_process
from clconform.harness.entry_points import DispatchTableEntryPoints, EntryPoints, LoaderEntryPoints
from clconform.harness.errors import BadCall, HarnessError, ProcessShortageError, fold_line
from clconform.harness.fork_server import serve_starts
from clconform.harness.mailbox import ClosedMailbox
from clconform.harness.process_state import ProcessState, find_process_end
from clconform.harness.sandbox import GIB, limit_data, limit_process
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.protocol import WorkerReply
    from clconform.harness.mailbox import Mailbox

REPLAYED = "clconform: the sequence ran to its end"
"""Printed by ``--replay`` after the last call, to show that the process survived all calls."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a worker; never returns, and skips the driver's exit handlers."""
    options = _options(arguments)
    loading.select_folder(options.tables)
    if options.starts is not None:
        load()
        serve_starts(options.starts, lambda more: _run(_options(more)))
    _run(options)


def _run(options: argparse.Namespace) -> NoReturn:
    if options.replay:
        limit_process()
        _replay(options)
    else:
        with suppress(ClosedMailbox):
            _serve(options, enter_driver_process(options.mailbox))
    sys.stderr.flush()
    os._exit(0)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="clconform.harness.worker", description="the process that runs a driver")
    parser.add_argument("--mailbox", metavar="N", type=int, help="id of the shared memory for messages")
    parser.add_argument("--tables", metavar="DIR", type=Path, default=loading.DATA, help="the folder of the tables")
    parser.add_argument("--replay", metavar="FILE", help="a JSON list of calls to make instead")
    parser.add_argument("--starts", metavar="N", type=int, help="descriptor of a socket for requests to fork instead")
    parser.add_argument("--loader", metavar="PATH", default="libOpenCL.so.1", help="the loader's library")
    parser.add_argument("--driver", metavar="PATH", help="only platforms of this library; default: all")
    parser.add_argument("--direct", action="store_true", help="bypass the loader; call --driver directly")
    parser.add_argument("--platform", metavar="PART", default="", help="only platforms whose name contains PART")
    parser.add_argument(
        "--data-limit", metavar="GIB", type=int, default=8, help="memory limit for data; 0 for no limit"
    )
    options = parser.parse_args(arguments)
    if not options.replay and options.mailbox is None and options.starts is None:
        parser.error("one of --mailbox, --replay and --starts is needed")
    if options.direct and not options.driver:
        parser.error("--direct needs --driver")
    return options


def _open(
    options: argparse.Namespace, tell: Callable[[Call], object], state: ProcessState
) -> tuple[Driver, TargetReached]:
    """Load the driver and find its platforms; HarnessError if there is nothing to test.

    ``tell`` is called with each call before it is made. ``state``: the state of this process.
    """
    tables, addresses = load(), ProcessMemory()
    entry_points: EntryPoints
    if options.direct:
        entry_points = DispatchTableEntryPoints(options.driver, tables, addresses)
    else:
        entry_points = LoaderEntryPoints(options.loader, options.driver, tables, addresses)
    driver = Driver(tables, entry_points, addresses)
    seen = driver.query_platforms(options.platform, tell)
    state.expect_data_limit(options.data_limit * GIB)
    limit_data(options.data_limit * GIB)
    return driver, TargetReached(
        entry_points.access, entry_points.loader, driver.libraries(), seen, driver.find_missing_functions()
    )


def _serve(options: argparse.Namespace, mailbox: Mailbox) -> None:
    state = ProcessState()
    try:
        driver, greeting = _open(options, lambda call: mailbox.announce_call(msgspec.msgpack.encode(call)), state)
    except HarnessError as error:
        mailbox.send(TargetUnreachable(str(error)))
        return
    except Exception as error:
        try:
            ended = find_process_end(error, state, "the start")
        except ProcessShortageError as shortage:
            mailbox.send(TargetUnreachable(str(shortage), is_shortage=True))
            return
        if ended is None:
            raise
        mailbox.send(TargetEnded(ended))
        return
    mailbox.announce_call(b"")
    mailbox.send(greeting)
    decode = msgspec.msgpack.Decoder(Request).decode
    refused: WorkerReply | None = None
    while True:
        body = mailbox.receive()
        if body is None:
            continue
        try:
            request = decode(body)
        except (msgspec.MsgspecError, RecursionError) as error:  # the memory for messages was overwritten
            mailbox.send(Died(GARBAGE, "", fold_line(f"not a request: {error}")))
            return
        answer = refused or answer_to(request, driver, state)
        refused = answer if isinstance(request, WITHOUT_REPLY) else None  # reported with the next request that replies
        if answer is not None and refused is None:
            mailbox.send(answer)
        if isinstance(answer, Died):
            return


def answer_to(request: Request, driver: Driver, state: ProcessState) -> WorkerReply | None:
    """Return the reply to a request; for a request without a reply, None or the reason of its refusal.

    ``state``: the state of this process when the driver was loaded.
    """
    try:
        return _answer_to(request, driver)
    except BadCall as error:
        return RequestRefused(fold_line(str(error)))
    except Exception as error:  # noqa: BLE001 (an internal error must not look like a crash of the driver)
        return _answer_to_failure(error, request, state)


def _answer_to_failure(error: Exception, request: Request, state: ProcessState) -> WorkerReply:
    """Return the reply to a request at which the worker has failed."""
    try:
        ended = find_process_end(error, state, _about(request))
    except ProcessShortageError as shortage:
        return RequestRefused(str(shortage), is_shortage=True)
    if ended is not None:
        return ended
    traceback.print_exception(error)
    return RequestRefused(fold_line(f"internal error of the worker at {_about(request)}: {error!r}"))


def _answer_to(request: Request, driver: Driver) -> WorkerReply | None:
    match request:
        case MakeCall(call):
            return driver.perform_in_order(call)
        case MakeConcurrentCalls(calls):
            return driver.call_concurrently(calls)
        case BeginCall(lane, call):
            return driver.start_on_thread(lane, call)
        case AwaitCall(lane, seconds):
            return driver.join_thread(lane, seconds)
        case RestoreObject(number):
            return Returned(driver.names.take_back(number))
        case KeepObject(name):
            driver.names.put_aside(name)
        case BeginExample():
            driver.begin_example()
        case ForgetObjects(names):
            driver.forget_objects(names)
    return None


def _about(request: Request) -> str:
    """Return the names of the functions that a request calls, or else the type of the request."""
    match request:
        case MakeCall(call) | BeginCall(_, call):
            return call.function
        case MakeConcurrentCalls(calls):
            return ", ".join(dict.fromkeys(call.function for call in calls))
    return type(request).__name__


def _replay(options: argparse.Namespace) -> None:
    """Make the calls of a file and print each with its outcome, for a debugger."""
    try:
        calls = msgspec.json.decode(Path(options.replay).read_bytes(), type=list[Call])
        state = ProcessState()
        driver, _ = _open(options, lambda _: None, state)
    except (HarnessError, OSError, msgspec.MsgspecError) as error:
        print(fold_line(str(error)), flush=True)  # noqa: T201 (this is what a debugger's transcript shows)
        return
    for call in calls:
        print(f"{call.function} ...", flush=True)  # noqa: T201
        print(f"  {fold_line(repr(answer_to(MakeCall(call), driver, state)))}", flush=True)  # noqa: T201
    print(REPLAYED, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
