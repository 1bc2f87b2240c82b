"""Postconditions of the functions that return addresses of extension functions (extensions, appendix A; cl_khr_icd).

The rules check whether a call returns an address. Only a call through the address would show whether it is valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Text
from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.matchers import Anything, Matcher, OneOf, Postcondition, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import CallScope
from clconform.oracles.model.devices import Platform
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

BY_PLATFORM, BY_NAME = "clGetExtensionFunctionAddressForPlatform", "clGetExtensionFunctionAddress"
ADDED_LATER = (
    "clRemapCommandBufferKHR",
    "clCommandSVMMemcpyKHR",
    "clCommandSVMMemFillKHR",
    "clReImportSemaphoreSyncFdKHR",
    "clMemBlockingFreeINTEL",
    "clIcdGetPlatformIDsKHR",
    "clIcdGetFunctionAddressForPlatformKHR",
    "clIcdSetPlatformDispatchDataKHR",
)
"""Functions for which every result is allowed.

An earlier revision of the extension lacks the function, or drivers may provide the function in another way.
"""
UNDOCUMENTED = ("registry",)
"""Values of ``Function.document`` for functions that the available documents do not describe."""
SIMULATED_ADDRESS = "function1"
"""The name of a function address on the simulated platform."""


@rules.postcondition(BY_PLATFORM, BY_NAME)
def expect_address(call: Call, model: Model) -> Postcondition:
    """The call returns an address if the platform reports the extension of func_name, and NULL for an unknown name.

    For a core function, and for a function whose extension is not reported, every result is allowed.
    """
    return Postcondition(value=_expected_address(call, model))


def _expected_address(call: Call, model: Model) -> Matcher:
    if not isinstance(call.func_name, Text):
        raise UnknownFactError("no name is given")
    platform = model.platform_of([call.arguments.get("platform")])
    requirements = (f"{call.function}/success",)
    named_platform = isinstance(model.find(call.arguments.get("platform")), Platform)
    if call.function == BY_PLATFORM and not named_platform:
        return Anything((None,))
    function = model.tables.functions.get(call.func_name.content)
    if function is None:
        known = call.func_name.content in model.tables.dispatch
        return Anything((None,)) if known else OneOf(((None,),), requirements)
    extensions = {gate.name for gate in function.applicability if gate.subject == "extension"}
    reported = platform is not None and bool(extensions) and extensions <= platform.extensions
    if not reported or not applies(function.applicability, CallScope(platform)):
        return Anything((None,))
    if function.name in ADDED_LATER or function.document in UNDOCUMENTED or _queries_loader(call, model):
        return Anything((SIMULATED_ADDRESS,))
    if function.name.startswith("clCreateFromGLTexture") and platform is not None and platform.version < (1, 2):
        return Anything((SIMULATED_ADDRESS,))
    return Satisfies(
        _is_address, "an address, since the platform reports the extension", requirements, (SIMULATED_ADDRESS,)
    )


def _queries_loader(call: Call, model: Model) -> bool:
    """Return whether a loader handles a call without a platform; a loader may return the function of any driver."""
    return call.function == BY_NAME and model.through_loader


def _is_address(seen: Values) -> bool:
    return seen[0] is not None


rules.inferred("clGetExtensionFunctionAddressForPlatform/success", "clGetExtensionFunctionAddress/success")
