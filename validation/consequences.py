"""Tracks calls that fail because of an earlier finding: one cause has one finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.kernel_functions import ARGUMENT_SETTERS
from clconform.calls.values import Data, ElementList
from clconform.oracles.model.kernels import Kernel
from clconform.validation.findings import SERIOUS_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.engine.judgements import Expectation
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables
    from clconform.validation.findings import ValidationFinding

NULL_CODES = {
    "cl_platform_id": ("CL_INVALID_PLATFORM",),
    "cl_device_id": ("CL_INVALID_DEVICE", "CL_INVALID_VALUE"),
    "cl_context": ("CL_INVALID_CONTEXT",),
    "cl_command_queue": ("CL_INVALID_COMMAND_QUEUE", "CL_INVALID_DEVICE_QUEUE"),
    "cl_mem": ("CL_INVALID_MEM_OBJECT", "CL_INVALID_ARG_VALUE"),
    "cl_program": ("CL_INVALID_PROGRAM",),
    "cl_kernel": ("CL_INVALID_KERNEL",),
    "cl_sampler": ("CL_INVALID_SAMPLER", "CL_INVALID_ARG_VALUE"),
    "cl_event": ("CL_INVALID_EVENT", "CL_INVALID_EVENT_WAIT_LIST"),
}
"""Maps the types of objects to the errors of calls that receive NULL instead of such an object."""
LISTED_TYPES = {"clGetPlatformIDs": "cl_platform_id", "clGetDeviceIDs": "cl_device_id"}
"""Maps functions that return existing objects to the type of these objects."""
ARGUMENT_CODE = "CL_INVALID_KERNEL_ARGS"
BUILDERS = ("clBuildProgram", "clCompileProgram")
EXECUTABLE_CODES = ("CL_INVALID_PROGRAM_EXECUTABLE", "CL_INVALID_KERNEL_NAME")
_MAX_ENTRIES = 1024


class Consequences:
    """The failed calls of one program whose results later calls use."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._arguments: dict[tuple[str, int], ValidationFinding] = {}
        self._programs: dict[str, ValidationFinding] = {}
        self._missing: dict[str, ValidationFinding] = {}

    def note_failure(self, call: Call, finding: ValidationFinding) -> None:
        """Note that a call with a finding has not set an argument, built a program or created an object."""
        if call.function in ARGUMENT_SETTERS and call.kernel is not None:
            self._arguments[str(call.kernel), call.arg_index] = finding
            if len(self._arguments) > _MAX_ENTRIES:
                del self._arguments[next(iter(self._arguments))]
        elif call.function in BUILDERS and call.program is not None:
            self._programs[str(call.program)] = finding
            if len(self._programs) > _MAX_ENTRIES:
                del self._programs[next(iter(self._programs))]
        else:
            created = LISTED_TYPES.get(call.function, self._tables.functions[call.function].creates)
            if created in NULL_CODES:
                self._missing[created] = finding

    def note_success(self, call: Call) -> None:
        """Note that a call has set an argument or built a program."""
        if call.function in ARGUMENT_SETTERS:
            self._arguments.pop((str(call.kernel), call.arg_index), None)
        elif call.function in BUILDERS:
            self._programs.pop(str(call.program), None)

    def find_cause(self, expectation: Expectation, observed: str, model: Model) -> ValidationFinding | None:
        """Return the earlier finding that explains all errors of a call; None if there is none.

        A violation is never explained by a finding that does not count against a party.
        """
        codes = {held.clause.code for held in expectation.required_errors}
        found = self._find(expectation.call, codes or {observed}, model)
        return found if found is None or not codes or found.kind in SERIOUS_KINDS else None

    def _find(self, call: Call, codes: set[str], model: Model) -> ValidationFinding | None:
        kernel = model.find(call.arguments.get("kernel"))
        if codes == {ARGUMENT_CODE} and isinstance(kernel, Kernel):
            return self._find_refused_argument(str(call.kernel), kernel)
        if codes <= set(EXECUTABLE_CODES) and call.function.startswith("clCreateKernel"):
            return self._programs.get(str(call.program))
        missing = [each for each in self._null_types(call) if each in self._missing]
        explained = {code for each in missing for code in NULL_CODES[each]}
        return self._missing[missing[0]] if missing and codes <= explained else None

    def _find_refused_argument(self, name: str, kernel: Kernel) -> ValidationFinding | None:
        """Return an earlier finding if such findings explain all arguments of a kernel that are not set.

        A refused call with an index after the last argument explains one of them.
        """
        unset = [*(kernel.unset_arguments or ()), *kernel.uncertain_arguments]
        own = [self._arguments.get((name, index)) for index in unset]
        causes = [each for each in own if each is not None]
        declared = kernel.declared_arguments
        if declared is not None and len(causes) < len(own):
            causes += [found for (of, index), found in self._arguments.items() if of == name and index >= len(declared)]
        return causes[0] if own and len(causes) >= len(own) else None

    def _null_types(self, call: Call) -> Iterator[str]:
        """Yield the types of the objects in whose place a call has received NULL."""
        for parameter in self._tables.functions[call.function].parameters:
            value = call.arguments.get(parameter.name)
            is_null = value is None and not parameter.pointers
            if is_null or (isinstance(value, ElementList) and None in value.values):
                yield parameter.base
        value = call.arguments.get("arg_value")
        if isinstance(value, Data) and value.content and not any(value.content):
            yield from ("cl_mem", "cl_sampler")
