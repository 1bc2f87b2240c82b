"""The simulated platform's process: ``python -m clconform.simulator --topology NAME --descriptors R,W``."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Absent, Returned
from clconform.calls.protocol import (
    Ask,
    AskTogether,
    AskWitness,
    Begin,
    Channel,
    Closed,
    Refused,
    Request,
    Together,
    Unreachable,
    Witnessed,
)
from clconform.harness.confinement import GIB, confine, own_descriptors
from clconform.harness.one_core import WorkerChannel
from clconform.simulator import (  # noqa: F401 (they register their faults)
    faults_of_bus_memory,
    faults_of_contents,
    faults_of_host_memory,
    faults_of_lifetimes,
    faults_of_notifications,
    faults_of_platforms,
    faults_of_processes,
    faults_of_queries,
    faults_of_unified_memory,
)
from clconform.simulator.faults import FAULTS
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import HARMFUL, TOPOLOGIES, plan_of
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome


def main() -> None:
    """Serve calls until the pipe closes."""
    parser = argparse.ArgumentParser(prog="clconform.simulator", description="a simulated OpenCL platform")
    parser.add_argument("--topology", default="numa-16", metavar="NAME", help=", ".join(TOPOLOGIES))
    parser.add_argument("--fault", default="", metavar="NAME", help=", ".join(FAULTS))
    parser.add_argument("--descriptors", required=True, metavar="R,W", help="inherited descriptors to talk over")
    options = parser.parse_args()
    confine(GIB)
    channel = WorkerChannel(*own_descriptors(*(int(number) for number in options.descriptors.split(","))))
    try:
        serve(options.topology, options.fault, channel)
    except (Closed, BrokenPipeError):
        sys.exit(0)


def serve(topology: str, fault: str, channel: Channel) -> None:
    """Say what answers, then answer; Closed when the other side has gone."""
    plan = plan_of(topology)
    if plan is None or (fault and fault not in FAULTS):
        name, known = (topology, [*TOPOLOGIES, *HARMFUL]) if plan is None else (fault, [*FAULTS])
        channel.send(Unreachable(f"there is no simulated {name!r}; there are {', '.join(known)}"))
        return
    simulation = Simulation(load(), topology, plan)
    channel.send(simulation.reached())
    decode = msgspec.msgpack.Decoder(Request).decode
    while True:
        match decode(channel.receive()):
            case Ask(call):
                channel.send(_answer(simulation, fault, call))
            case AskTogether(calls):
                outcomes = [_answer(simulation, fault, call, thread) for thread, call in enumerate(calls)]
                wrong = next((each for each in outcomes if not isinstance(each, (Returned, Absent))), None)
                whole = [each for each in outcomes if isinstance(each, (Returned, Absent))]
                channel.send(wrong or Together(whole))
            case AskWitness():
                channel.send(Witnessed())
            case Begin():
                simulation.begin()
            case _:
                pass


def _answer(simulation: Simulation, fault: str, call: Call, thread: int = 0) -> Outcome | Refused:
    simulation.thread = thread
    try:
        outcome: Outcome = simulation.answer(call)
    except NotImplementedError as error:
        return Refused(str(error))
    return simulation.delivered(call, FAULTS[fault](simulation, call, outcome) if fault else outcome)


if __name__ == "__main__":
    main()
