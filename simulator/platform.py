"""A platform that executes calls according to the model, with the first allowed outcome or with any allowed outcome."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import (
    POINTED_OBJECTS,
    UNTOUCHED,
    Absent,
    Call,
    CallbackInvocation,
    Died,
    Outcome,
    Output,
    Returned,
)
from clconform.calls.harness_actions import AWAIT, find_function
from clconform.calls.protocol import DeviceIdentity, PlatformIdentity, TargetReached
from clconform.calls.values import HostCallback, OutputBuffer, OutputBuffers
from clconform.oracles.chapters.notifications.pending_callbacks import due_callbacks
from clconform.oracles.chapters.notifications.postconditions import record_registration
from clconform.oracles.chapters.programs.postconditions.statuses import LOAD, allowed_statuses
from clconform.oracles.common.object_creation import is_reference_count
from clconform.oracles.engine.applicability import Applicability, applicability_of, applies, describe_unmet_condition
from clconform.oracles.engine.call_postcondition import postcondition_of
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.judgements import NULL, Expectation
from clconform.oracles.model.call_scope import CallScope
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.programs import Program
from clconform.oracles.model.state import Model
from clconform.oracles.queries.default_answers import add_default_facts
from clconform.oracles.queries.query_request import query_request_of, requested_query
from clconform.simulator.answer_policy import FirstAllowedPolicy, RandomPolicy
from clconform.simulator.device_info import device_facts, fixed_queries, platform_facts
from clconform.simulator.features import update_c_features

if TYPE_CHECKING:
    from clconform.oracles.chapters.notifications.pending_callbacks import PendingCallback
    from clconform.oracles.engine.matchers import Element, Matcher, Postcondition
    from clconform.oracles.model.cl_object import ClObject, Fact
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.simulator.topologies import SimulatedPlatform
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function, Query

LIST_ARGUMENTS = ("svm_pointers", POINTED_OBJECTS)
"""Arguments of a callback that are lists."""
NAME_PREFIXES = {
    "cl_device_id": "device",
    "cl_platform_id": "platform",
    "cl_command_queue": "queue",
    "void*": "pointer",
}


class Simulation:
    """A simulated platform with its objects; ``make_call`` acts as the driver.

    ``thread``: the index of the current call among concurrent calls, from 0; 0 for a single call. ``session``: the
    process id of the session.
    """

    def __init__(self, tables: Tables, name: str, plan: SimulatedPlatform, choices: int | None = None) -> None:
        """Create the platform of a plan; ``choices``: the seed for random choices, or None for the first allowed."""
        self.tables, self.name, self.plan = tables, name, plan
        self._first = FirstAllowedPolicy(plan)
        self.choices = self._first if choices is None else RandomPolicy(plan, choices)
        self.thread = 0
        self.session = 0
        self._presented: dict[str, dict[str, Fact]] = {}
        self.begin_example()
        self._complete_values()
        self._presented = {thing.name: dict(thing.facts) for thing in self.model.objects.values()}

    def _complete_values(self) -> None:
        """Complete the values that platform and devices report."""
        for thing in list(self.model.objects.values()):
            add_default_facts(thing, self.model, self.oracle.rulebook)
        for number, device in enumerate(self.model.root_devices()):
            update_c_features(device, self.model)
            self.choices.vary_device_values(
                device, fixed_queries(self.plan, number, self.model), self.model, self.oracle.rulebook
            )

    def begin_example(self) -> None:
        """Forget every object except the platform and its root devices."""
        self.choices.begin_example()
        self.model = Model(self.tables, pointer_bytes=self.plan.pointer_bytes)
        self.oracle = Oracle(self.model)
        self._serials: dict[str, int] = {}
        self._new_names: set[str] = set()
        self._delivered: Counter[str] = Counter()
        platform = Platform(self._new_name("cl_platform_id"))
        platform.facts = self._presented_facts(platform) or platform_facts(self.name, self.plan, self.model)
        platform.refresh()
        self.model.platforms[platform.name] = platform
        self.model.add(platform)
        for number, plan in enumerate(self.plan.devices):
            device = Device(self._new_name("cl_device_id"), platform=platform, topology=plan.topology())
            device.facts = self._presented_facts(device) or device_facts(self.plan, number, platform.name, self.model)
            device.refresh()
            self.model.add(device)

    def _presented_facts(self, thing: ClObject) -> dict[str, Fact]:
        """Return the query values of a platform or root device once they are complete; before that an empty dict."""
        return dict(self._presented.get(thing.name, ()))

    def build_greeting(self) -> TargetReached:
        """Return the first message of a worker, which reports the platform and its devices."""
        (platform,) = self.model.platforms.values()
        devices = [
            DeviceIdentity(
                device.name,
                str(device.facts["CL_DEVICE_NAME"]),
                device.number("CL_DEVICE_TYPE"),
                str(device.facts["CL_DEVICE_VERSION"]),
                str(device.facts["CL_DRIVER_VERSION"]),
                device.number("CL_DEVICE_MAX_COMPUTE_UNITS"),
            )
            for device in self.model.root_devices()
        ]
        texts = [
            str(platform.facts[f"CL_PLATFORM_{part}"])
            for part in ("NAME", "VENDOR", "VERSION", "PROFILE", "EXTENSIONS")
        ]
        name, vendor, version, profile, extensions = texts
        seen = PlatformIdentity(platform.name, name, vendor, version, profile, extensions, devices)
        return TargetReached("simulated", "", [], [seen], pointer_bytes=self.plan.pointer_bytes)

    def make_call(self, call: Call) -> Outcome:
        """Make one call, and invoke the callbacks that are due."""
        outcome = self._execute(call)
        if not isinstance(outcome, Returned):
            return outcome
        record_registration(call, outcome.value, self.oracle.error_code_of(call, outcome), self.model)
        called = [self.invoke_callback(notice) for notice in list(due_callbacks(self.model))]
        return msgspec.structs.replace(outcome, callbacks=called)

    def count_callbacks(self, call: Call, outcome: Outcome) -> Outcome:
        """Count the callbacks in an outcome; a ``host_await`` returns the count of the callback that it waits for."""
        if not isinstance(outcome, Returned):
            return outcome
        self._delivered.update(called.name for called in outcome.callbacks)
        if call.function == AWAIT and isinstance(call.callback, HostCallback):
            return msgspec.structs.replace(outcome, value=self._delivered[call.callback.name])
        return outcome

    def invoke_callback(self, notice: PendingCallback) -> CallbackInvocation:
        """Invoke a callback, and return the invocation with its arguments."""
        notice.call_count += 1
        notice.record_call(self.model)
        told = {name: self._choose_values(want) for name, want in notice.expected_arguments(self.model).items()}
        arguments: dict[str, Any] = {
            name: values if name in LIST_ARGUMENTS else values[0] for name, values in told.items()
        }
        return CallbackInvocation(notice.name, {**arguments, "user_data": notice.user_data})

    def _execute(self, call: Call) -> Outcome:
        """Make one call: it fails or returns values, as the platform's policy chooses."""
        function = find_function(call.function, self.tables.functions)
        platform = next(iter(self.model.platforms.values()))
        roots = self.model.root_devices()
        applicability = applicability_of(function.applicability, CallScope(platform, tuple(roots)))
        if applicability is Applicability.OTHER_REVISION:
            return Died("signal", "SIGSEGV", f"{call.function} has other parameters in this revision")
        if applicability is Applicability.NOT_APPLICABLE:
            return Absent(
                "no-entry", describe_unmet_condition(function.applicability, platform, next(iter(roots), None))
            )
        self.choices.begin_call(call)
        self._new_names.clear()
        self._decide_query(call)
        expectation = self.oracle.expect(call)
        error = self.choices.choose_error(expectation)
        if error:
            return self._fail(function, call, error)
        try:
            promise = postcondition_of(expectation.context)
            if promise is None:
                raise NotImplementedError(f"the simulated platform does not implement {call.function}")
            return self._succeed(function, call, promise)
        except UnknownFactError:
            return self._fail(function, call, self._fallback_error(expectation))

    def _fallback_error(self, expectation: Expectation) -> str:
        """Return an optional error for a call that the model does not implement.

        All errors are optional if the function does not apply to every device of the call.
        """
        if not expectation.optional_errors:
            if not applies(self.tables.functions[expectation.call.function].applicability, expectation.context.scope):
                return "CL_INVALID_OPERATION"
            raise NotImplementedError(f"the simulated platform does not implement {expectation.call.function}")
        return expectation.optional_errors[0].clause.code

    def _fail(self, function: Function, call: Call, code: str) -> Returned:
        leave = self.oracle.rulebook.aftermath_of(call.function)
        if leave is not None:
            leave(call, self.model, code)
        if code == NULL:
            return Returned(None)
        value = self.tables.enumerants[code].value
        outputs = {
            name: Output([UNTOUCHED] * output_buffer.count if not self._is_bytes(function, name) else [])
            for name, output_buffer in self._output_buffers(call).items()
        }
        if function.error_by == "return":
            return Returned(value, outputs)
        if call.function == LOAD and (told := allowed_statuses(call, code, self.model)):
            codes = [self.model.constant_value(names[0]) if names else UNTOUCHED for names in told]
            outputs["binary_status"] = Output([*codes, *outputs["binary_status"].values[len(codes) :]])
        if "errcode_ret" in outputs:
            outputs["errcode_ret"] = Output([value], 4)
        return Returned(self._object_with_error(function, call, code), outputs)

    def _object_with_error(self, function: Function, call: Call, code: str) -> str | None:
        """Return the object that comes with an error code of a function, or None."""
        rule = self.oracle.rulebook.object_with_error(function.name)
        if rule is None or code != rule.code:
            return None
        name = self._new_name(function.creates)
        rule.record(call, name, self.model)
        return name

    def _succeed(self, function: Function, call: Call, promise: Postcondition) -> Returned:
        outputs = {}
        for name, output_buffer in self._output_buffers(call).items():
            values: list[Element] = [0] if name == "errcode_ret" else self._output_values(function, call, name, promise)
            outputs[name] = self._output(function, call, name, output_buffer, values)
        for name, output_buffers in call.arguments.items():
            if isinstance(output_buffers, OutputBuffers):
                outputs[name] = self._binaries(call, output_buffers)
        value: Element = 0 if function.error_by == "return" else None
        if promise.value is not None:
            (value,) = self._choose_values(promise.value)
        promise.apply(value, {name: list(output.values) for name, output in outputs.items()})
        (alignment,) = self._choose_values(promise.alignment) or [0]
        return Returned(value, outputs, alignment=int(alignment or 0))

    def _binaries(self, call: Call, output_buffers: OutputBuffers) -> Output:
        """Return the binaries of a program: bytes that differ between programs and between builds."""
        program = self.model.get(Program, call.program)
        told = program.facts.get("CL_PROGRAM_BINARY_SIZES")
        sizes = told if isinstance(told, tuple) else (told,)
        states = [build.state.name for build in program.builds.values()]
        content = hashlib.sha256(f"{program.name} {states}".encode()).digest()
        parts = [content[:size].hex() if isinstance(size, int) else "" for size in sizes]
        program.binaries = parts
        return Output(list(parts[: len(output_buffers.counts)]), sum(map(len, parts)) // 2)

    def _output_values(self, function: Function, call: Call, name: str, promise: Postcondition) -> list[Element]:
        """Return the values that a successful call writes to an output.

        If the call is a query, its value was decided before the call was judged.
        """
        question = query_request_of(call, self.model) if function.queries else None
        if question is None:
            want = promise.outputs.get(name)
            counted = name.startswith("num_")  # a count is not a choice
            return self._first.choose_values(want, self._new_name) if counted else self._choose_values(want)
        if name != "param_value" or question.fact_key not in question.subject.facts:
            return self._first.choose_values(promise.outputs.get(name), self._new_name)
        fact = question.subject.facts[question.fact_key]
        return list(fact) if isinstance(fact, tuple) else [fact]

    def _output(
        self, function: Function, call: Call, name: str, output_buffer: OutputBuffer, values: list[Element]
    ) -> Output:
        parameter = next(parameter for parameter in function.parameters if parameter.name == name)
        if self._is_bytes(function, name):
            query = requested_query(call, self.model) if function.queries else None
            if query is None:
                raw = b"".join(bytes.fromhex(str(value)) for value in values)
                return Output([], len(raw), raw)
            return self._query_output(query, values)
        members, size = self.model.lookups.count_members(parameter.base), self.model.lookups.size_of(parameter.base)
        shown = values[: output_buffer.count * members]
        untouched = [UNTOUCHED] * (output_buffer.count * members - len(shown))
        return Output([*shown, *untouched], len(shown) * size // members)

    def _query_output(self, query: Query, values: list[Element]) -> Output:
        if query.shape == "string":
            text = "".join(str(value) for value in values) + "\0"
            return Output([text], len(text.encode()), text.encode())
        lookups = self.model.lookups
        return Output(list(values), len(values) * lookups.size_of(query.type) // lookups.count_members(query.type))

    def _choose_values(self, want: Matcher | None) -> list[Element]:
        return self.choices.choose_values(want, self._new_name)

    def _decide_query(self, call: Call) -> None:
        """Decide a query's value before the call is judged, so that its size is known."""
        function = find_function(call.function, self.tables.functions)
        question = query_request_of(call, self.model) if function.queries else None
        if question is None:
            return
        if self.choices.decide_value(question, self.oracle.rulebook):
            return
        thing, key, shape = question.subject, question.fact_key, question.query.shape
        values = self._known_value(question)
        if values is None:
            if key not in thing.facts:
                add_default_facts(thing, self.model, self.oracle.rulebook)
            thing.facts.setdefault(key, _EMPTY_VALUES[shape])
            return
        known = tuple(value for value in values if not isinstance(value, float))
        if known or shape == "array":
            thing.facts[key] = known[0] if len(known) == 1 and shape != "array" else known

    def _known_value(self, question: QueryRequest) -> list[Element] | None:
        """Return the value of a query that the model defines; None if there is none."""
        with suppress(UnknownFactError):
            told = self.oracle.rulebook.expected_value(question)
            if told is not None:
                return self._first.choose_values(told, self._new_name)
        thing = question.subject
        if isinstance(thing, ContextObject) and is_reference_count(question.query.name):
            return [thing.references]
        if isinstance(thing, Program) and question.query.name == "CL_PROGRAM_BINARIES":
            return [0] * len(thing.devices)  # one element for each pointer
        return None

    def _new_name(self, type_name: str) -> str:
        kind = NAME_PREFIXES.get(type_name, type_name.removeprefix("cl_"))
        taken = {*self.model.objects, *self._new_names}
        again = self.choices.choose_reused_name(
            [name for name in self.model.released if name.rstrip(DIGITS) == kind and name not in taken]
        )
        if again:
            self._new_names.add(again)
            return again
        self._serials[kind] = self._serials.get(kind, 0) + 1
        return f"{kind}{self._serials[kind]}"

    @staticmethod
    def _output_buffers(call: Call) -> dict[str, OutputBuffer]:
        return {name: value for name, value in call.arguments.items() if isinstance(value, OutputBuffer)}

    @staticmethod
    def _is_bytes(function: Function, name: str) -> bool:
        return any(parameter.name == name and parameter.base in ("void", "char") for parameter in function.parameters)


DIGITS = "0123456789"
_EMPTY_VALUES: dict[str, Fact] = {"string": "", "array": (), "scalar": 0}
