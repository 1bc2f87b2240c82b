"""Attributes the judgement of one call to the program, the driver or the loader."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.journal import IN_THIS_CALL
from clconform.calls.values import Operand
from clconform.oracles.engine.applicability import Applicability
from clconform.oracles.engine.judgements import CODE_NOT_REQUESTED, SUCCESS
from clconform.oracles.engine.operands import operands_of
from clconform.oracles.engine.wording import add_alternative
from clconform.oracles.queries.query_request import query_request_of
from clconform.validation.findings import (
    DEVIATION,
    DRIVER,
    ERROR,
    FAILED,
    LOADER,
    PROBE,
    PROGRAM,
    UNCLEAR,
)
from clconform.validation.kernel_arguments import describe_undeclared_argument, describe_unset_arguments
from clconform.validation.program_reasons import find_program_reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.engine.judge import Oracle
    from clconform.oracles.engine.judgements import Expectation, Judgement

NOT_FOUND_CODES = ("CL_DEVICE_NOT_FOUND", "CL_PLATFORM_NOT_FOUND_KHR")
"""Error codes by which a program detects that a platform or a device is not available."""
STATUS_CODES = ("CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",)
"""Error codes by which a call that succeeds reports that a command has failed."""
LOADER_FUNCTIONS = ("clGetPlatformIDs", "clGetExtensionFunctionAddress", "clUnloadCompiler")
"""Functions without an object from which a loader could determine the driver."""
DRIVER_PARAMETERS = {"clCreateContext": "devices", "clWaitForEvents": "event_list"}
"""Maps functions to the parameter that identifies the driver, if it is not the first parameter."""

Operands = dict[str, dict[str, Operand]]
"""Maps requirement ids to the operands of their condition, with the values in a call."""


class AttributedVerdict(NamedTuple):
    """The verdict on a call: a ``ValidationFinding`` without its call site and its calls.

    ``unless_repeated``: the party, if the same query does not succeed later; the kind is then ``ERROR``. ``rule``: the
    id of a rule in ``rules.toml``, if there are no requirements. ``values``: values for the remedy.
    """

    party: str
    kind: str
    requirements: tuple[str, ...]
    reason: str
    observed: str
    allowed: tuple[str, ...] = ()
    confidence: str = ""
    operands: Operands = {}  # noqa: RUF012 (never changed)
    unless_repeated: str = ""
    rule: str = ""
    values: Mapping[str, str] = {}


class HeldCondition(NamedTuple):
    """An error condition that holds for a call: its text, with the part that holds, and the values of its operands."""

    text: str
    operands: dict[str, Operand]


HeldConditions = dict[str, HeldCondition]
"""Maps requirement ids to the conditions that hold for a call."""


def find_held_conditions(oracle: Oracle, expectation: Expectation) -> HeldConditions:
    """Return the error conditions that must hold for a call. It must be called before the call updates the model."""
    found, call = {}, expectation.call
    for held in expectation.required_errors:
        each = held.clause.id
        text = oracle.rulebook.texts.words_of(each)
        part = oracle.rulebook.texts.held_alternative(each, call, oracle.model)
        if held.clause.code == "CL_INVALID_KERNEL_ARGS":
            part = part or describe_unset_arguments(call, oracle.model)
        found[each] = HeldCondition(add_alternative(text, part), operands_of(call, oracle.model, part or text))
    return found


def program_errors(expectation: Expectation) -> list[str]:
    """Return the ids of the required errors, except for those by which a call reports that a command has failed."""
    codes = {held.clause.id: held.clause.code for held in expectation.required_errors}
    return [each for each, code in codes.items() if code not in STATUS_CODES]


def attribute_violations(
    oracle: Oracle, expectation: Expectation, judgement: Judgement, conditions: HeldConditions
) -> Iterator[AttributedVerdict]:
    """Yield the verdicts on a call that has returned; ``conditions``: the error conditions that held for the call.

    A call that must fail is a violation of the program, even if the driver does not detect it. A query for an
    unsupported or unavailable feature is allowed to fail, because programs detect such features by the failure. A query
    with too small an output buffer is a violation unless the same query succeeds later. A call that reports that a
    command has failed is not a violation.
    """
    call, code = expectation.call, judgement.observed
    for blame in judgement.deviations:
        party = LOADER if oracle.model.through_loader and _is_handled_by_loader(call) else DRIVER
        words = "; ".join(words for words in blame.conditions.values() if words)
        yield AttributedVerdict(
            party,
            DEVIATION,
            blame.requirements,
            words,
            blame.observed,
            blame.allowed,
            blame.confidence,
            blame.operands,
            rule="" if blame.requirements else "unexpected-outcome",
        )
    queries = oracle.tables.functions[call.function].queries
    for held in expectation.required_errors:
        is_status = held.clause.code in STATUS_CODES
        if is_status and code != held.clause.code:
            continue
        asks = code in NOT_FOUND_CODES or (queries and held.clause.code == "CL_INVALID_VALUE")
        kind = FAILED if is_status else PROBE if asks and not judgement.deviations else ERROR
        words, operands = conditions[held.clause.id]
        values = {held.clause.id: operands} if operands else {}
        sure = "interpretation" if held.interpretation else oracle.rulebook.basis.confidence_of(held.clause.id)
        once = PROGRAM if kind == PROBE and _has_small_buffer(oracle, expectation) else ""
        words = _add_small_buffer(words, call) if once else words
        party, allowed = UNCLEAR if is_status else PROGRAM, tuple(expectation.allowed_codes)
        yield AttributedVerdict(
            party,
            kind,
            (held.clause.id,),
            words,
            code,
            allowed,
            sure,
            values,
            once,
            values=_small_buffer_values(call) if once else {},
        )
    if expectation.required_errors or judgement.deviations or code == SUCCESS:
        return
    likely = tuple(
        held.clause.id for held in expectation.optional_errors if code in (held.clause.code, CODE_NOT_REQUESTED)
    )
    if likely:
        words = "; ".join(filter(None, map(oracle.rulebook.texts.words_of, likely))) or f"it fails with {code}"
        yield _attribute_allowed_error(oracle, expectation, code, likely, words)
    elif code in (*expectation.resource_codes, CODE_NOT_REQUESTED):
        reason = f"it fails with {code}; resources may be insufficient"
        yield AttributedVerdict(UNCLEAR, FAILED, (), reason, code, rule="insufficient-resources")


def _attribute_allowed_error(
    oracle: Oracle, expectation: Expectation, code: str, likely: tuple[str, ...], words: str
) -> AttributedVerdict:
    """Return the verdict on a call that failed with an error that is allowed, but not required.

    ``likely``: the conditions of the error. It is a violation of the program if the unknown facts are only about data
    that the program has passed.
    """
    call, model = expectation.call, oracle.model
    if oracle.tables.functions[call.function].queries:
        small = code == "CL_INVALID_VALUE" and _has_small_buffer(oracle, expectation)
        sized = _small_buffer_values(call) if small else {}
        words = _add_small_buffer(words, call) if small else words
        return AttributedVerdict(
            UNCLEAR, PROBE, likely, words, code, unless_repeated=PROGRAM if small else "", values=sized
        )
    if code in NOT_FOUND_CODES:
        return AttributedVerdict(UNCLEAR, PROBE, likely, words, code)
    held = [each for each in expectation.optional_errors if each.clause.id in likely]
    for cause in {each.clause.code for each in held}:
        unknown = all(each.interpretation == "unknown-fact" for each in held if each.clause.code == cause)
        reason = find_program_reason(call, model, cause) if unknown else ""
        if reason:
            clauses = tuple(each.clause.id for each in held if each.clause.code == cause)
            text = " ".join(map(oracle.rulebook.texts.words_of, clauses))
            return AttributedVerdict(PROGRAM, ERROR, clauses, f"{text} {reason}", code, (cause,))
    known = " ".join(filter(None, (words, describe_undeclared_argument(call, model))))
    return AttributedVerdict(UNCLEAR, FAILED, likely, known, code)


def _has_small_buffer(oracle: Oracle, expectation: Expectation) -> bool:
    """Return whether a query can have failed with CL_INVALID_VALUE only because its output buffer is too small."""
    call, model = expectation.call, oracle.model
    if call.arguments.get("param_value") is None or "param_name" not in call.arguments:
        return False
    request = query_request_of(call, model)
    return (
        request is not None
        and request.applicability is Applicability.APPLIES
        and all(
            held.clause.condition.kind == "query-value"
            for held in (*expectation.required_errors, *expectation.optional_errors)
            if held.clause.code == "CL_INVALID_VALUE"
        )
    )


def _add_small_buffer(words: str, call: Call) -> str:
    """Return the text of a condition with the part that holds: the output buffer is too small."""
    part = f"param_value_size is {call.arguments['param_value_size']}, which is less than the size of the value"
    return words if IN_THIS_CALL in words else add_alternative(words, part)


def _small_buffer_values(call: Call) -> dict[str, str]:
    return {"small_size": str(call.arguments["param_value_size"])}


def _is_handled_by_loader(call: Call) -> bool:
    """Return whether the loader handles a call itself, because no object in the call identifies a driver.

    ``clCreateContextFromType`` without properties is not such a call: the loader selects a driver.
    """
    if call.function in LOADER_FUNCTIONS:
        return True
    first = next(iter(call.arguments), "")
    leads = DRIVER_PARAMETERS.get(call.function, first)
    return bool(leads) and leads != "properties" and call.arguments[leads] is None
