"""Faults of builds, compilations and links after the kernels of a program were run and released."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.model.events import Event
from clconform.oracles.model.programs import Program
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome

faults = Faults()
BUILD, COMPILE, LINK = "clBuildProgram", "clCompileProgram", "clLinkProgram"
RARE = 5
"""A build that must fail once in a while fails each time that this number of builds is reached."""


@faults.plant(BUILD, succeeded=True)
def event_blocks_build(step: SimulatedStep) -> Outcome | None:
    """A program that had kernels cannot be built while an event exists."""
    return _block(step) if any(True for _ in step.model.objects_of_class(Event)) else None


@faults.plant(BUILD, "clCloneKernel", succeeded=True)
def clone_blocks_builds(step: SimulatedStep) -> Outcome | None:
    """A program cannot be built after a kernel was cloned, even if all kernels are released."""
    was_cloned = step.state("was_cloned", [False])
    if step.call.function == BUILD:
        return _block(step) if was_cloned[0] else None
    was_cloned[0] = True
    return None


@faults.plant(BUILD, succeeded=True)
def rare_build_blocked(step: SimulatedStep) -> Outcome | None:
    """Every fifth build fails if the program had kernels."""
    count = step.state("build_count", [0])
    count[0] += 1
    return _block(step) if count[0] % RARE == 0 else None


@faults.plant(COMPILE, succeeded=True)
def used_program_not_compiled(step: SimulatedStep) -> Outcome | None:
    """A program that had kernels cannot be compiled."""
    return _block(step)


@faults.plant(LINK, succeeded=True)
def second_link_fails(step: SimulatedStep) -> Outcome | None:
    """A compiled program cannot be linked a second time."""
    given, known = step.argument("input_programs", ElementList), step.state("linked_programs", set[str]())
    names = {str(getattr(each, "name", "")) for each in given.values} if given is not None else set[str]()
    again = bool(names & known)
    known |= names
    return step.fail_creation("CL_INVALID_OPERATION", remove=True) if again else None


def _block(step: SimulatedStep) -> Outcome | None:
    program = step.find("program", Program)
    return step.fail("CL_INVALID_OPERATION") if program is not None and program.had_kernels else None
