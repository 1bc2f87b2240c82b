"""Determines how a program calls its functions: by name, or through function pointers that it obtains."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.harness_actions import HOST_ACTIONS, find_function
from clconform.reports.c_values import CProgramError, c_string, type_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Absent
    from clconform.reports.c_values import ValueWriter
    from clconform.reports.report_tables import ReportTables
    from clconform.spec_tables.requirements import Function

GET_DEVICE_IDS = "clGetDeviceIDs"
GET_DEVICE_IDS_PARAMETERS = "cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *"


class FunctionPointer(NamedTuple):
    """A function that is called through a pointer: its declaration, and the C expression that obtains the pointer."""

    declaration: str
    lookup: str

    @property
    def width(self) -> int:
        """The number of characters of declaration and expression on one line."""
        return len(self.declaration) + len(self.lookup) + 8


class ProgramFunctions:
    """The functions of one program, which are called through the loader or directly.

    ``pointers``: functions called through pointers. ``deprecated``: versions that deprecate functions called by name.
    ``uses``: the helpers in use. ``headers``: headers of the functions, in addition to those of the helpers.
    """

    def __init__(self, tables: ReportTables, values: ValueWriter, platform: str, *, direct: bool) -> None:
        """Start without functions; ``platform``: the variable that holds the platform."""
        self._tables = tables
        self._values = values
        self._platform = platform
        self._direct = direct
        self.pointers: list[FunctionPointer] = []
        self.deprecated: set[str] = set()
        self.uses: set[str] = {"find_in_library", "found"} if direct else set()
        self.headers: set[str] = set()

    def function(self, name: str) -> Function:
        """Return the function of this name in the tables; CProgramError if the tables do not contain it."""
        try:
            return find_function(name, self._tables.functions)
        except KeyError:
            raise CProgramError(f"no function {name!r} in the tables") from None

    def collect(self, called: Iterable[str]) -> None:
        """Determine the pointers, helpers and headers that calls of these functions need."""
        names = [name for name in dict.fromkeys(called) if name not in HOST_ACTIONS]
        if self._direct and GET_DEVICE_IDS not in names:
            self._add_pointer(GET_DEVICE_IDS, "cl_int", GET_DEVICE_IDS_PARAMETERS)
        for name in names:
            function = self.function(name)
            if self._direct or is_extension(function):
                parameters = ", ".join(self._values.parameter_type(parameter) for parameter in function.parameters)
                self._add_pointer(name, self.result_type(function), parameters or "void")
            else:
                self.deprecated.add(function.deprecated_by)

    def result_type(self, function: Function) -> str:
        """Return the C type of a function's result."""
        base = function.returns.rstrip("* ").removeprefix("const ")
        return f"{self._values.type_name(base)} {'*' * function.returns.count('*')}".strip()

    def missing_condition(self, function: Function, outcome: Absent) -> str:
        """Return the C condition that holds if the function is missing."""
        place = self._dispatch_index(function.name)
        checks = []
        if self._direct or is_extension(function):
            self.uses.add("find_in_library" if self._direct else "find")
            checks.append(f"!find({self._lookup_arguments(function.name)})")
        elif outcome.how != "empty-entry" or place < 0:
            self.headers.add("dlfcn.h")
            checks.append(f"!dlsym(dlopen(NULL, RTLD_NOW), {c_string(function.name)})")
        if outcome.how == "empty-entry" and place >= 0:
            checks.append(f"!(*(void ***){self._platform})[{place}]")
        return " || ".join(checks)

    def _add_pointer(self, name: str, returns: str, parameters: str) -> None:
        self.uses |= {"find_in_library" if self._direct else "find", "found"}
        declared = f"{type_prefix(returns)}(CL_API_CALL *{name})({parameters})"
        self.pointers.append(FunctionPointer(declared, f"found({self._lookup_arguments(name)})"))

    def _lookup_arguments(self, name: str) -> str:
        """Return the arguments with which a helper looks up a function.

        These are the platform, the name and, without a loader, the dispatch position.
        """
        return f"{self._platform}, {c_string(name)}{f', {self._dispatch_index(name)}' if self._direct else ''}"

    def _dispatch_index(self, name: str) -> int:
        order = list(self._tables.dispatch)
        return order.index(name) if name in order else -1


def is_extension(function: Function) -> bool:
    """Return whether headers and loaders may lack a function, because an extension defines it."""
    return any(gate.subject == "extension" for gate in function.applicability)
