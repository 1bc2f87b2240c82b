"""Reads the other tables: flags, formats, command types, optional features."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.records import (
    CommandType,
    CompatibleOrder,
    Flag,
    Function,
    Gate,
    HostPointerSize,
    ImageFormat,
    Limit,
    OptionalBehaviour,
    SharingFormat,
)
from clconform.tools.extract import mappings
from clconform.tools.extract.blocks import spread
from clconform.tools.extract.drafts import Draft
from clconform.tools.extract.gates import gates_in, with_instead
from clconform.tools.extract.mappings import base_of, unnumbered
from clconform.tools.extract.queries import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.tools.extract.blocks import Block, Cell

_FUNCTION = re.compile(r"\bcl[A-Z]\w+")
_NAME = re.compile(r"CL_\w*[A-Za-z0-9]")
_EXCLUSIVE = re.compile(r"([^.]*) are mutually exclusive")
_FLAG_TABLES = {
    "memory flags": "cl_mem_flags",
    "map flags": "cl_map_flags",
    "svm memory flags": "cl_svm_mem_flags",
    "memory migration flags": "cl_mem_migration_flags",
    "command-queue properties": "cl_command_queue_properties",
    "device type": "cl_device_type",
    "buffer creation type": "cl_buffer_create_type",
    "image channel order": "cl_channel_order",
    "image channel data type": "cl_channel_type",
    "cl_mem_flags": "cl_mem_flags",
    "external memory handle type": "cl_external_memory_handle_type_khr",
    "addressing mode": "cl_addressing_mode",
}


def facts_of(block: Block, document: str, functions: dict[str, Function]) -> list[Draft]:
    """Return the requirements of one table, or none if it is of another kind; rows that lack a cell are omitted."""
    block = dataclasses.replace(block, rows=[row for row in spread(block.rows) if len(row) >= len(block.header)])
    header = [title.lower().strip(": ") for title in block.header]
    if header == ["events created by", "event command type"]:
        return _command_types(block, document, functions)
    typed = bool(header and re.fullmatch(r"cl_\w+", block.header[0]))
    if typed or (header and header[0] in _FLAG_TABLES and header[-1] == "description"):
        return _flags(block, document, _FLAG_TABLES.get(header[0], header[0]))
    reader = next((reader for applies, reader in _READERS if applies(header, block.text.lower())), None)
    return reader(block, document) if reader else []


def ragged(block: Block) -> list[str]:
    """Return the rows of a table that have fewer cells than headings."""
    return [" ".join(cell.text for cell in row) for row in spread(block.rows) if len(row) < len(block.header)]


def _is_sharing(header: list[str], caption: str) -> bool:
    """Return whether a table lists another API's formats: two columns, and a caption that names both sides."""
    return len(header) == len(("external", "formats")) and "opencl" in caption and "formats" in caption


def _formats(block: Block, document: str) -> list[Draft]:
    access = "read-and-write" if "reading and writing" in block.text else "read-or-write"
    profile: tuple[Gate, ...] = (Gate("profile", name="EMBEDDED_PROFILE"),) if "embedded" in block.text else ()
    versions = re.findall(r"\d\.\d", block.text.partition("(")[2])
    gates = (*profile, Gate("device-version", since=versions[0], before="3.0")) if versions else profile
    found = []
    for cells in block.rows:
        order = _NAME.search(cells[1].text)
        for data_type in _NAME.findall(cells[2].text):
            if order is None:
                continue
            family = (
                f"{order[0]}/{data_type}/{access}" + ("/embedded" if profile else "") + ("/2.x" if versions else "")
            )
            text = f"{order[0]} {data_type} {unnumbered(block.text)}"
            own = (*with_instead(gates, cells[1].text), *gates_in(cells[1].text))
            facts = {**base_of(block, document, text), "gates": own, "function": "clGetSupportedImageFormats"}
            channels = int(cells[0].text) if cells[0].text.isdigit() else 0
            record = ImageFormat(**facts, order=order[0], data_type=data_type, channels=channels, access=access)
            found.append(Draft(family, record, numbered=False))
    return found


def _command_types(block: Block, document: str, functions: dict[str, Function]) -> list[Draft]:
    found = []
    for functions_cell, type_cell in block.rows:
        for function in _FUNCTION.findall(functions_cell.text):
            for name, (gates, _) in names_of(type_cell, "platform-version").items():
                if function not in functions:
                    continue
                facts = {**base_of(block, document, f"{function} {type_cell.text}"), "gates": gates}
                found.append(
                    Draft(f"{name}@{function}", CommandType(**facts, function=function, name=name), numbered=False)
                )
    return found


def _optional(block: Block, document: str) -> list[Draft]:
    feature = re.sub(r"\W+", "-", block.section.title.lower()).strip("-")
    found = []
    for api, behaviour in block.rows:
        subjects = _NAME.findall(api.text.partition("passing")[2]) if "passing" in api.text else []
        functions = _FUNCTION.findall(api.text.partition(", passing")[0])
        for function in functions:
            each = subjects if function.endswith("Info") else subjects[:1]
            for subject in each or [""]:
                facts = base_of(block, document, f"{api.text} {behaviour.text}")
                record = OptionalBehaviour(
                    **facts,
                    gates=(Gate("device-version", since="3.0"),),
                    function=function,
                    feature=feature,
                    subject=subject or function,
                    answers=_answers(behaviour),
                )
                about = subject if function.endswith("Info") else ""
                found.append(Draft(f"{feature}:{about or function}", record))
    return found


def _answers(behaviour: Cell) -> tuple[str, ...]:
    """Return the possible results, if the first sentence names them."""
    text = behaviour.text
    if re.search(r"\b(?:an )?empty (?:set|string|buffer|array)", text):
        return ("empty",)
    combined = [part for part in behaviour.paragraphs if "|" in part]
    if combined:
        return tuple(" | ".join(_NAME.findall(part)) for part in combined)
    value = re.match(r"(?:May return|Returns) (0|NULL|CL_\w+)", text)
    if value:
        return (value[1],)
    nothing = {"Is a NOP": "nothing", "Will not": "omitted", "May omit": "omitted", "Behaves as though": "as-without"}
    return tuple(slug for words, slug in nothing.items() if text.startswith(words)) or ("as-described",)


def _sharing_formats(block: Block, document: str) -> list[Draft]:
    found = []
    for external, formats in block.rows:
        name = external.text
        pairs = dict.fromkeys(re.findall(r"(CL_\w+), (CL_\w+)", formats.text))
        for order, data_type in pairs:
            facts = base_of(block, document, f"{name} {order} {data_type}")
            record = SharingFormat(**facts, external=name, order=order, data_type=data_type)
            family = re.sub(r"\W+", "_", name).strip("_")
            found.append(Draft(f"{family}/{order}/{data_type}", record, numbered=False))
    return found


def _host_pointers(block: Block, document: str) -> list[Draft]:
    found = []
    for cell, size in block.rows:
        for name, (gates, _) in names_of(cell, "platform-version").items():
            factors = tuple(re.findall(r"image_\w+", size.text))
            facts = {**base_of(block, document, f"{name} {size.text}"), "gates": gates, "function": "clCreateImage"}
            found.append(
                Draft(f"{name}/host_ptr", HostPointerSize(**facts, name=name, factors=factors), numbered=False)
            )
    return found


def _flags(block: Block, document: str, kind: str) -> list[Draft]:
    excluded = exclusions_in(cells[-1].text for cells in block.rows)
    named = _FUNCTION.findall(block.text)
    found = []
    for cells in block.rows:
        names = names_of(cells[0], "platform-version") or dict.fromkeys(_NAME.findall(cells[0].text), ((), ""))
        said = any(
            gates for gates, _ in names.values()
        )  # a note that names one of several names applies only to that one
        for name, (gates, _) in names.items():
            more = gates or (() if said else gates_in(cells[0].text))
            facts = {**base_of(block, document, f"{name} {cells[-1].text}"), "gates": more}
            excludes = tuple(sorted(excluded.get(name, ())))
            record = Flag(**facts, function=named[0] if named else "", name=name, type=kind, excludes=excludes)
            found.append(Draft(f"{kind}:{name}", record, numbered=False))
    return found


def exclusions_in(texts: Iterable[str]) -> dict[str, set[str]]:
    """Return the names that descriptions call mutually exclusive: all in a sentence, or two groups joined by *and*."""
    excluded: dict[str, set[str]] = {}
    for text in texts:
        for match in _EXCLUSIVE.finditer(text):
            for left, right in _pairs(match[1]):
                excluded.setdefault(left, set()).add(right)
                excluded.setdefault(right, set()).add(left)
    return excluded


def _pairs(text: str) -> list[tuple[str, str]]:
    groups = [_NAME.findall(part) for part in re.split(r"\band\b", text)]
    if " or " in text and len(groups) > 1:
        return [(left, right) for left in groups[0] for right in groups[-1]]
    names = [name for group in groups for name in group]
    return [(left, right) for index, left in enumerate(names) for right in names[index + 1 :]]


def _least_capabilities(block: Block, document: str) -> list[Draft]:
    """Read the capabilities that every device needs for allocations of each type: the cells that contain *required*."""
    found = []
    for cells in block.rows:
        query = _ALLOCATIONS.get(cells[0].text.lower())
        required = [
            f"CL_UNIFIED_SHARED_MEMORY_{title.upper().replace(' ', '_')}_INTEL"
            for title, cell in zip(block.header[1:], cells[1:], strict=False)
            if cell.text.lower() == "required"
        ]
        if query and required:
            facts = base_of(block, document, " ".join((query, *required)))
            gates = (Gate("extension", name=document),)
            record = Limit(
                **facts,
                gates=gates,
                function="clGetDeviceInfo",
                name=query,
                relation="includes",
                values=tuple(required),
            )
            found.append(Draft(f"{query}/limit", record))
    return found


def _compatible_orders(block: Block, document: str) -> list[Draft]:
    found = []
    for mine, others in block.rows:
        for order in _NAME.findall(mine.text):
            for other in _NAME.findall(others.text):
                facts = base_of(block, document, f"{order} {other}")
                record = CompatibleOrder(**facts, function="clCreateImage", order=order, other=other)
                found.append(Draft(f"{order}/{other}/compatible", record, numbered=False))
    return found


_ALLOCATIONS = {
    "host": "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL",
    "device": "CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL",
    "shared": "CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL",
    "shared (cross-device)": "CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL",
    "shared system (cross-device)": "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL",
}
_READERS: tuple[tuple[Callable[[list[str], str], bool], Callable[[Block, str], list[Draft]]], ...] = (
    (lambda header, _: header[:3] == ["num_channels", "channel_order", "channel_data_type"], _formats),
    (lambda header, _: header == ["api", "behavior"], _optional),
    (lambda header, _: header[:1] == ["image type"] and "host_ptr" in header[-1], _host_pointers),
    (lambda header, _: header[:2] == ["allocation type", "access"], _least_capabilities),
    (lambda header, caption: "compatible image channel orders" in caption and len(header) > 1, _compatible_orders),
    (lambda header, _: mappings.is_qualifiers(header), mappings.qualifiers),
    (lambda header, _: mappings.is_transference(header), mappings.transference),
    (lambda header, _: mappings.is_access(header), mappings.access),
    (_is_sharing, _sharing_formats),
)
