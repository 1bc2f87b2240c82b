"""Postconditions of queries for the address of an extension function by name (extensions, appendix A; cl_khr_icd).

Only a call of a function would show whether its address is valid; these rules check whether an address is returned.
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
"""Functions that an earlier revision of their extension lacks, or that drivers may provide in another way."""
UNDOCUMENTED = ("registry",)
"""Pseudo-documents of functions that no available document describes."""
SIMULATED_ADDRESS = "function1"
"""The name of a function address on the simulated platform."""


@rules.postcondition(BY_PLATFORM, BY_NAME)
def expect_address(call: Call, model: Model) -> Postcondition:
    """The call returns an address for each function of a reported extension, and NULL for an unknown name."""
    return Postcondition(value=_expected_address(call, model))


def _expected_address(call: Call, model: Model) -> Matcher:
    if not isinstance(call.func_name, Text):
        raise UnknownFactError("no name is given")
    platform = model.platform_of([call.arguments.get("platform")])
    records = (f"{call.function}/success",)
    named_platform = isinstance(model.find(call.arguments.get("platform")), Platform)
    if call.function == BY_PLATFORM and not named_platform:
        return Anything((None,))
    function = model.tables.functions.get(call.func_name.content)
    if function is None:
        known = call.func_name.content in model.tables.dispatch
        return Anything((None,)) if known else OneOf(((None,),), records)
    extensions = {gate.name for gate in function.applicability if gate.subject == "extension"}
    reported = platform is not None and bool(extensions) and extensions <= platform.extensions
    if not reported or not applies(function.applicability, CallScope(platform)):
        return Anything((None,))
    if function.name in ADDED_LATER or function.document in UNDOCUMENTED or _queries_loader(call, model):
        return Anything((SIMULATED_ADDRESS,))
    if function.name.startswith("clCreateFromGLTexture") and platform is not None and platform.version < (1, 2):
        return Anything((SIMULATED_ADDRESS,))
    return Satisfies(_is_address, "an address, since the platform reports the extension", records, (SIMULATED_ADDRESS,))


def _queries_loader(call: Call, model: Model) -> bool:
    """Return whether the call queries a loader by name only; it is unspecified whose function a loader returns."""
    return call.function == BY_NAME and model.through_loader


def _is_address(seen: Values) -> bool:
    return seen[0] is not None


rules.inferred("clGetExtensionFunctionAddressForPlatform/success", "clGetExtensionFunctionAddress/success")
