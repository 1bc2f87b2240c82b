"""Decide whether a changed result is still allowed, because the documents leave it unspecified.

A fault with only such results counts as equivalent.

The decision depends only on the judge's expectation of the call, never on a manual list. An output without a rule is
not unspecified, so the fault survives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.harness_actions import find_function
from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.call_context import CallContext
from clconform.oracles.engine.call_postcondition import postcondition_of
from clconform.oracles.engine.judge import output_values
from clconform.oracles.engine.judgements import CODE_NOT_REQUESTED, MISSING_KNOWLEDGE, SUCCESS
from clconform.oracles.engine.matchers import Matcher, match_values
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.events import Event
from clconform.oracles.queries.output_size import trim_output
from clconform.oracles.queries.query_request import query_request_of, requested_query

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.oracles.engine.judge import Oracle
    from clconform.oracles.engine.judgements import Expectation
    from clconform.oracles.engine.matchers import Postcondition

SLOWER = "it only takes longer"
OTHER_TYPE = "a handle of the wrong type: the outcome is implementation-defined"
REFUSED = "the outputs of a call that fails are unspecified"
OTHER_CODE = "the other code is also allowed"
RESOURCES = "out-of-resources codes are always allowed"
MAY_SUCCEED = "the call may also succeed"
UNCOUNTED = "the references of a root device are not counted"
UNSEEN = "the event lives longer, which its count may tell, and no callback for the end of its context can"
UNUSED = "a call that fails does not use the memory that it is given"
PERMITTED = "it tells which memory a kernel may reach, and a driver may let it reach all memory anyway"
NOT_ASKED = "the platform need not support the query, so its answer is unspecified"
OTHER_VALUE = "the other value is also allowed"
UNCLAIMED = "the platform does not report the version or extension of the function, so that none of its records applies"
COUNTING, END = ("clRetainEvent", "clReleaseEvent"), "clSetContextDestructorCallback"
REACH = "clSetKernelExecInfo"
"""clSetKernelExecInfo only grants permissions (5.9.2). A kernel without a permission need not fail."""


def find_equivalence(call: Call, real: Outcome, shown: Outcome, oracle: Oracle) -> str:
    """Return why a changed outcome conforms in the state before the call; empty if it does not."""
    expectation = oracle.expect(call)
    if expectation.implementation_defined:
        return OTHER_TYPE
    if not applies(find_function(call.function, oracle.tables.functions).applicability, expectation.context.scope):
        return UNCLAIMED
    if not isinstance(real, Returned) or not isinstance(shown, Returned):
        return ""
    if real is shown:
        return _explain_unchanged(call, shown, oracle, expectation)
    if _strip_time(real) == _strip_time(shown):
        return SLOWER
    if shown.overrun != real.overrun or shown.callbacks != real.callbacks:
        return ""
    before, after = oracle.error_code_of(call, real), oracle.error_code_of(call, shown)
    if after == SUCCESS:
        return (
            _explain_success(expectation, before) if before != SUCCESS else _explain_values(call, real, shown, oracle)
        )
    if before == after:
        return REFUSED if shown.value == real.value else ""
    return _explain_code(expectation, after)


def _strip_time(outcome: Returned) -> tuple[object, ...]:
    return outcome.value, outcome.outputs, outcome.overrun, outcome.callbacks, outcome.alignment


def _explain_unchanged(call: Call, outcome: Returned, oracle: Oracle, expectation: Expectation) -> str:
    """Return why an unchanged outcome conforms despite the fault; empty if it does not."""
    code = oracle.error_code_of(call, outcome)
    if code != SUCCESS:
        return UNUSED if _explain_code(expectation, code) else ""
    if call.function == REACH:
        return PERMITTED
    if _is_event_end_unobservable(call, oracle, expectation):
        return UNSEEN
    return UNCOUNTED if _has_only_a_root_device(call, oracle) else ""


def _is_event_end_unobservable(call: Call, oracle: Oracle, expectation: Expectation) -> bool:
    """Return whether a call retains or releases an event whose deletion no callback can reveal."""
    event = oracle.model.find(call.arguments.get("event"))
    if call.function not in COUNTING or not isinstance(event, Event):
        return False
    told = any(each.subject is event and not each.call_count for each in oracle.model.callback_registrations)
    return not told and not applies(oracle.tables.functions[END].applicability, expectation.context.scope)


def _has_only_a_root_device(call: Call, oracle: Oracle) -> bool:
    things = [oracle.model.find(value) for value in call.arguments.values()]
    return len(things) == 1 and isinstance(things[0], Device) and things[0].is_root


def _explain_code(expectation: Expectation, code: str) -> str:
    if code in expectation.resource_codes:
        return RESOURCES
    held = (
        *expectation.required_errors,
        *(may for may in expectation.optional_errors if may.interpretation not in MISSING_KNOWLEDGE),
    )
    return OTHER_CODE if code in {each.clause.code for each in held} or (code == CODE_NOT_REQUESTED and held) else ""


def _explain_success(expectation: Expectation, code: str) -> str:
    if expectation.required_errors or code in expectation.resource_codes:
        return ""
    licences = {may.interpretation for may in expectation.optional_errors if may.clause.code == code}
    return MAY_SUCCEED if not licences or licences - set(MISSING_KNOWLEDGE) else ""


def _explain_values(call: Call, real: Returned, shown: Returned, oracle: Oracle) -> str:
    """Return why all differences conform to the postcondition of the call; empty if one does not."""
    promise = get_postcondition(call, oracle)
    queries = find_function(call.function, oracle.tables.functions).queries
    if queries and requested_query(call, oracle.model) and not query_request_of(call, oracle.model):
        return NOT_ASKED
    if promise is None:
        return ""
    if queries:
        real, shown = trim_output(real, call, oracle.model), trim_output(shown, call, oracle.model)
    if real.value != shown.value and not _satisfies(promise.value, [shown.value]):
        return ""
    if real.alignment != shown.alignment and not _satisfies(promise.alignment, [shown.alignment]):
        return ""
    for name in {*real.outputs, *shown.outputs}:
        there = shown.outputs.get(name)
        if there != real.outputs.get(name) and (
            there is None or not _satisfies(promise.outputs.get(name), output_values(there))
        ):
            return ""
    return OTHER_VALUE


def get_postcondition(call: Call, oracle: Oracle) -> Postcondition | None:
    """Return the postcondition of a call; None if there is no rule, or if the model cannot evaluate it."""
    try:
        return postcondition_of(CallContext(call, oracle.model, oracle.rulebook))
    except (UnknownFactError, UndefinedBehaviourError):
        return None


def _satisfies(want: Matcher | None, seen: list[int | float | str | None]) -> bool:
    return want is not None and not match_values(want, seen)[0]
