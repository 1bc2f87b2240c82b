"""Makes OpenCL functions and harness actions methods, with the positional arguments of their prototypes.

``api_functions.pyi``, which is generated from the tables, declares the methods for type checkers and editors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from clconform.calls.harness_actions import HOST_ACTIONS, build_call

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.calls.call import Call
    from clconform.spec_tables.requirements import Function

Result = TypeVar("Result")


class ApiFunctions(Generic[Result]):
    """An object whose methods make calls of OpenCL functions.

    ``functions``: the functions of the tables in use, by name. A method raises TypeError for an incorrect number of
    arguments, and the errors of ``call``.
    """

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions = functions

    def call(self, call: Call) -> Result:
        """Make a call, and return its result."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Callable[..., Result]:
        """Return a function that makes the call ``name`` with positional arguments; AttributeError if there is none."""
        functions = self.__dict__.get("_functions", {})
        if name not in functions:
            raise AttributeError(f"{name!r} is not an attribute, and not an OpenCL function in the tables")
        return lambda *arguments: self.call(build_call(name, functions, *arguments))


class HostFunctions(ApiFunctions[Result]):
    """An object whose methods make calls of OpenCL functions and perform harness actions."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        super().__init__({**functions, **HOST_ACTIONS})
