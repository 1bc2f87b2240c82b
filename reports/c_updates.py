"""Writes updates of recorded kernel enqueues in C.

The program declares their structures, which headers may lack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, OffsetPointer, Pointers
from clconform.reports.c_data import wrap_declaration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.calls.values import ArgumentUpdate, DispatchConfig, InfoUpdate, Value

    Address = Callable[[Handle | OffsetPointer | None], str]
    """Returns an address in memory as a C expression."""

UPDATE = "const struct { cl_uint key; size_t size; const void *value; }"
"""The C declaration of a ``cl_mutable_dispatch_arg_khr`` or a ``cl_mutable_dispatch_exec_info_khr``."""
CONFIG = (
    "const struct { void *command; cl_uint num_args, num_svm_args, num_exec_infos, work_dim; const void *arg_list, "
    "*arg_svm_list, *exec_info_list; const size_t *global_work_offset, *global_work_size, *local_work_size; }"
)
"""The C declaration of a ``cl_mutable_dispatch_config_khr``."""
LISTS = ("arg_list", "arg_svm_list", "exec_info_list")
SIZES = ("global_work_offset", "global_work_size", "local_work_size")
NUMBERS = ("num_args", "num_svm_args", "num_exec_infos", "work_dim")


def format_updates(
    configs: Sequence[DispatchConfig | None], local: Callable[[str], str], address: Address
) -> tuple[list[str], str]:
    """Return the lines that declare updates, and the C expression for the list of pointers to the updates."""
    lines: list[str] = []
    pointers = [
        "NULL" if config is None else f"&{_declare_update(config, lines, local, address)}" for config in configs
    ]
    return lines, f"(const void *[]){{{', '.join(pointers) or '0'}}}"


def _declare_update(config: DispatchConfig, lines: list[str], local: Callable[[str], str], address: Address) -> str:
    """Declare an update and everything to which it points, and return its name."""
    name = local("update")
    fields = [f".command = {address(config.command)}"]
    fields += [f".{field} = {number}" for field in NUMBERS if (number := getattr(config, field))]
    for field in LISTS:
        listed = getattr(config, field)
        if listed is not None:
            lines += wrap_declaration(
                f"{UPDATE} {name}_{field}[] = {{", list(_list_elements(listed, address)) or ["{0}"]
            )
            fields.append(f".{field} = {name}_{field}")
    for field in SIZES:
        sizes = getattr(config, field)
        if sizes is not None:
            listed = ", ".join(f"{size:#x}ULL" if size >= 1 << 31 else str(size) for size in sizes)
            fields.append(f".{field} = (const size_t[]){{{listed or '0'}}}")
    lines += wrap_declaration(f"{CONFIG} {name} = {{", fields)
    return name


def _list_elements(listed: Sequence[ArgumentUpdate | InfoUpdate], address: Address) -> Iterator[str]:
    for each in listed:
        yield f"{{{each.key:#x}, {each.size:#x}, {_pointer_expression(each.value, address)}}}"


def _pointer_expression(value: Value, address: Address) -> str:
    """Return the C expression for a pointer in an update: an address, or the address of bytes."""
    if isinstance(value, Handle | OffsetPointer):
        return address(value)
    if isinstance(value, HandleBytes):
        return f"&{address(value.handle)}"
    if isinstance(value, Data):
        return f"(const unsigned char[]){{{', '.join(map(str, value.content)) or '0'}}}"
    if isinstance(value, Pointers):
        return f"(void *const[]){{{', '.join(map(address, value.values)) or '0'}}}"
    return "NULL"
