"""Concurrent calls of each function from several host threads, which appendix A permits for most functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Returned
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.spec_tables import load
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.commands import USABLE_EXTENSIONS
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.valid_calls import all_valid_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session

NAME = "threads.every_function"
THREADS, ROUNDS = 4, 2
THREAD_SAFETY = "OpenCL:multiple-host-threads/1"
EXCLUDED = {
    "clSetUserEventStatus": "the order of its calls matters; test_concurrent.py sets events",
    "clSetCommandQueueProperty": "a second queue of 1.0 does not show whether its call took effect",
    "clSetDefaultDeviceCommandQueue": "it replaces one queue of the device by another one",
    "clUnloadCompiler": "it concerns all platforms, and a call without an object cannot select one",
}
"""Functions that are not tested here, with the reason."""
OWN_CONTEXTS = ("clSetContextDestructorCallback",)
"""Functions that change a context; for them, each thread has its own context."""


def functions_to_test() -> Iterator[str]:
    """Yield the functions with a valid call in the core or in ``USABLE_EXTENSIONS``, except query functions."""
    for name in all_valid_calls():
        function = load().functions.get(name)
        if function is None or name in EXCLUDED or function.queries:
            continue
        if all(gate.name in USABLE_EXTENSIONS for gate in function.applicability if gate.subject == "extension"):
            yield name


def call_concurrently(cl: Session, function: str) -> None:
    """Call a function on one thread, then on several threads, each with its own objects in one context and queue."""
    shared = Kit(cl)
    skip_unless(_has_succeeded(cl, function, _call_with_kits(cl, function, shared)[0]), "the driver refuses the call")
    for _ in range(ROUNDS):
        kits = [Kit(cl) for _ in range(THREADS)]
        for each in kits if function not in OWN_CONTEXTS else ():
            each.context = shared.context
            each.queue = shared.queue
        _call_with_kits(cl, function, *kits)
        shared.finish()


def _call_with_kits(cl: Session, function: str, *kits: Kit) -> list[Outcome]:
    """Call a function concurrently, once with the objects of each kit."""
    calls = [Call(function, each.valid_arguments(function)) for each in kits]
    if function.startswith("clEnqueue"):
        kits[0].finish()  # if the driver process ends in these calls, other commands should not be in flight
    return cl.call_concurrently(calls) if len(calls) > 1 else [cl.call(calls[0])]


def _has_succeeded(cl: Session, function: str, outcome: Outcome) -> bool:
    """Return whether a call returned CL_SUCCESS or an object; true for functions without a return value."""
    if not isinstance(outcome, Returned):
        return False
    nothing = outcome.value is None and cl.tables.functions[function].returns == "void"
    return outcome.value == 0 or isinstance(outcome.value, str) or nothing


def cases() -> Iterator[TableCase]:
    """Yield an item for each function."""
    for function in functions_to_test():
        test_value = "on several host threads"
        yield TableCase(f"{function}/success", test_value, bind_action(call_concurrently, function), (THREAD_SAFETY,))


test_concurrent_calls_of_function_succeed = TableTest(cases)
