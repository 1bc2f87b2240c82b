"""Tells how a program reaches the functions that it calls: by their names, or by pointers that it must ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.host import HOST_STEPS, function_of
from clconform.reports.c_values import CProgramError, c_string, spaced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Absent
    from clconform.reports.c_values import Values
    from clconform.reports.facts import Facts
    from clconform.spec_tables.records import Function

DEVICES = "clGetDeviceIDs"
OF_DEVICES = "cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *"


class Pointer(NamedTuple):
    """A function that is called by a pointer: how that is declared, and where it comes from."""

    declared: str
    found: str

    @property
    def width(self) -> int:
        """The characters that both take on one line."""
        return len(self.declared) + len(self.found) + 8


class Functions:
    """The functions of one program, past the loader or through it.

    ``pointers``: those called by a pointer; ``deprecated``: the versions that deprecate those called by their names;
    ``uses``: helpers, ``headers``: those besides the helpers' own.
    """

    def __init__(self, tables: Facts, values: Values, platform: str, *, direct: bool) -> None:
        """``platform``: the variable that holds the platform."""
        self._tables = tables
        self._values = values
        self._platform = platform
        self._direct = direct
        self.pointers: list[Pointer] = []
        self.deprecated: set[str] = set()
        self.uses: set[str] = {"find_in_library", "found"} if direct else set()
        self.headers: set[str] = set()

    def named(self, name: str) -> Function:
        """Return the function of that name; a CProgramError where there is none."""
        try:
            return function_of(name, self._tables.functions)
        except KeyError:
            raise CProgramError(f"the tables have no function {name!r}") from None

    def gather(self, called: Iterable[str]) -> None:
        """Find out what it takes to call these."""
        names = [name for name in dict.fromkeys(called) if name not in HOST_STEPS]
        if self._direct and DEVICES not in names:
            self._point_to(DEVICES, "cl_int", OF_DEVICES)
        for name in names:
            function = self.named(name)
            if self._direct or is_extension(function):
                parameters = ", ".join(self._values.spelled(parameter) for parameter in function.parameters)
                self._point_to(name, self.returned(function), parameters or "void")
            else:
                self.deprecated.add(function.deprecated_by)

    def returned(self, function: Function) -> str:
        """Return the type of a function's result."""
        base = function.returns.rstrip("* ").removeprefix("const ")
        return f"{self._values.type(base)} {'*' * function.returns.count('*')}".strip()

    def missing(self, function: Function, outcome: Absent) -> str:
        """Return the condition that the function is not there."""
        place = self._place(function.name)
        checks = []
        if self._direct or is_extension(function):
            self.uses.add("find_in_library" if self._direct else "find")
            checks.append(f"!find({self._sought(function.name)})")
        elif outcome.how != "empty-entry" or place < 0:
            self.headers.add("dlfcn.h")
            checks.append(f"!dlsym(dlopen(NULL, RTLD_NOW), {c_string(function.name)})")
        if outcome.how == "empty-entry" and place >= 0:
            checks.append(f"!(*(void ***){self._platform})[{place}]")
        return " || ".join(checks)

    def _point_to(self, name: str, returns: str, parameters: str) -> None:
        self.uses |= {"find_in_library" if self._direct else "find", "found"}
        declared = f"{spaced(returns)}(CL_API_CALL *{name})({parameters})"
        self.pointers.append(Pointer(declared, f"found({self._sought(name)})"))

    def _sought(self, name: str) -> str:
        """Return by what a function is looked for: platform and name, past the loader also its place."""
        return f"{self._platform}, {c_string(name)}{f', {self._place(name)}' if self._direct else ''}"

    def _place(self, name: str) -> int:
        order = list(self._tables.dispatch)
        return order.index(name) if name in order else -1


def is_extension(function: Function) -> bool:
    """Tell whether headers and loaders may lack a function, since an extension has it."""
    return any(gate.subject == "extension" for gate in function.gates)
