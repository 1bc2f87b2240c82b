"""Query results of semaphores (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.property_lists import allowed_list_values
from clconform.oracles.contents.semaphore_payloads import is_signaled
from clconform.oracles.engine.matchers import Matcher, OneOf
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.semaphores import Semaphore
from clconform.oracles.queries.expected_answers import expect_exactly, expect_handle, expect_one_of

if TYPE_CHECKING:
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

UNSIGNALED, SIGNALED = 0, 1


@rules.expected_value("CL_SEMAPHORE_CONTEXT_KHR", of=Semaphore)
def context_of(semaphore: Semaphore, question: QueryRequest) -> Matcher | None:
    """The value is the context that the semaphore was created in."""
    return expect_handle(question, semaphore.context) if semaphore.context is not None else None


@rules.expected_value("CL_SEMAPHORE_PROPERTIES_KHR", of=Semaphore)
def list_of(semaphore: Semaphore, question: QueryRequest) -> Matcher | None:
    """The value is the property list that the semaphore was created with, complete and in the original order."""
    return None if semaphore.tainted else expect_one_of(question, allowed_list_values(semaphore.properties, question))


@rules.expected_value("CL_SEMAPHORE_TYPE_KHR", of=Semaphore)
def type_of(semaphore: Semaphore, question: QueryRequest) -> Matcher | None:
    """The value is the type that the semaphore was created with."""
    return expect_exactly(question, semaphore.kind) if semaphore.kind is not None else None


@rules.expected_value("CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", of=Semaphore)
def devices_of(semaphore: Semaphore, question: QueryRequest) -> Matcher | None:
    """The value is the list of devices that the semaphore was created for.

    If the property list does not contain CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, these are all devices in the context.
    """
    return expect_one_of(question, (semaphore.device_names,) if semaphore.device_names else ())


@rules.expected_value("CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", of=Semaphore)
def export_types(semaphore: Semaphore, question: QueryRequest) -> Matcher | None:
    """The value is the list in CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR at creation; without this property it is empty."""
    return None if semaphore.tainted else expect_one_of(question, (semaphore.export_types,))


@rules.expected_value("CL_SEMAPHORE_EXPORTABLE_KHR", of=Semaphore)
def is_exportable(semaphore: Semaphore, question: QueryRequest) -> Matcher | None:
    """The value is CL_TRUE for a semaphore that was created with export handle types, and CL_FALSE for others."""
    return None if semaphore.tainted else expect_exactly(question, int(bool(semaphore.export_types)))


rules.inferred("CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", "CL_SEMAPHORE_EXPORTABLE_KHR")  # no other type can be requested


@rules.expected_value("CL_SEMAPHORE_PAYLOAD_KHR", of=Semaphore)
def payload(semaphore: Semaphore, question: QueryRequest) -> Matcher:
    """The value for a binary semaphore is 1 if the semaphore is signaled, and otherwise 0.

    The value is 0 until a signal is enqueued, and 1 after the signal is complete. While the signal may still run, both
    values are allowed. Both are also allowed after a wait was enqueued, and if another API may change the payload
    (interpretations: payload-after-a-wait, state-after-an-import).
    """
    if semaphore.kind != question.model.constant_value("CL_SEMAPHORE_TYPE_BINARY_KHR"):
        raise UnknownFactError(question.query.name)
    told = is_signaled(semaphore)
    if told is None:
        first = SIGNALED if semaphore.signaled_by is not None else UNSIGNALED
        return OneOf(((first,), (1 - first,)), (question.query.id,))
    return OneOf(((SIGNALED if told else UNSIGNALED,),), (question.query.id,))


rules.uses_interpretation("payload-after-a-wait", "CL_SEMAPHORE_PAYLOAD_KHR")
rules.uses_interpretation("state-after-an-import", "CL_SEMAPHORE_PAYLOAD_KHR")
