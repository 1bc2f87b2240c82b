"""The pieces of C that a program may need: their dependencies, headers and macros.

The text of each is a macro of the same name in ``templates/helpers.c``. The code that writes a call requests a piece by
name; ``chosen`` adds its dependencies and puts them in order, so that a program contains only pieces in use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

ALWAYS = ("stdio.h", "stdlib.h", "string.h")
POSIX = frozenset({"dlfcn.h", "pthread.h", "signal.h", "time.h", "unistd.h"})
"""Headers that strict C11 provides only in part."""


class Helper(NamedTuple):
    """A piece: the pieces it depends on, its headers, and the version whose deprecated functions it calls."""

    needs: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    deprecated: str = ""


HELPERS = {
    "name_of": Helper(),
    "call": Helper(("name_of",)),
    "do": Helper(("call",)),
    "error": Helper(),
    "make": Helper(),
    "get": Helper(),
    "count": Helper(),
    "run": Helper(),
    "series": Helper(),
    "reuse": Helper(),
    "fill": Helper(),
    "guard": Helper(("fill",)),
    "all": Helper(),
    "output": Helper(("guard",)),
    "overrun": Helper(("guard", "all")),
    "show": Helper(),
    "host_allocate": Helper(("guard",), ("stdint.h",)),
    "host_atomics": Helper(),
    "deviation": Helper(),
    "too_late": Helper((), ("signal.h", "unistd.h")),
    "driver_ended_it": Helper(("deviation",), ("unistd.h",)),
    "note_callback": Helper((), ("stdatomic.h",)),
    "forget_callbacks": Helper(("note_callback",)),
    "host_await": Helper((), ("stdatomic.h", "time.h")),
    "callbacks": Helper((), ("stdint.h",)),
    "sleep_for": Helper((), ("time.h",)),
    "lanes": Helper((), ("pthread.h", "stdatomic.h")),
    "host_join": Helper(("sleep_for", "lanes", "name_of")),
    "host_returned": Helper(("sleep_for", "lanes")),
    "find": Helper((), (), "1.2"),
    "find_in_library": Helper((), ("dlfcn.h",)),
    "found": Helper(),
}
"""The pieces by name, each after those it depends on."""


def chosen(wanted: Iterable[str]) -> list[str]:
    """Return these pieces and their dependencies, in the order in which they appear in a program."""
    found: set[str] = set()
    ahead = list(wanted)
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += HELPERS[name].needs
    return [name for name in HELPERS if name in found]


def headers_of(pieces: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the headers of these pieces and the program's other headers, in order."""
    return sorted({*ALWAYS, *others, *(header for piece in pieces for header in HELPERS[piece].headers)})


def macros_of(headers: Iterable[str], deprecated: Iterable[str]) -> list[tuple[str, str]]:
    """Return the macros defined before the headers; ``deprecated``: the versions that deprecate called functions."""
    before = {"1.1": "1_0", "1.2": "1_1", "2.0": "1_2", "2.1": "2_0", "2.2": "2_1", "3.0": "2_2"}
    asked = [("_POSIX_C_SOURCE", "200809L")] if POSIX & set(headers) else []
    asked.append(("CL_TARGET_OPENCL_VERSION", "300"))
    named = sorted({before[version] for version in deprecated if version in before})
    return [*asked, *((f"CL_USE_DEPRECATED_OPENCL_{version}_APIS", "") for version in named)]
