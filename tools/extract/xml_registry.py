"""Reads the registry (cl.xml): types, values of enumerants, and prototypes for comparison."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from lxml import etree

from clconform.spec_tables.requirements import ApplicabilityCondition, Enumerant, Extension, Function, Section, Type
from clconform.tools.extract.prototypes import CPrototype, function_from_prototype, parse_parameter, single_spaced
from clconform.tools.extract.safe_reading import ExtractError, escape_path, excerpt, naming_document, read_document

if TYPE_CHECKING:
    from pathlib import Path

KEY = "registry"
_MACHINE_TYPES = {
    "int8_t": "int8",
    "int16_t": "int16",
    "int32_t": "int32",
    "int64_t": "int64",
    "uint8_t": "uint8",
    "uint16_t": "uint16",
    "uint32_t": "uint32",
    "uint64_t": "uint64",
    "size_t": "size_t",
    "intptr_t": "intptr_t",
    "char": "char",
    "unsigned char": "uint8",
    "int": "int32",
    "unsigned int": "uint32",
    "float": "float",
    "double": "double",
}
_OTHER_EXTENSIONS = (
    "cl_ext_device_fission",
    "cl_intel_unified_shared_memory",
    "cl_amd_bus_addressable_memory",
    "cl_intel_device_partition_by_names",
)
_INTEGER = re.compile(r"([-+]?(?:0[xX][0-9a-fA-F]{1,16}|0|[1-9][0-9]{0,19}))(?: ?(-|<<) ?([0-9]{1,2}))?")
_BITS = 64
_NON_INTEGER = re.compile(
    r"1e\d+|[-+.\dA-Fa-fxpP]*[.][-+.\dA-Fa-fxpP]*F?|.*\b(?:NAN|HUGE_VALF?|huge_valf?|INFINITY|nanf?)\b.*|"
)


@dataclasses.dataclass(slots=True)
class XmlRegistry:
    """The contents of the registry, restricted to the core and the relevant extensions.

    ``names``: all names, without the restriction. ``provided``: maps each Khronos extension and the latest version to
    the names that they add. ``newest``: the latest version. ``digest``: the digest of the file.
    """

    types: dict[str, Type]
    enumerants: dict[str, Enumerant]
    functions: dict[str, Function]
    codes: frozenset[str]
    extensions: frozenset[str] = frozenset()
    revisions: dict[str, Extension] = dataclasses.field(default_factory=dict)
    unread: list[str] = dataclasses.field(default_factory=list)
    names: frozenset[str] = frozenset()
    provided: dict[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    newest: str = ""
    digest: str = ""


def read_registry(path: Path) -> XmlRegistry:
    """Read the registry in a cl.xml file."""
    content = read_document(path)
    with naming_document(path):
        registry = _build_registry(path, _parse_xml(path, content.text))
    return dataclasses.replace(registry, digest=content.digest)


def _parse_xml(path: Path, text: str) -> etree._Element:
    """Return the root element.

    Entities and other files are not read, because a registry needs no document type.
    """
    if "<!DOCTYPE" in text:
        raise ExtractError(
            f"{escape_path(path)}: declares a document type, which no registry does; fetch it from "
            f"KhronosGroup/OpenCL-Docs"
        )
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as problem:
        raise ExtractError(
            f"{escape_path(path)}: is cut off, or not XML ({excerpt(str(problem), 100)}); fetch it again"
        ) from None
    commands = [str(name.text) for name in root.iterfind("commands/command/proto/name")]
    if root.tag != "registry" or not any(name.startswith("cl") for name in commands):
        what = f"its root is {excerpt(str(root.tag))!r}" if root.tag != "registry" else "it has no functions of OpenCL"
        raise ExtractError(
            f"{escape_path(path)}: not an OpenCL registry ({what}); it is in KhronosGroup/OpenCL-Docs, move"
            f" other files away"
        )
    named = [*commands, *(str(entry.get("name")) for entry in root.iter("enum"))]
    odd = next((name for name in named if not re.fullmatch(r"\w+", name, re.ASCII)), None)
    if odd is not None:
        raise ExtractError(f"{escape_path(path)}: has a name that C cannot have, {excerpt(odd)!r}; fetch it again")
    return root


def _build_registry(path: Path, root: etree._Element) -> XmlRegistry:
    values = _enum_values(root)
    enumerants, functions = _required_definitions(root, values)
    codes = frozenset(name for name, (_, block) in values.items() if block.startswith("ErrorCodes")) - {"CL_SUCCESS"}
    types = _types(root)
    unread = [
        f"{path.name}: {name} has a value that is not an integer"
        for name in _unreadable_values(root, _required_names(root))
    ]
    extensions = frozenset(str(part.get("name")) for part in root.iter("extension"))
    newest = max((str(part.get("number")) for part in root.iter("feature")), key=_as_numbers, default="")
    return XmlRegistry(
        types,
        enumerants,
        functions,
        codes,
        extensions,
        _revisions(root),
        unread,
        frozenset(str(entry.get("name")) for entry in root.iter("enum")).union(
            str(name.text) for name in root.iter("name")
        ),
        _provided_names(root, newest),
        newest,
    )


def _as_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"[0-9]{1,9}", version)]


def _provided_names(root: etree._Element, newest: str) -> dict[str, frozenset[str]]:
    """Map each Khronos extension and the latest version to the names that they require."""
    parts = [
        *(part for part in root.iter("feature") if part.get("number") == newest),
        *(part for part in root.iter("extension") if str(part.get("name")).startswith("cl_khr_")),
    ]
    return {
        str(part.get("name")): frozenset(str(entry.get("name")) for entry in part.iter("enum", "command"))
        for part in parts
    }


def _enum_entries(root: etree._Element) -> list[tuple[str, etree._Element]]:
    return [
        (str(block.get("name") or "").strip(), entry) for block in root.iter("enums") for entry in block.iter("enum")
    ]


def _enum_values(root: etree._Element) -> dict[str, tuple[int, str]]:
    """Map every integer enumerant to its value and its block.

    An alias gets the value of its original.
    """
    values: dict[str, tuple[int, str]] = {}
    aliases: list[tuple[str, str, str]] = []
    for block, entry in _enum_entries(root):
        name = str(entry.get("name"))
        text = _strip_value(str(entry.get("value") or ""))
        if entry.get("bitpos"):
            position = str(entry.get("bitpos"))
            if re.fullmatch("[0-9]{1,2}", position) and int(position) < _BITS:
                values[name] = (1 << int(position), block)
        elif entry.get("alias"):
            aliases.append((name, str(entry.get("alias")), block))
        elif number := _INTEGER.fullmatch(text):
            value = _compute_value(int(number[1], 0), number[2] or "", int(number[3] or "0"))
            if -(1 << (_BITS - 1)) <= value < 1 << _BITS:
                values[name] = (value, block)
        elif text.startswith("CL_"):
            aliases.append((name, text, block))
    for name, original, block in aliases:
        if original in values:
            values[name] = (values[original][0], block)
    return values


def _compute_value(left: int, operator: str, right: int) -> int:
    return left << right if operator == "<<" else left - right


def _strip_value(value: str) -> str:
    """Return a value without casts, parentheses and suffixes: ``((cl_properties) 0 - 1)`` becomes ``0 - 1``."""
    text = re.sub(r"\(\s*cl_\w+\s*\)", " ", value).strip("() ")
    return single_spaced(re.sub(r"(?<=[0-9a-fA-F])[uUlL]+\b", "", text))


def _unreadable_values(root: etree._Element, wanted: set[str]) -> list[str]:
    """Return the names whose value is not an integer, except for known ones such as floating-point limits."""
    known = _enum_values(root)
    return [
        str(entry.get("name"))
        for _, entry in _enum_entries(root)
        if entry.get("name") in wanted - known.keys()
        and not _is_float(_strip_value(str(entry.get("value") or entry.get("bitpos") or "")), known)
    ]


def _is_float(text: str, known: dict[str, tuple[int, str]]) -> bool:
    return bool(_NON_INTEGER.fullmatch(text)) or (text.startswith("CL_") and text not in known)


def _required_names(root: etree._Element) -> set[str]:
    parts = [part for part in [*root.iter("feature"), *root.iter("extension")] if _is_relevant_part(part)]
    return {str(entry.get("name")) for part in parts for entry in part.iter("enum")}


def _is_relevant_part(part: etree._Element) -> bool:
    return part.get("number") is not None or _is_relevant_extension(str(part.get("name")))


def _is_relevant_extension(name: str) -> bool:
    return name.startswith("cl_khr_") or name in _OTHER_EXTENSIONS


def _revisions(root: etree._Element) -> dict[str, Extension]:
    """Map the relevant extensions that have a revision to the revision and the extensions that they always need."""
    found = {}
    for part in root.iter("extension"):
        name, revision = str(part.get("name")), str(part.get("revision") or "")
        if _is_relevant_part(part) and revision:
            depends = str(part.get("depends") or "")
            needs = () if "," in depends else tuple(each for each in depends.split("+") if each.startswith("cl_"))
            found[name] = Extension(name, revision, needs)
    return found


def _required_definitions(
    root: etree._Element, values: dict[str, tuple[int, str]]
) -> tuple[dict[str, Enumerant], dict[str, Function]]:
    enumerants: dict[str, Enumerant] = {}
    functions: dict[str, Function] = {}
    commands = {str(command.findtext("proto/name")): command for command in root.iter("command") if len(command)}
    for part in [*root.iter("feature"), *root.iter("extension")]:
        version = part.get("number")
        name = str(part.get("name"))
        if not _is_relevant_part(part):
            continue
        for require in part.iter("require"):
            applicability = (*_required_versions(require), *_applicability_of(version, name))
            comment = str(require.get("comment") or "")
            for entry in require.iter("enum"):
                _add_enumerant(str(entry.get("name")), comment, applicability, values, enumerants)
            for entry in require.iter("command"):
                command = commands.get(str(entry.get("name")))
                if command is not None and entry.get("name") not in functions:
                    functions[str(entry.get("name"))] = _function(command, applicability)
    return enumerants, functions


def _required_versions(require: etree._Element) -> tuple[ApplicabilityCondition, ...]:
    """Return the versions that a part of an extension needs beyond the extension itself; none for alternatives."""
    depends = str(require.get("depends") or "")
    if "," in depends:
        return ()
    versions = (re.fullmatch(r"CL_VERSION_(\d+)_(\d+)", each) for each in depends.split("+"))
    return tuple(
        ApplicabilityCondition("platform-version", since=f"{found[1]}.{found[2]}") for found in versions if found
    )


def _applicability_of(version: str | None, name: str) -> tuple[ApplicabilityCondition, ...]:
    if version == "1.0":
        return ()
    return (
        (ApplicabilityCondition("platform-version", since=version),)
        if version
        else (ApplicabilityCondition("extension", name=name),)
    )


def _add_enumerant(
    name: str,
    comment: str,
    applicability: tuple[ApplicabilityCondition, ...],
    values: dict[str, tuple[int, str]],
    enumerants: dict[str, Enumerant],
) -> None:
    if name not in values:
        return
    value, block = values[name]
    known = enumerants.get(name)
    if known is not None:
        applicability = () if not known.applicability or not applicability else known.applicability
        enumerants[name] = Enumerant(name, value, known.group, (KEY,), applicability)
        return
    enumerants[name] = Enumerant(name, value, _enumerant_group(comment, block), (KEY,), applicability)


def _enumerant_group(comment: str, block: str) -> str:
    """Return the type of an enumerant: the type in the comment above its list, or else the block that contains it."""
    if block.startswith("ErrorCodes"):
        return "ErrorCodes"
    named = re.match(r"(cl_\w+)", comment)
    return named[1] if named else block


def _element_text(element: etree._Element | None) -> str:
    return "" if element is None else "".join(str(text) for text in element.itertext())


def _function(command: etree._Element, applicability: tuple[ApplicabilityCondition, ...]) -> Function:
    name = str(command.findtext("proto/name"))
    returns = single_spaced(_element_text(command.find("proto")).rsplit(name, 1)[0]).replace(" *", "*")
    parameters = tuple(
        parse_parameter(_element_text(parameter))
        for parameter in command.iter("param")
        if single_spaced(_element_text(parameter)) != "void"
    )
    function = function_from_prototype(CPrototype(name, returns, parameters), KEY, Section("", "registry"))
    return Function(
        name=function.name,
        returns=function.returns,
        parameters=function.parameters,
        document=KEY,
        section=function.section,
        applicability=applicability,
        error_by=function.error_by,
        creates=function.creates,
        queries=function.queries,
    )


def _types(root: etree._Element) -> dict[str, Type]:
    definitions: dict[str, str] = {}
    types: dict[str, Type] = {name: Type(name, "scalar", base) for name, base in _MACHINE_TYPES.items()}
    for entry in root.iterfind("types/type"):
        category = entry.get("category")
        name = entry.get("name") or entry.findtext("name")
        text = single_spaced(_element_text(entry))
        if category == "define" and text.startswith("typedef") and name:
            definitions[name] = re.sub(r"__attribute__.*", "", text)
        elif category == "struct" and name:
            types[name] = Type(name, "struct", fields=_struct_fields(entry))
        elif category == "include" and entry.get("requires") and name:
            types[name] = Type(name, "opaque")
    for name in definitions:
        types.setdefault(name, _parse_typedef(name, definitions))
    return types


def _parse_typedef(name: str, definitions: dict[str, str]) -> Type:
    text = definitions[name]
    if "(" in text:
        return Type(name, "opaque")
    original = single_spaced(text.removeprefix("typedef").rsplit(name, 1)[0])
    if original.startswith("struct"):
        return Type(name, "handle" if original.endswith("*") else "opaque")
    if original.endswith("*"):
        return Type(name, "handle")
    chain = [name]
    while original in definitions and "*" not in definitions[original] and original not in chain:
        chain.append(original)
        original = single_spaced(definitions[original].removeprefix("typedef").rsplit(original, 1)[0])
    kind = "bitfield" if "cl_bitfield" in chain else "scalar"
    return Type(name, kind if original in _MACHINE_TYPES else "opaque", _MACHINE_TYPES.get(original, ""))


def _struct_fields(entry: etree._Element) -> tuple[tuple[str, str], ...]:
    """Return the members of a structure in order.

    A union counts as one member, under the last name in it.
    """
    fields = []
    for member in entry.iter("member"):
        text = single_spaced(_element_text(member))
        union = re.match(r"union ?\{(.*)\}", text)
        if union:
            text = [part for part in union[1].split(";") if part.strip()][-1]
        match = re.fullmatch(r"(.*?[\s*])(\w+) ?(\[\w+\])?;?", single_spaced(text))
        if match:
            spelling = single_spaced(re.sub(r"\s*\*", "*", match[1]))
            fields.append((match[2], spelling + (match[3] or "")))
    return tuple(fields)
