"""What semaphores answer (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import OneOf, Want
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.semaphores import Semaphore
from clconform.oracles.queries.told import either, exactly, named
from clconform.oracles.recurring.property_lists import list_echo

if TYPE_CHECKING:
    from clconform.oracles.queries.questions import Question

rules = Rules()

UNSIGNALED, SIGNALED = 0, 1


@rules.answer("CL_SEMAPHORE_CONTEXT_KHR", of=Semaphore)
def context_of(semaphore: Semaphore, question: Question) -> Want | None:
    """The context that the semaphore was made in."""
    return named(question, semaphore.context) if semaphore.context is not None else None


@rules.answer("CL_SEMAPHORE_PROPERTIES_KHR", of=Semaphore)
def list_of(semaphore: Semaphore, question: Question) -> Want | None:
    """The property list that the semaphore was made with, whole and in its order."""
    return None if semaphore.tainted else either(question, list_echo(semaphore.properties))


@rules.answer("CL_SEMAPHORE_TYPE_KHR", of=Semaphore)
def type_of(semaphore: Semaphore, question: Question) -> Want | None:
    """The type that the semaphore was made of."""
    return exactly(question, semaphore.kind) if semaphore.kind is not None else None


@rules.answer("CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", of=Semaphore)
def devices_of(semaphore: Semaphore, question: Question) -> Want | None:
    """The devices that the semaphore was made for, or all of the context's."""
    return either(question, (semaphore.device_names,) if semaphore.device_names else ())


@rules.answer("CL_SEMAPHORE_EXPORTABLE_KHR", of=Semaphore)
def exportable(semaphore: Semaphore, question: Question) -> Want | None:
    """Whether the semaphore was made to be exported."""
    return exactly(question, 1) if semaphore.exportable else None


@rules.answer("CL_SEMAPHORE_PAYLOAD_KHR", of=Semaphore)
def payload(semaphore: Semaphore, question: Question) -> Want:
    """1 for a signaled semaphore of two states, and 0 for one that is not; not signaled until somebody signals it."""
    if semaphore.kind != question.model.value("CL_SEMAPHORE_TYPE_BINARY_KHR"):
        raise UnknownError(question.query.name)
    states = ((SIGNALED,), (UNSIGNALED,)) if semaphore.signalable else ((UNSIGNALED,),)
    return OneOf(states, (question.query.id,))
