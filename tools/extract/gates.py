"""Reads notes about the versions or extensions with which something exists."""

from __future__ import annotations

import re

import msgspec

from clconform.spec_tables.records import Gate

_SINCE = re.compile(r"\bmissing before version (\d+\.\d+)")
_DEPRECATED = re.compile(r"\bdeprecated by version (\d+\.\d+)")
_EXTENSION = re.compile(r"\b(?:provided by|added by|requires) the (cl_\w+) extension")
_SUPPORTED = re.compile(r"\bif the (cl_\w+) extension is supported\b", re.IGNORECASE)
_INSTEAD = re.compile(r"\b[Aa]lso supported if the (cl_\w+) extension is supported\b")
_OTHERWISE = re.compile(r"\b(?:not supported|otherwise)\b", re.IGNORECASE)
_WITHIN = r"(?:[^.]|\.(?=\d))*"
"""Matches the text between two words of a sentence."""
_ENDS = re.compile(rf"\b(?:error code|error)\b{_WITHIN}\bdeprecated by version (\d+\.\d+)")
_UNTIL = re.compile(
    r"This error (?:condition|code)? ?does not apply (?:when|if) the (device|platform)(?: associated with \w+)? "
    r"(?:supports|is) OpenCL (\d+\.\d+) or newer(?=\.?(?:\s+[A-Z]|\s*$))"
)
"""Matches an exemption of newer devices or platforms from an error condition."""
_OWN_NOTE = re.compile(
    rf"(?: ?(?:(?:This|Returning this) error(?: code)?\b{_WITHIN}\b(?:missing before|deprecated by) version \d+\.\d+|"
    rf"{_UNTIL.pattern})\.?)+$"
)
_NOTE = re.compile(r"\b(?:missing before|deprecated by|provided by)\b")
_GLUE = re.compile(
    r"\b(?:missing before|deprecated by|provided by|version|extension|the|this|error|code|enum|query|function|property|"
    r"is|are|and|or|also|it|has been|with|if|supported)\b|\bcl[A-Z_]\w*|\bCL_\w+|\d+\.\d+|[.,]",
    re.IGNORECASE,
)


def is_note(text: str) -> bool:
    """Return whether a text only states the versions or extensions with which something exists."""
    return bool(_NOTE.search(text)) and not _GLUE.sub("", text).strip()


def gates_in(text: str, subject: str = "platform-version") -> tuple[Gate, ...]:
    """Return the applicability conditions of a note: a first version (or an alternative extension), extensions."""
    since = _SINCE.search(text)
    found = [Gate(subject, since=since[1], instead=instead_in(text))] if since else []
    found += [Gate("extension", name=name) for name in dict.fromkeys(_EXTENSION.findall(text))]
    return tuple(found)


def instead_in(text: str) -> str:
    """Return the extension with which something exists in older versions too, or an empty string."""
    found = _INSTEAD.search(text)
    return found[1] if found else ""


def with_instead(gates: tuple[Gate, ...], text: str) -> tuple[Gate, ...]:
    """Return version conditions with the alternative extension that a note below them names."""
    instead = instead_in(text)
    return tuple(msgspec.structs.replace(gate, instead=instead) if gate.since else gate for gate in gates)


def deprecated_in(text: str) -> str:
    """Return the version that deprecates something, or an empty string."""
    found = _DEPRECATED.search(text)
    return found[1] if found else ""


def gates_of_list(introduction: str) -> tuple[Gate, ...]:
    """Return the applicability conditions of a list from the paragraph above it; those of a success do not count."""
    sentences = [sentence for sentence in re.split(r"(?<=\.)\s", introduction) if "CL_SUCCESS" not in sentence]
    return tuple(Gate("extension", name=name) for name in dict.fromkeys(_SUPPORTED.findall(" ".join(sentences))))


def gates_of_clause(text: str) -> tuple[Gate, ...]:
    """Return the applicability conditions that an error condition states about itself.

    ``This error code is missing before ...`` and ``Returning this error code ... is deprecated by ...`` bound the
    versions, as does an exemption of newer devices or platforms. An error condition that starts with an extension's
    support exists only with that extension, unless it also covers the case without it.
    """
    since = _SINCE.search(text)
    ends = _ENDS.search(text)
    found = []
    if since or ends:
        found.append(Gate("platform-version", since=since[1] if since else "", before=ends[1] if ends else ""))
    found += [Gate(f"{subject}-version", before=version) for subject, version in _UNTIL.findall(text)]
    opening = re.match(r"CL_\w+ if the (cl_\w+) extension is supported\b", text)
    if opening and not _OTHERWISE.search(text):
        found.append(Gate("extension", name=opening[1]))
    return tuple(found)


def without_gates(text: str) -> str:
    """Return an error condition without the sentences at its end that only state its versions."""
    return _OWN_NOTE.sub("", text)


def gates_provided(provided: tuple[str, ...]) -> tuple[Gate, ...]:
    """Return the applicability conditions in the comment above a prototype; version 1.0 is no condition."""
    found = []
    for name in provided:
        version = re.fullmatch(r"CL_VERSION_(\d+)_(\d+)", name)
        if not version:
            found.append(Gate("extension", name=name))
        elif version.groups() != ("1", "0"):
            found.append(Gate("platform-version", since=f"{version[1]}.{version[2]}"))
    return tuple(found)
