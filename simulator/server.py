"""The server of a simulated platform: replies to the same requests as a driver's worker."""

from __future__ import annotations

import argparse
import difflib
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import msgspec

from clconform.calls.call import Absent, Returned
from clconform.calls.protocol import (
    AwaitCall,
    BeginCall,
    BeginExample,
    ConcurrentOutcomes,
    MakeCall,
    MakeConcurrentCalls,
    Request,
    RequestRefused,
    TargetUnreachable,
)
from clconform.harness.fork_server import serve_starts
from clconform.harness.gc_tuning import raise_gc_threshold
from clconform.harness.mailbox import ClosedMailbox
from clconform.harness.platform_process import enter_platform_process
from clconform.harness.sandbox import GIB, limit_data
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.simulator.host_threads import SimulatedHostThreads
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import HOSTILE_TOPOLOGIES, TOPOLOGIES, find_platform
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.calls.call import Call, Outcome
    from clconform.calls.protocol import WorkerReply
    from clconform.harness.mailbox import Mailbox
    from clconform.simulator.topologies import SimulatedPlatform

    Change: TypeAlias = Callable[[Simulation, Call, Outcome], Outcome]

_encode = msgspec.msgpack.Encoder().encode
MAX_SUGGESTIONS = 4
"""The maximum number of similar names in the message about an unknown fault."""


def main(program: str, faults: Mapping[str, Change]) -> NoReturn:
    """Serve calls until the session ends the process; ``faults``: maps names to the available faults."""
    raise_gc_threshold()
    options = _options(program, faults)
    loading.select_folder(options.tables)
    if options.starts is not None:
        rulebook_of(load())
        serve_starts(options.starts, lambda arguments: _run(_options(program, faults, arguments), faults))
    _run(options, faults)


def _options(program: str, faults: Mapping[str, Change], arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=program, description="a simulated OpenCL platform")
    parser.add_argument("--topology", default="numa-16", metavar="NAME", help=", ".join(TOPOLOGIES))
    parser.add_argument("--tables", metavar="DIR", type=Path, default=loading.DATA, help="the folder of the tables")
    parser.add_argument("--fault", default="", metavar="NAME", help=", ".join(faults))
    parser.add_argument("--schedule", default=0, metavar="SEED", type=int, help="the order in which lanes return")
    parser.add_argument(
        "--result-seed", metavar="SEED", type=int, help="answer with anything allowed, not with the first"
    )
    ways = parser.add_mutually_exclusive_group(required=True)
    ways.add_argument("--mailbox", metavar="N", type=int, help="id of the shared memory for messages")
    ways.add_argument("--starts", metavar="N", type=int, help="descriptor of a socket for requests to fork")
    return parser.parse_args(arguments)


def _run(options: argparse.Namespace, faults: Mapping[str, Change]) -> NoReturn:
    with suppress(ClosedMailbox):
        mailbox = enter_platform_process(options.mailbox)
        limit_data(GIB)
        serve(options.topology, options.fault, faults, mailbox, options.schedule, options.result_seed)
    os._exit(0)


def _unknown_fault_message(fault: str, faults: Mapping[str, Change]) -> str:
    near = difflib.get_close_matches(fault, faults, MAX_SUGGESTIONS, 0)
    return f"unknown fault {fault!r}; the nearest: {', '.join(near) or 'none'}; clconform platforms --faults lists all"


def serve(
    topology: str,
    fault: str,
    faults: Mapping[str, Change],
    mailbox: Mailbox,
    seed: int = 0,
    choices: int | None = None,
) -> None:
    """Send the first message, then reply to requests; ClosedMailbox when the session has closed the mailbox.

    ``seed``: determines the order in which calls on host threads return, and the order of concurrent calls.
    ``choices``: the seed for random choices among allowed outcomes; None for the first allowed outcome.
    """
    plan = find_platform(topology)
    if plan is None or (fault and fault not in faults):
        known = f"unknown topology {topology!r}; known: {', '.join([*TOPOLOGIES, *HOSTILE_TOPOLOGIES])}"
        mailbox.send(_encode(TargetUnreachable(known if plan is None else _unknown_fault_message(fault, faults))))
        return
    change = faults[fault] if fault else _keep_outcome
    server = SimulatorServer(topology, plan, change, seed, choices)
    server.simulation.session = mailbox.session
    mailbox.send(_encode(server.simulation.build_greeting()))
    decode = msgspec.msgpack.Decoder(Request).decode
    while True:
        body = mailbox.receive()
        answer = server.reply(decode(body)) if body is not None else None
        if answer is not None:
            mailbox.send(_encode(answer))


class SimulatorServer:
    """One simulated platform, which replies to the requests of a session."""

    def __init__(
        self,
        topology: str,
        plan: SimulatedPlatform,
        change: Change | None = None,
        seed: int = 0,
        choices: int | None = None,
    ) -> None:
        """Create the platform of a plan; ``change``: its fault; ``seed`` and ``choices`` as for ``serve``."""
        self._seed, self._change = seed, change or _keep_outcome
        self.simulation = Simulation(load(), topology, plan, choices)
        self._lanes = SimulatedHostThreads(self.simulation, self._change, seed if choices is None else choices)

    def reply(self, request: Request) -> WorkerReply | None:
        """Return the reply to a request; None if it has none."""
        match request:
            case MakeCall(call):
                return self._lanes.make_call(call, lambda asked: _make_call(self.simulation, self._change, asked))
            case BeginCall(host_thread, call):
                return self._lanes.begin_call(host_thread, call)
            case AwaitCall(host_thread, seconds):
                return self._lanes.end_call(host_thread, seconds)
            case MakeConcurrentCalls(calls):
                return self._make_concurrent_calls(calls)
            case BeginExample():
                self.simulation.begin_example()
                self._lanes.begin_example()
        return None

    def _make_concurrent_calls(self, calls: list[Call]) -> WorkerReply:
        draw = random.Random(f"{self._seed} {calls!r}")  # noqa: S311 (an order, no secret)
        order = draw.sample(range(len(calls)), len(calls))
        self.simulation.model.concurrent_count = len(calls)
        answered = {thread: _make_call(self.simulation, self._change, calls[thread], thread) for thread in order}
        self.simulation.model.concurrent_count = 1
        outcomes = [answered[thread] for thread in range(len(calls))]
        wrong = next((each for each in outcomes if not isinstance(each, (Returned, Absent))), None)
        return wrong or ConcurrentOutcomes([each for each in outcomes if isinstance(each, (Returned, Absent))])


def _keep_outcome(_simulation: Simulation, _call: Call, outcome: Outcome) -> Outcome:
    return outcome


def _make_call(simulation: Simulation, change: Change, call: Call, thread: int = 0) -> Outcome | RequestRefused:
    simulation.thread = thread
    try:
        outcome: Outcome = simulation.make_call(call)
    except NotImplementedError as error:
        return RequestRefused(str(error))
    return simulation.count_callbacks(call, change(simulation, call, outcome))
