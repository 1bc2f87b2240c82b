"""What the sections about queries say beside their tables: which answers put it to the test, and what none can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.engine.wants import OneOf
from clconform.oracles.model.devices import Device
from clconform.spec_tables.records import Effect, Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables

rules = Rules()

PLATFORM, DEVICE = "clGetPlatformInfo", "clGetDeviceInfo"
FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
THE_LIST = "The property list that the object was made with, whole and in its order; nothing where there was none."
NO_LIST: set[tuple[Element, ...]] = {(), (0,)}
"""What an object that was made without a list of properties may answer when it is asked for that."""


def answered(*names: str, when: Callable[[Question], bool]) -> Answered:
    """Return the situation that one of these queries is answered, of objects of some kind."""

    def holds(asked: AnsweredCall) -> bool:
        if asked.code != "CL_SUCCESS" or not isinstance(asked.call.param_value, OutputBuffer):
            return False
        question = asked.question
        return question is not None and question.query.name in names and when(question)

    return Answered(names, holds)


@rules.completion
def _declare(rules: Rules, tables: Tables) -> None:
    for record in tables.records.values():
        if isinstance(record, Effect) and record.topic in ECHOES:
            _of_a_list(record, rules, tables)
    texts = [query.name for query in tables.queries_of(PLATFORM) if query.shape == "string"]
    always = answered(*texts, when=lambda _question: True)
    rules.trigger(f"{PLATFORM}/effect/5", PLATFORM, "strings end with a zero", *texts, holds=always)
    for record_id, words, name, when in (
        (f"{PLATFORM}/effect/3", "devices of the full profile compile", "CL_DEVICE_COMPILER_AVAILABLE", _full),
        (f"{PLATFORM}/effect/4", "an embedded platform has embedded devices", "CL_DEVICE_PROFILE", _embedded),
        (f"{DEVICE}/effect/1", "products of integers by feature", FEATURES, _with(DOT_PRODUCTS)),
        (f"{DEVICE}/effect/2", "clocks in kernels by feature", FEATURES, _with(CLOCKS)),
    ):
        rules.trigger(record_id, DEVICE, words, name, holds=answered(name, when=when))
    lists = [f"CL_DEVICE_SEMAPHORE_{way}_HANDLE_TYPES_KHR" for way in ("IMPORT", "EXPORT")]
    either = answered(*lists, when=lambda question: any(each in question.thing.facts for each in lists))
    rules.trigger(f"{DEVICE}/effect/3", DEVICE, "semaphores come or go somehow", *lists, holds=either)
    for record_id, words, reason in (
        (f"{PLATFORM}/effect/1", "what no platform answers is open", "a permission: nothing could violate it"),
        (f"{PLATFORM}/effect/2", "a full platform may have embedded devices", "a permission: nothing could violate it"),
        (f"{DEVICE}/effect/4", "a sub-device answers as its root does", "it is recommended, and not demanded"),
        (f"{DEVICE}/effect/5", "vendors are known by a number", "who has which number stands in other registries"),
        (f"{DEVICE}/effect/6", "numbers of Khronos' vendors", "who has which number stands in other registries"),
        (f"{DEVICE}/effect/7", "a kernel's images keep within a count", "it speaks of what applications may do"),
    ):
        rules.untestable(record_id, words, reason)


def _of_a_list(record: Effect, rules: Rules, tables: Tables) -> None:
    query = tables.records.get(record.id.partition("/")[0])
    if isinstance(query, Query):
        words, when = ECHOES[record.topic]
        rules.words.setdefault(query.id, THE_LIST)
        rules.trigger(record.id, query.function, words, query.id, holds=_of_lists(query.name, when))


def _of_lists(name: str, when: Callable[[set[tuple[Element, ...]]], bool]) -> Answered:
    """Return the trigger that an object is asked for its property list; ``when`` gets what it may answer."""

    def holds(asked: AnsweredCall) -> bool:
        if asked.code != "CL_SUCCESS" or not isinstance(asked.call.param_value, OutputBuffer):
            return False
        question = asked.question
        if question is None or question.query.name != name:
            return False
        told = asked.rulebook.answer_to(question)
        return when(set(told.alternatives) if isinstance(told, OneOf) else set())

    return Answered((name,), holds)


def _listed(told: set[tuple[Element, ...]]) -> bool:
    return not told <= NO_LIST


def _not_listed(told: set[tuple[Element, ...]]) -> bool:
    return bool(told) and told <= NO_LIST


ECHOES = {
    "properties-echoed": ("the list is repeated whole", _listed),
    "empty-without-properties": ("nothing where there was no list", _not_listed),
}
"""Topic of an effect to our words for it and to which objects it speaks of."""


def _full(question: Question) -> bool:
    return _profiles(question.thing) == (FULL, FULL)


def _embedded(question: Question) -> bool:
    return _profiles(question.thing)[0] == EMBEDDED


def _profiles(thing: ClObject) -> tuple[object, object]:
    """Return the profiles of a device's platform and of the device, as far as they are known."""
    if not isinstance(thing, Device) or thing.platform is None:
        return None, None
    return thing.platform.facts.get("CL_PLATFORM_PROFILE"), thing.facts.get("CL_DEVICE_PROFILE")


FEATURES = "CL_DEVICE_OPENCL_C_FEATURES"
DOT_PRODUCTS = "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR"
CLOCKS = "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR"


def _with(capabilities: str) -> Callable[[Question], bool]:
    return lambda question: bool(question.thing.facts.get(capabilities))
