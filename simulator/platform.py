"""A platform that executes calls by the model, with the first or any allowed outcome."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import OBJECTS, UNTOUCHED, Absent, Call, CalledBack, Outcome, Output, Returned
from clconform.calls.host import AWAIT, function_of
from clconform.calls.protocol import DeviceSeen, PlatformSeen, Reached
from clconform.calls.values import Callback, OutputBuffer, OutputBuffers
from clconform.oracles.chapters.notifications.notices import ripe
from clconform.oracles.chapters.notifications.success import took_place
from clconform.oracles.chapters.programs.success.statuses import LOAD, statuses
from clconform.oracles.engine.gates import Gating, applies, closed_gate, gating_of
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.judgements import NULL, Expectation
from clconform.oracles.engine.success import success_of
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.programs import Program
from clconform.oracles.model.scope import Scope
from clconform.oracles.model.world import Model
from clconform.oracles.queries.plausible import fill
from clconform.oracles.queries.questions import query_of, question_of
from clconform.oracles.recurring.making import counts_references
from clconform.simulator.choosing import AnyAllowed, FirstAllowed
from clconform.simulator.presenting import device_facts, fixed, platform_facts

if TYPE_CHECKING:
    from clconform.oracles.chapters.notifications.notices import Notice
    from clconform.oracles.engine.wants import Element, Promise, Want
    from clconform.oracles.model.cl_object import ClObject, Fact
    from clconform.oracles.queries.questions import Question
    from clconform.simulator.topologies import SimulatedPlatform
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function, Query

LISTS = ("svm_pointers", OBJECTS)
"""Arguments of a callback that are lists."""
KINDS = {"cl_device_id": "device", "cl_platform_id": "platform", "cl_command_queue": "queue", "void*": "pointer"}


class Simulation:
    """One simulated platform with its objects; ``answer`` acts as the driver.

    ``thread``: the index of the current call among concurrent calls, from 0; 0 for a single call. ``session``: the
    process id of the session.
    """

    def __init__(self, tables: Tables, name: str, plan: SimulatedPlatform, choices: int | None = None) -> None:
        """Create the platform of a plan; ``choices``: the seed for random choices, or None for the first allowed."""
        self.tables, self.name, self.plan = tables, name, plan
        self._first = FirstAllowed(plan)
        self.choices = self._first if choices is None else AnyAllowed(plan, choices)
        self.thread = 0
        self.session = 0
        self._presented: dict[str, dict[str, Fact]] = {}
        self.begin()
        self._present()
        self._presented = {thing.name: dict(thing.facts) for thing in self.model.things.values()}

    def _present(self) -> None:
        """Complete the values that platform and devices report."""
        for thing in list(self.model.things.values()):
            fill(thing, self.model, self.oracle.rulebook)
        for number, device in enumerate(self.model.root_devices()):
            self.choices.present(device, fixed(self.plan, number, self.model), self.model, self.oracle.rulebook)

    def begin(self) -> None:
        """Forget every object except the platform and its root devices."""
        self.choices.begin()
        self.model = Model(self.tables)
        self.oracle = Oracle(self.model)
        self._serials: dict[str, int] = {}
        self._handed_out: set[str] = set()
        self._delivered: Counter[str] = Counter()
        platform = Platform(self._new_name("cl_platform_id"))
        platform.facts = self._facts(platform) or platform_facts(self.name, self.plan, self.model)
        platform.refresh()
        self.model.platforms[platform.name] = platform
        self.model.add(platform)
        for number, plan in enumerate(self.plan.devices):
            device = Device(self._new_name("cl_device_id"), platform=platform, topology=plan.topology())
            device.facts = self._facts(device) or device_facts(self.plan, number, platform.name, self.model)
            device.refresh()
            self.model.add(device)

    def _facts(self, thing: ClObject) -> dict[str, Fact]:
        """Return the query values of a platform or root device once they are complete; before that an empty dict."""
        return dict(self._presented.get(thing.name, ()))

    def reached(self) -> Reached:
        """Return the greeting that a worker sends when it starts."""
        (platform,) = self.model.platforms.values()
        devices = [
            DeviceSeen(
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
        seen = PlatformSeen(platform.name, name, vendor, version, profile, extensions, devices)
        return Reached("simulated", "", [], [seen])

    def answer(self, call: Call) -> Outcome:
        """Make one call, and invoke the callbacks that are due."""
        outcome = self._answer(call)
        if not isinstance(outcome, Returned):
            return outcome
        took_place(call, outcome.value, self.oracle.code_of(call, outcome), self.model)
        called = [self.called_back(notice) for notice in list(ripe(self.model))]
        return msgspec.structs.replace(outcome, called_back=called)

    def delivered(self, call: Call, outcome: Outcome) -> Outcome:
        """Count the callbacks in an outcome; the count becomes the value of an action that waits for one."""
        if not isinstance(outcome, Returned):
            return outcome
        self._delivered.update(called.name for called in outcome.called_back)
        if call.function == AWAIT and isinstance(call.callback, Callback):
            return msgspec.structs.replace(outcome, value=self._delivered[call.callback.name])
        return outcome

    def called_back(self, notice: Notice) -> CalledBack:
        """Invoke a callback, and return the invocation with its arguments."""
        notice.times += 1
        notice.came(self.model)
        told = {name: self._chosen(want) for name, want in notice.expected(self.model).items()}
        arguments: dict[str, Any] = {name: values if name in LISTS else values[0] for name, values in told.items()}
        return CalledBack(notice.name, {**arguments, "user_data": notice.user_data})

    def _answer(self, call: Call) -> Outcome:
        """Make one call: it fails or returns values, according to the platform's choices."""
        function = function_of(call.function, self.tables.functions)
        platform = next(iter(self.model.platforms.values()))
        roots = self.model.root_devices()
        if gating_of(function.gates, Scope(platform, tuple(roots))) is Gating.CLOSED:
            return Absent("no-entry", closed_gate(function.gates, platform, next(iter(roots), None)))
        self.choices.begin_call(call)
        self._handed_out.clear()
        self._settle_query(call)
        expectation = self.oracle.expect(call)
        error = self.choices.error(expectation)
        if error:
            return self._failure(function, call, error)
        try:
            promise = success_of(expectation.judged)
            if promise is None:
                raise NotImplementedError(f"the simulated platform does not implement {call.function}")
            return self._success(function, call, promise)
        except UnknownError:
            return self._failure(function, call, self._way_out(expectation))

    def _way_out(self, expectation: Expectation) -> str:
        """Return an error for a call that the model does not implement, among the optional ones.

        All errors are optional if the function does not apply to every device that the call concerns.
        """
        if not expectation.mays:
            if not applies(self.tables.functions[expectation.call.function].gates, expectation.judged.scope):
                return "CL_INVALID_OPERATION"
            raise NotImplementedError(f"the simulated platform does not implement {expectation.call.function}")
        return expectation.mays[0].clause.code

    def _failure(self, function: Function, call: Call, code: str) -> Returned:
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
        if call.function == LOAD and (told := statuses(call, code, self.model)):
            codes = [self.model.value(names[0]) if names else UNTOUCHED for names in told]
            outputs["binary_status"] = Output([*codes, *outputs["binary_status"].values[len(codes) :]])
        if "errcode_ret" in outputs:
            outputs["errcode_ret"] = Output([value], 4)
        return Returned(None, outputs)

    def _success(self, function: Function, call: Call, promise: Promise) -> Returned:
        outputs = {}
        for name, output_buffer in self._output_buffers(call).items():
            values: list[Element] = [0] if name == "errcode_ret" else self._written(function, call, name, promise)
            outputs[name] = self._output(function, call, name, output_buffer, values)
        for name, output_buffers in call.arguments.items():
            if isinstance(output_buffers, OutputBuffers):
                outputs[name] = self._binaries(call, output_buffers)
        value: Element = 0 if function.error_by == "return" else None
        if promise.value is not None:
            (value,) = self._chosen(promise.value)
        promise.apply(value, {name: list(output.values) for name, output in outputs.items()})
        (alignment,) = self._chosen(promise.alignment) or [0]
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

    def _written(self, function: Function, call: Call, name: str, promise: Promise) -> list[Element]:
        """Return the values that a successful call writes to an output; a query's value is decided before judging."""
        question = question_of(call, self.model) if function.queries else None
        if question is None:
            want = promise.outputs.get(name)
            counted = name.startswith("num_")  # a count is not a choice
            return self._first.values(want, self._new_name) if counted else self._chosen(want)
        if name != "param_value" or question.key not in question.thing.facts:
            return self._first.values(promise.outputs.get(name), self._new_name)
        fact = question.thing.facts[question.key]
        return list(fact) if isinstance(fact, tuple) else [fact]

    def _output(
        self, function: Function, call: Call, name: str, output_buffer: OutputBuffer, values: list[Element]
    ) -> Output:
        parameter = next(parameter for parameter in function.parameters if parameter.name == name)
        if self._is_bytes(function, name):
            query = query_of(call, self.model) if function.queries else None
            if query is None:
                raw = b"".join(bytes.fromhex(str(value)) for value in values)
                return Output([], len(raw), raw)
            return self._query_output(query, values)
        members, size = self.model.lookups.members_of(parameter.base), self.model.lookups.size_of(parameter.base)
        shown = values[: output_buffer.count * members]
        untouched = [UNTOUCHED] * (output_buffer.count * members - len(shown))
        return Output([*shown, *untouched], len(shown) * size // members)

    def _query_output(self, query: Query, values: list[Element]) -> Output:
        if query.shape == "string":
            text = "".join(str(value) for value in values) + "\0"
            return Output([text], len(text.encode()), text.encode())
        lookups = self.model.lookups
        return Output(list(values), len(values) * lookups.size_of(query.type) // lookups.members_of(query.type))

    def _chosen(self, want: Want | None) -> list[Element]:
        return self.choices.values(want, self._new_name)

    def _settle_query(self, call: Call) -> None:
        """Decide a query's value before the call is judged, so that its size is known."""
        function = function_of(call.function, self.tables.functions)
        question = question_of(call, self.model) if function.queries else None
        if question is None:
            return
        if self.choices.fact(question, self.oracle.rulebook):
            return
        thing, key, shape = question.thing, question.key, question.query.shape
        values = self._known_answer(question)
        if values is None:
            if key not in thing.facts:
                fill(thing, self.model, self.oracle.rulebook)
            thing.facts.setdefault(key, _NOTHING[shape])
            return
        known = tuple(value for value in values if not isinstance(value, float))
        if known or shape == "array":
            thing.facts[key] = known[0] if len(known) == 1 and shape != "array" else known

    def _known_answer(self, question: Question) -> list[Element] | None:
        """Return the model's value, or None if it has none."""
        with suppress(UnknownError):
            told = self.oracle.rulebook.answer_to(question)
            if told is not None:
                return self._first.values(told, self._new_name)
        thing = question.thing
        if isinstance(thing, ContextObject) and counts_references(question.query.name):
            return [thing.references]
        if isinstance(thing, Program) and question.query.name == "CL_PROGRAM_BINARIES":
            return [0] * len(thing.devices)  # one element for each pointer
        return None

    def _new_name(self, type_name: str) -> str:
        kind = KINDS.get(type_name, type_name.removeprefix("cl_"))
        taken = {*self.model.things, *self._handed_out}
        again = self.choices.reused(
            [name for name in self.model.gone if name.rstrip(DIGITS) == kind and name not in taken]
        )
        if again:
            self._handed_out.add(again)
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
_NOTHING: dict[str, Fact] = {"string": "", "array": (), "scalar": 0}
