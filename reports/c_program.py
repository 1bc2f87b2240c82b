"""Writes a deviation as one self-contained C program for the maintainers of a driver.

The program finds the platform and makes the same calls with the same values and the same names. It prints each call
with its result, and finally reports whether the deviation occurs. If the returned code is not allowed, any code that is
not allowed counts as the deviation. If the code is allowed and the outputs are unexpected, only the same outputs count.
The program contains only code in use: the calls request helpers from ``c_helpers``, and only error codes in use have
names.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from clconform.calls.call import Died, group_steps
from clconform.calls.harness_actions import NEXT_PROCESS
from clconform.reports.c_body import ProgramBody
from clconform.reports.c_helpers import HELPERS, required_headers, required_macros, with_dependencies
from clconform.reports.c_values import CProgramError, c_comment, c_name, c_number, c_string
from clconform.reports.escaping import escape_non_ascii
from clconform.reports.loader_settings import loader_settings
from clconform.reports.operand_text import ascii_multiplication, operands_by_requirement
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import DeviationResult, PlatformTested, RunResult
    from clconform.spec_tables.entries import Enumerant

__all__ = ["CProgramError", "c_program"]

MAX_PLATFORM_NAME = 100
"""Maximum number of characters of the platform's name for which the program searches."""
COMMON_VERSIONS = ("1.0", "1.1", "1.2")
"""Versions of the core whose names all current headers define."""


def link_options(deviation: DeviationResult) -> str:
    """Return the options of the C compiler that link the program of a deviation."""
    return "-lOpenCL -pthread" if any(step.host_thread for step in deviation.sequence) else "-lOpenCL"


def c_program(deviation: DeviationResult, result: RunResult, tables: ReportTables) -> str:
    """Return the C program that shows ``deviation``; CProgramError if its calls cannot be written in C."""
    platform = result.platform
    if platform is None or not deviation.sequence:
        raise CProgramError(f"deviation {deviation.id} has no sequence of calls on a platform")
    if platform.access == "simulated":
        raise CProgramError("the simulated platform is not a driver; use `clconform replay`")
    if any(step.call.function == NEXT_PROCESS for step in deviation.sequence):
        raise CProgramError("this deviation needs two processes in sequence; use `clconform replay`")
    return _render_program(deviation, platform, result.run.clconform, tables)


@functools.cache
def _templates() -> Environment:
    return Environment(  # noqa: S701 (C, not HTML; every text passes c_string or c_comment)
        loader=PackageLoader("clconform.reports"), undefined=StrictUndefined, keep_trailing_newline=True
    )


def _render_program(deviation: DeviationResult, platform: PlatformTested, version: str, tables: ReportTables) -> str:
    direct = platform.access == "direct"
    body = ProgramBody(deviation, platform, tables)
    order = list(tables.dispatch)
    info = "clGetPlatformInfo"
    lines = body.lines()
    pieces = with_dependencies(body.uses)
    headers = required_headers(pieces, body.functions.headers)
    titles = escape_non_ascii(", ".join(deviation.requirements))
    program = {
        "helpers": pieces,
        "codes": body.codes,
        "callbacks": body.callbacks.functions,
        "awaited": body.callbacks.awaited,
        "lanes": body.lanes,
        "too_late": c_string(f"\nDEVIATION: {titles}: no return before the deadline\n"),
        "told": c_string(f"DEVIATION: {titles}: allowed {', '.join(deviation.allowed)}; observed"),
        "direct": direct,
    }
    macros = _templates().get_template("helpers.c").module
    last = deviation.sequence[-1].outcome
    operands = operands_by_requirement(deviation, tables, body.names)
    values = {
        "id": c_comment(deviation.id),
        "title": c_comment(f"{titles}: {deviation.verdict}"),
        "about": [c_comment(line) for line in _comment_lines(deviation, platform, operands)],
        "version": c_comment(version),
        "direct": direct,
        "threads": " -pthread" if body.lanes.count else "",
        "libraries": [c_comment(library) for library in platform.libraries],
        "settings": c_comment(" ".join(f"{name}={value}" for name, value in loader_settings(platform).items())),
        "dies": isinstance(last, Died),
        "pointer_bytes": platform.pointer_bytes if platform.pointer_bytes != DEFAULT_POINTER_BYTES else 0,
        "macros": required_macros(
            headers, {*body.functions.deprecated, *(HELPERS[piece].deprecated for piece in pieces)}
        ),
        "headers": headers,
        "defines": [
            (name, c_number(tables.enumerants[name].value, "cl_ulong"))
            for name in sorted(body.named & tables.enumerants.keys())
            if not _is_in_all_headers(tables.enumerants[name])
        ],
        "pieces": [getattr(macros, piece)(program).strip("\n") for piece in pieces],
        "opened": c_string(platform.libraries[0]) if platform.libraries else '""',
        "platform_name": c_string(platform.name[:MAX_PLATFORM_NAME]),
        "platform_version": c_string(platform.version[:MAX_PLATFORM_NAME]),
        "platform_handle": c_name(platform.handle),
        "functions": body.functions.pointers,
        "devices": body.devices,
        "least": max(1, len(body.devices)),
        "place": order.index(info) if info in order else -1,
        "roots": body.roots,
        "body": lines,
    }
    return _templates().get_template("program.c").render(values)


def _comment_lines(deviation: DeviationResult, platform: PlatformTested, operands: Mapping[str, str]) -> list[str]:
    """Return the lines of the comment at the top; ``operands``: maps requirements to their operands as text."""
    alone = len(deviation.requirements) == 1
    lines = []
    for requirement, why in deviation.conditions.items():
        lines += [ascii_multiplication(why if alone else f"{requirement}: {why}")] if why else []
        lines += [ascii_multiplication(f"where {operands[requirement]}")] if requirement in operands else []
    lines.append(f"allowed: {', '.join(deviation.allowed)}; observed: {deviation.observed}")
    if deviation.attribution_note:
        lines.append(ascii_multiplication(deviation.attribution_note))
    lines.append(f"seen on: {platform.name}, {platform.version}, device {platform.device_name}")
    if any(len(group) > 1 for group in group_steps(deviation.sequence)):
        lines.append(
            "calls that were made concurrently from several host threads are sequential here, so it may not reproduce"
        )
    return [escape_non_ascii(line, limit=400) for line in lines]


def _is_in_all_headers(enumerant: Enumerant) -> bool:
    """Return whether a name has been in the core long enough to be in all current headers."""
    return "OpenCL" in enumerant.documents and all(
        gate.subject.endswith("-version") and gate.since in COMMON_VERSIONS for gate in enumerant.applicability
    )
