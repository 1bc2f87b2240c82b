"""The helpers that a C program may need, with their dependencies, headers and macros.

The text of each helper is a macro of the same name in ``templates/helpers.c``. The code that writes a call requests a
helper by its name. ``with_dependencies`` adds its dependencies and orders the helpers, so that a program contains only
helpers in use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

ALWAYS_INCLUDED = ("stdio.h", "stdlib.h", "string.h")
POSIX_HEADERS = frozenset({"dlfcn.h", "pthread.h", "signal.h", "time.h", "unistd.h"})
"""Headers that strict C11 provides only in part."""


class CHelper(NamedTuple):
    """A C helper.

    It has the helpers that it calls, its headers, and the version that deprecates the OpenCL functions that it calls.
    """

    needs: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    deprecated: str = ""


HELPERS = {
    "name_of": CHelper(),
    "sleep_for": CHelper((), ("time.h",)),
    "pauses": CHelper(("sleep_for",), ("unistd.h",)),
    "call": CHelper(("name_of",)),
    "do": CHelper(("call",)),
    "error": CHelper(),
    "make": CHelper(),
    "get": CHelper(),
    "count": CHelper(),
    "run": CHelper(),
    "series": CHelper(),
    "reuse": CHelper(),
    "fill": CHelper(),
    "guard": CHelper(("fill",)),
    "all": CHelper(),
    "output": CHelper(("guard",)),
    "overrun": CHelper(("guard", "all")),
    "written": CHelper(("fill",)),
    "show": CHelper(),
    "host_allocate": CHelper(("guard",), ("stdint.h",)),
    "host_atomics": CHelper(),
    "deviation": CHelper((), ("signal.h", "unistd.h")),
    "too_late": CHelper((), ("signal.h", "unistd.h")),
    "driver_ended_it": CHelper(("deviation",)),
    "note_callback": CHelper((), ("stdatomic.h",)),
    "forget_callbacks": CHelper(("note_callback",)),
    "host_await": CHelper((), ("stdatomic.h", "time.h")),
    "callbacks": CHelper((), ("stdint.h",)),
    "lanes": CHelper((), ("pthread.h", "stdatomic.h")),
    "await_crash": CHelper(("sleep_for",)),
    "host_join": CHelper(("sleep_for", "lanes", "name_of")),
    "host_returned": CHelper(("sleep_for", "lanes")),
    "find": CHelper((), (), "1.2"),
    "find_in_library": CHelper((), ("dlfcn.h",)),
    "found": CHelper(),
}
"""Maps names to helpers; each helper comes after those that it needs."""


def with_dependencies(wanted: Iterable[str]) -> list[str]:
    """Return these helpers and their dependencies, in the order in which a program defines them."""
    found: set[str] = set()
    ahead = list(wanted)
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += HELPERS[name].needs
    return [name for name in HELPERS if name in found]


def required_headers(pieces: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the headers of these helpers and the other headers of the program, in order."""
    return sorted({*ALWAYS_INCLUDED, *others, *(header for piece in pieces for header in HELPERS[piece].headers)})


def required_macros(headers: Iterable[str], deprecated: Iterable[str]) -> list[tuple[str, str]]:
    """Return the macros to define before the headers; ``deprecated``: versions that deprecate called functions."""
    before = {"1.1": "1_0", "1.2": "1_1", "2.0": "1_2", "2.1": "2_0", "2.2": "2_1", "3.0": "2_2"}
    asked = [("_POSIX_C_SOURCE", "200809L")] if POSIX_HEADERS & set(headers) else []
    asked.append(("CL_TARGET_OPENCL_VERSION", "300"))
    named = sorted({before[version] for version in deprecated if version in before})
    return [*asked, *((f"CL_USE_DEPRECATED_OPENCL_{version}_APIS", "") for version in named)]
