"""Reads the tables that do not list queries, schemes or properties: flags, formats, commands, optional features."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import (
    ApplicabilityCondition,
    CommandType,
    CompatibleOrder,
    Flag,
    Function,
    HostPointerSize,
    Limit,
    OptionalBehaviour,
    RequiredImageFormat,
    SharingFormat,
)
from clconform.tools.extract import mappings
from clconform.tools.extract.applicability_notes import conditions_in_note, with_alternative
from clconform.tools.extract.document_blocks import expand_spans
from clconform.tools.extract.drafts import RequirementDraft
from clconform.tools.extract.mappings import common_fields, without_table_number
from clconform.tools.extract.query_tables import names_with_conditions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.tools.extract.document_blocks import DocumentBlock, TableCell

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


def extract_facts(block: DocumentBlock, document: str, functions: dict[str, Function]) -> list[RequirementDraft]:
    """Return the requirements of one table; none if the kind of table is unknown. Rows that lack a cell are omitted."""
    block = dataclasses.replace(block, rows=[row for row in expand_spans(block.rows) if len(row) >= len(block.header)])
    header = [title.lower().strip(": ") for title in block.header]
    if header == ["events created by", "event command type"]:
        return _read_command_types(block, document, functions)
    typed = bool(header and re.fullmatch(r"cl_\w+", block.header[0]))
    if typed or (header and header[0] in _FLAG_TABLES and header[-1] == "description"):
        return _read_flags(block, document, _FLAG_TABLES.get(header[0], header[0]))
    reader = next((reader for applies, reader in _READERS if applies(header, block.text.lower())), None)
    return reader(block, document) if reader else []


def ragged_rows(block: DocumentBlock) -> list[str]:
    """Return the rows of a table that have fewer cells than the table has headings."""
    return [" ".join(cell.text for cell in row) for row in expand_spans(block.rows) if len(row) < len(block.header)]


def _is_sharing_table(header: list[str], caption: str) -> bool:
    """Return whether a table lists formats of another API: two columns, and a caption that names both APIs."""
    return len(header) == len(("external", "formats")) and "opencl" in caption and "formats" in caption


def _read_formats(block: DocumentBlock, document: str) -> list[RequirementDraft]:
    access = "read-and-write" if "reading and writing" in block.text else "read-or-write"
    profile: tuple[ApplicabilityCondition, ...] = (
        (ApplicabilityCondition("profile", name="EMBEDDED_PROFILE"),) if "embedded" in block.text else ()
    )
    versions = re.findall(r"\d\.\d", block.text.partition("(")[2])
    applicability = (
        (*profile, ApplicabilityCondition("device-version", since=versions[0], before="3.0")) if versions else profile
    )
    found = []
    for cells in block.rows:
        order = _NAME.search(cells[1].text)
        for data_type in _NAME.findall(cells[2].text):
            if order is None:
                continue
            family = (
                f"{order[0]}/{data_type}/{access}" + ("/embedded" if profile else "") + ("/2.x" if versions else "")
            )
            text = f"{order[0]} {data_type} {without_table_number(block.text)}"
            own = (*with_alternative(applicability, cells[1].text), *conditions_in_note(cells[1].text))
            facts = {
                **common_fields(block, document, text),
                "applicability": own,
                "function": "clGetSupportedImageFormats",
            }
            channels = int(cells[0].text) if cells[0].text.isdigit() else 0
            requirement = RequiredImageFormat(
                **facts, order=order[0], data_type=data_type, channels=channels, access=access
            )
            found.append(RequirementDraft(family, requirement, numbered=False))
    return found


def _read_command_types(block: DocumentBlock, document: str, functions: dict[str, Function]) -> list[RequirementDraft]:
    found = []
    for functions_cell, type_cell in block.rows:
        for function in _FUNCTION.findall(functions_cell.text):
            for name, (applicability, _) in names_with_conditions(type_cell, "platform-version").items():
                if function not in functions:
                    continue
                facts = {
                    **common_fields(block, document, f"{function} {type_cell.text}"),
                    "applicability": applicability,
                }
                found.append(
                    RequirementDraft(
                        f"{name}@{function}", CommandType(**facts, function=function, name=name), numbered=False
                    )
                )
    return found


def _read_optional_behaviour(block: DocumentBlock, document: str) -> list[RequirementDraft]:
    feature = re.sub(r"\W+", "-", block.section.title.lower()).strip("-")
    found = []
    for api, behaviour in block.rows:
        subjects = _NAME.findall(api.text.partition("passing")[2]) if "passing" in api.text else []
        functions = _FUNCTION.findall(api.text.partition(", passing")[0])
        for function in functions:
            each = subjects if function.endswith("Info") else subjects[:1]
            for subject in each or [""]:
                facts = common_fields(block, document, f"{api.text} {behaviour.text}")
                requirement = OptionalBehaviour(
                    **facts,
                    applicability=(ApplicabilityCondition("device-version", since="3.0"),),
                    function=function,
                    feature=feature,
                    subject=subject or function,
                    allowed_results=_possible_results(behaviour),
                )
                about = subject if function.endswith("Info") else ""
                found.append(RequirementDraft(f"{feature}:{about or function}", requirement))
    return found


def _possible_results(behaviour: TableCell) -> tuple[str, ...]:
    """Return the possible results of a query if the first sentence of the description lists them; else empty."""
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


def _read_sharing_formats(block: DocumentBlock, document: str) -> list[RequirementDraft]:
    found = []
    for external, formats in block.rows:
        name = external.text
        pairs = dict.fromkeys(re.findall(r"(CL_\w+), (CL_\w+)", formats.text))
        for order, data_type in pairs:
            facts = common_fields(block, document, f"{name} {order} {data_type}")
            requirement = SharingFormat(**facts, external=name, order=order, data_type=data_type)
            family = re.sub(r"\W+", "_", name).strip("_")
            found.append(RequirementDraft(f"{family}/{order}/{data_type}", requirement, numbered=False))
    return found


def _read_host_pointers(block: DocumentBlock, document: str) -> list[RequirementDraft]:
    found = []
    for cell, size in block.rows:
        for name, (applicability, _) in names_with_conditions(cell, "platform-version").items():
            factors = tuple(re.findall(r"image_\w+", size.text))
            facts = {
                **common_fields(block, document, f"{name} {size.text}"),
                "applicability": applicability,
                "function": "clCreateImage",
            }
            found.append(
                RequirementDraft(
                    f"{name}/host_ptr", HostPointerSize(**facts, name=name, factors=factors), numbered=False
                )
            )
    return found


def _read_flags(block: DocumentBlock, document: str, kind: str) -> list[RequirementDraft]:
    excluded = find_exclusions(cells[-1].text for cells in block.rows)
    named = _FUNCTION.findall(block.text)
    found = []
    for cells in block.rows:
        names = names_with_conditions(cells[0], "platform-version") or dict.fromkeys(
            _NAME.findall(cells[0].text), ((), "")
        )
        said = any(
            applicability for applicability, _ in names.values()
        )  # a note that mentions one of several names applies only to that name
        for name, (applicability, _) in names.items():
            more = applicability or (() if said else conditions_in_note(cells[0].text))
            facts = {**common_fields(block, document, f"{name} {cells[-1].text}"), "applicability": more}
            excludes = tuple(sorted(excluded.get(name, ())))
            requirement = Flag(**facts, function=named[0] if named else "", name=name, type=kind, excludes=excludes)
            found.append(RequirementDraft(f"{kind}:{name}", requirement, numbered=False))
    return found


def find_exclusions(texts: Iterable[str]) -> dict[str, set[str]]:
    """Map names to the names that exclude them.

    All names of a sentence exclude each other. If *and* joins two groups of names, the names of one group exclude those
    of the other.
    """
    excluded: dict[str, set[str]] = {}
    for text in texts:
        for match in _EXCLUSIVE.finditer(text):
            for left, right in _excluded_pairs(match[1]):
                excluded.setdefault(left, set()).add(right)
                excluded.setdefault(right, set()).add(left)
    return excluded


def _excluded_pairs(text: str) -> list[tuple[str, str]]:
    groups = [_NAME.findall(part) for part in re.split(r"\band\b", text)]
    if " or " in text and len(groups) > 1:
        return [(left, right) for left in groups[0] for right in groups[-1]]
    names = [name for group in groups for name in group]
    return [(left, right) for index, left in enumerate(names) for right in names[index + 1 :]]


def _read_least_capabilities(block: DocumentBlock, document: str) -> list[RequirementDraft]:
    """Read the capabilities that every device needs for each type of allocation: cells that contain *required*."""
    found = []
    for cells in block.rows:
        query = _ALLOCATIONS.get(cells[0].text.lower())
        required = [
            f"CL_UNIFIED_SHARED_MEMORY_{title.upper().replace(' ', '_')}_INTEL"
            for title, cell in zip(block.header[1:], cells[1:], strict=False)
            if cell.text.lower() == "required"
        ]
        if query and required:
            facts = common_fields(block, document, " ".join((query, *required)))
            applicability = (ApplicabilityCondition("extension", name=document),)
            requirement = Limit(
                **facts,
                applicability=applicability,
                function="clGetDeviceInfo",
                name=query,
                relation="includes",
                values=tuple(required),
            )
            found.append(RequirementDraft(f"{query}/limit", requirement))
    return found


def _read_compatible_orders(block: DocumentBlock, document: str) -> list[RequirementDraft]:
    found = []
    for mine, others in block.rows:
        for order in _NAME.findall(mine.text):
            for other in _NAME.findall(others.text):
                facts = common_fields(block, document, f"{order} {other}")
                requirement = CompatibleOrder(**facts, function="clCreateImage", order=order, other=other)
                found.append(RequirementDraft(f"{order}/{other}/compatible", requirement, numbered=False))
    return found


_ALLOCATIONS = {
    "host": "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL",
    "device": "CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL",
    "shared": "CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL",
    "shared (cross-device)": "CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL",
    "shared system (cross-device)": "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL",
}
_READERS: tuple[
    tuple[Callable[[list[str], str], bool], Callable[[DocumentBlock, str], list[RequirementDraft]]], ...
] = (
    (lambda header, _: header[:3] == ["num_channels", "channel_order", "channel_data_type"], _read_formats),
    (lambda header, _: header == ["api", "behavior"], _read_optional_behaviour),
    (lambda header, _: header[:1] == ["image type"] and "host_ptr" in header[-1], _read_host_pointers),
    (lambda header, _: header[:2] == ["allocation type", "access"], _read_least_capabilities),
    (lambda header, caption: "compatible image channel orders" in caption and len(header) > 1, _read_compatible_orders),
    (lambda header, _: mappings.is_qualifier_table(header), mappings.read_qualifiers),
    (lambda header, _: mappings.is_transference_table(header), mappings.read_transference),
    (lambda header, _: mappings.is_access_table(header), mappings.read_access),
    (_is_sharing_table, _read_sharing_formats),
)
