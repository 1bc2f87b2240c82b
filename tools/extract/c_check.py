"""Checks the tables against C headers, with a generated C file of assertions on values, sizes, offsets and prototypes.

The headers may be older or newer than the tables, so only names that both contain are asserted. Each error of the
compiler is a difference, identified by the name that it concerns.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.regular_files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function, Type

HEADERS = Path("/usr/include/CL")
_INCLUDES = ("cl.h", "cl_gl.h", "cl_egl.h", "cl_ext.h", "cl_ext_intel.h")
_SIZES = {
    "int8": 1,
    "uint8": 1,
    "char": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "float": 4,
    "int64": 8,
    "uint64": 8,
    "double": 8,
}
_FAILED = re.compile(r"static assertion failed: \"([^\"]+)\"|error: static_assert failed[^\"]*\"([^\"]+)\"")


def generate_c_check(tables: Tables, headers: Path = HEADERS) -> str:
    """Return the C file of assertions.

    Types of other APIs, such as Direct3D, are left out with their headers.
    """
    includes = [name for name in _INCLUDES if (headers / name).exists()]
    text = "\n".join(read_regular_file(headers / name).decode("utf-8", "replace") for name in includes)
    text += "\n".join(read_regular_file(path).decode("utf-8", "replace") for path in headers.glob("cl_platform.h"))
    words = set(re.findall(r"\w+", re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)))
    lines = [
        "#define CL_TARGET_OPENCL_VERSION 300",
        "#define CL_ENABLE_BETA_EXTENSIONS",
        "#define CL_USE_DEPRECATED_OPENCL_1_0_APIS",
        *(f"#include <{headers / name}>" if headers != HEADERS else f"#include <CL/{name}>" for name in includes),
        "#include <stddef.h>",
    ]
    for name, entry in tables.enumerants.items():
        lines += [f"#ifdef {name}", _assertion(f"(long long)({name}) == {_c_literal(entry.value)}", name), "#endif"]
    types = {name: _with_numeric_lengths(entry, tables) for name, entry in tables.types.items()}
    for known in types.values():
        if known.name in words:
            lines += _type_asserts(known, types)
    for function in tables.functions.values():
        if function.name in words and _has_known_types(function, words):
            lines.append(_prototype_assert(function))
    return "\n".join(lines) + "\n"


def compile_differences(source: str, compiler: str = "cc") -> list[str]:
    """Return the assertions that the compiler rejects, without duplicates, and the other error messages unchanged."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "check.c"
        path.write_text(source, encoding="utf-8")
        command = [compiler, "-std=gnu11", "-fsyntax-only", "-w", "-fmax-errors=0", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [match[1] or match[2] for match in _FAILED.finditer(done.stderr)]
    other = [line for line in done.stderr.splitlines() if "error:" in line and not _FAILED.search(line)]
    return list(dict.fromkeys(found)) + other


def _with_numeric_lengths(entry: Type, tables: Tables) -> Type:
    """Return a type with numbers in place of the names in the lengths of its arrays."""
    if not entry.fields:
        return entry
    values = {f"[{name}]": f"[{known.value}]" for name, known in tables.enumerants.items()}
    fields = []
    for name, spelling in entry.fields:
        length = re.search(r"\[\w+\]", spelling)
        fields.append((name, spelling.replace(length[0], values.get(length[0], length[0])) if length else spelling))
    return msgspec.structs.replace(entry, fields=tuple(fields))


def _assertion(condition: str, what: str) -> str:
    return f'_Static_assert({condition}, "{what}");'


def _c_literal(value: int) -> str:
    """Return a value as a C literal; a value above the signed range is written by its bits."""
    return f"(long long){value}ULL" if value >= 1 << 63 else f"{value}LL"


def _type_asserts(entry: Type, types: Mapping[str, Type]) -> list[str]:
    if entry.kind == "struct":
        layout = struct_layout(entry, types)
        if layout is None:
            return []
        size, offsets = layout
        lines = [_assertion(f"sizeof({entry.name}) == {size}", f"sizeof {entry.name}")]
        fields = zip(entry.fields, offsets, strict=True)
        return lines + [
            _assertion(f"offsetof({entry.name}, {name}) == {offset}", f"{entry.name}.{name}")
            for (name, _), offset in fields
        ]
    width = size_of(entry.name, types)
    if width is None or " " in entry.name:
        return []
    return [_assertion(f"sizeof({entry.name}) == {width}", f"sizeof {entry.name}")]


def size_of(spelling: str, types: Mapping[str, Type]) -> int | None:
    """Return the size of a type on a 64-bit machine; None for a type that the tables lack."""
    array = re.fullmatch(r"(.*)\[(\d+)\]", spelling)
    if array:
        element = size_of(array[1].strip(), types)
        return None if element is None else element * int(array[2])
    if spelling.endswith("*"):
        return 8
    entry = types.get(spelling.removeprefix("const "))
    if entry is None:
        return None
    if entry.kind == "struct":
        layout = struct_layout(entry, types)
        return None if layout is None else layout[0]
    if entry.kind == "handle" or entry.base in ("size_t", "intptr_t"):
        return 8
    return _SIZES.get(entry.base)


def struct_layout(entry: Type, types: Mapping[str, Type]) -> tuple[int, list[int]] | None:
    """Return the size and the offsets of a structure by the rules of C; None if the type of a member is unknown."""
    offset, widest = 0, 1
    offsets: list[int] = []
    for _, spelling in entry.fields:
        size = size_of(spelling, types)
        if size is None:
            return None
        alignment = min(size_of(re.sub(r"\[.*\]", "", spelling), types) or 1, 8)
        offset = -(-offset // alignment) * alignment
        offsets.append(offset)
        offset += size
        widest = max(widest, alignment)
    return -(-offset // widest) * widest, offsets


def _has_known_types(function: Function, words: set[str]) -> bool:
    bases = {parameter.base for parameter in function.parameters if parameter.direction != "callback"}
    known = words | {"void", "char", "size_t", "unsigned", "int"}
    return all(set(base.split()) <= known for base in bases)


def _prototype_assert(function: Function) -> str:
    """Return an assertion that two prototypes are compatible.

    C treats array and pointer parameters as equal.
    """
    parameters = ", ".join(parameter.type.replace("CL_CALLBACK*", "CL_CALLBACK *") for parameter in function.parameters)
    wanted = f"__typeof__({function.returns} (*)({parameters or 'void'}))"
    return _assertion(f"__builtin_types_compatible_p({wanted}, __typeof__(&{function.name}))", function.name)
