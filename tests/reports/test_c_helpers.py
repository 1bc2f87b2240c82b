"""A C program contains only the helpers, headers and macros that it uses, and names only the error codes it needs."""

from __future__ import annotations

import re

import pytest

from clconform.calls.call import Call, Died, Hung, Output, Returned, Step
from clconform.calls.harness_actions import ALLOCATE, AWAIT, READ
from clconform.calls.values import Handle, HostCallback, OutputBuffer
from clconform.reports.c_helpers import HELPERS, required_headers, required_macros, with_dependencies
from clconform.reports.c_program import _templates

from . import fabricated_journals
from .test_c_program import create_program

HEADER_CONTENTS = {
    "dlfcn.h": ("dlopen", "dlsym"),
    "pthread.h": ("pthread_create", "pthread_t"),
    "signal.h": ("signal",),
    "stdatomic.h": ("atomic_flag", "atomic_int", "atomic_uint"),
    "stdint.h": ("intptr_t", "uintptr_t"),
    "stdio.h": ("printf", "puts"),
    "stdlib.h": ("getenv", "exit", "malloc"),
    "string.h": ("strstr",),
    "time.h": ("nanosleep",),
    "unistd.h": ("_exit", "write", "alarm"),
}
"""The identifiers that each header provides."""


def find_unused(program: str) -> list[str]:
    """Return the functions, macros, variables and headers that a program does not use."""
    _, _, code = program.partition("*/")
    made = re.findall(r"^static (?:[\w ]+?[ *])(\w+)(?:\(|\[|;| = )", code, re.MULTILINE)
    made += re.findall(r"^#define (?!CL_|_)(\w+)", code, re.MULTILINE)
    made += re.findall(r"^    (?:cl_\w+|void) \*?\(?(?:CL_API_CALL \*)?(\w+)\)? ?(?:=|;|\()", code, re.MULTILINE)
    words = re.findall(r"\w+", code)
    idle = [name for name in made if words.count(name) < 2]
    headers = re.findall(r"^#include <(\w+\.h)>", code, re.MULTILINE)
    return idle + [header for header in headers if not any(word in words for word in HEADER_CONTENTS[header])]


def test_helpers_of_the_template_come_after_their_dependencies() -> None:
    macros = _templates().get_template("helpers.c").module
    assert set(HELPERS) == {name for name in dir(macros) if not name.startswith("_")}
    order = list(HELPERS)
    for name, helper in HELPERS.items():
        assert all(order.index(other) < order.index(name) for other in helper.needs)
        assert all(header in HEADER_CONTENTS for header in helper.headers)


def test_selected_helper_requires_its_dependencies_and_their_headers() -> None:
    assert with_dependencies({"overrun"}) == ["fill", "guard", "all", "overrun"]
    assert with_dependencies(set()) == []
    assert required_headers(["too_late"], ["dlfcn.h"]) == [
        "dlfcn.h", "signal.h", "stdio.h", "stdlib.h", "string.h", "unistd.h"
    ]  # fmt: skip


def test_required_macros_follow_from_headers_and_versions_of_functions() -> None:
    assert required_macros(["stdio.h"], [""]) == [("CL_TARGET_OPENCL_VERSION", "300")]
    assert required_macros(["time.h"], ["2.0", "1.1", "2.0"]) == [
        ("_POSIX_C_SOURCE", "200809L"),
        ("CL_TARGET_OPENCL_VERSION", "300"),
        ("CL_USE_DEPRECATED_OPENCL_1_0_APIS", ""),
        ("CL_USE_DEPRECATED_OPENCL_1_2_APIS", ""),
    ]


OUTCOMES = {
    "code": Step(fabricated_journals.split_call((0x1086, 2, 0), output_buffer=4), Returned(0)),
    "outputs": fabricated_journals.CREATED,
    "crash": Step(Call("clReleaseDevice", {"device": Handle("device1")}), Died("signal", "SIGSEGV")),
    "exit": Step(Call("clReleaseDevice", {"device": Handle("device1")}), Died("exit", "0")),
    "hang": Step(Call("clReleaseDevice", {"device": Handle("device1")}), Hung(1.0)),
    "host": Step(
        Call(READ, {"pointer": Handle("pointer1"), "size": 4, "content": OutputBuffer(4)}),
        Returned(None, {"content": Output([], 4, b"abcd")}),
    ),
    "await": Step(Call(AWAIT, {"callback": HostCallback("noted"), "times": 1, "milliseconds": 9}), Returned(1)),
}
ALLOCATION = Step(Call(ALLOCATE, {"size": 4, "alignment": 64}), Returned("pointer1"), ["pointer1"])


@pytest.mark.parametrize("way", ["loader", "direct"])
@pytest.mark.parametrize("kind", OUTCOMES)
def test_program_contains_only_used_helpers(kind: str, way: str) -> None:
    steps = [ALLOCATION, OUTCOMES[kind]] if kind == "host" else [OUTCOMES[kind]]
    program = create_program(*steps, access=way, allowed=["CL_INVALID_VALUE" if kind == "code" else "CL_SUCCESS"])
    assert find_unused(program) == []
    assert "unused" not in program


def test_program_names_only_the_error_codes_of_its_deviation() -> None:
    program = create_program(OUTCOMES["code"], allowed=["CL_INVALID_VALUE"])
    _, _, code = program.partition("*/")
    known = {
        each.name
        for each in fabricated_journals.create_tables().enumerants.values()
        if each.group.startswith("ErrorCodes")
    }
    assert known & set(re.findall(r"CL_\w+", code)) == {"CL_SUCCESS", "CL_INVALID_VALUE"}


def test_find_unused_returns_unused_functions_and_headers() -> None:
    program = create_program(OUTCOMES["code"], allowed=["CL_INVALID_VALUE"])
    more = program.replace("#include <stdio.h>", "#include <dlfcn.h>\n#include <stdio.h>\nstatic int idle(void);")
    assert find_unused(more) == ["idle", "dlfcn.h"]
