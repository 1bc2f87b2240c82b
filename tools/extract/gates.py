"""Reads the notes that say from which version on, until which, or with which extension something exists."""

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
"""What may stand between two words of a sentence."""
_ENDS = re.compile(rf"\b(?:error code|error)\b{_WITHIN}\bdeprecated by version (\d+\.\d+)")
_UNTIL = re.compile(
    r"This error (?:condition|code)? ?does not apply (?:when|if) the (device|platform)(?: associated with \w+)? "
    r"(?:supports|is) OpenCL (\d+\.\d+) or newer(?=\.?(?:\s+[A-Z]|\s*$))"
)
"""A clause that a newer device or platform is exempt from."""
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
    """Whether a text says nothing but from when, until when or with what something exists."""
    return bool(_NOTE.search(text)) and not _GLUE.sub("", text).strip()


def gates_in(text: str, subject: str = "platform-version") -> tuple[Gate, ...]:
    """Return the gates that a note states: a version to begin with (or what will do instead), extensions."""
    since = _SINCE.search(text)
    found = [Gate(subject, since=since[1], instead=instead_in(text))] if since else []
    found += [Gate("extension", name=name) for name in dict.fromkeys(_EXTENSION.findall(text))]
    return tuple(found)


def instead_in(text: str) -> str:
    """Return the extension with which something exists all the same, or empty."""
    found = _INSTEAD.search(text)
    return found[1] if found else ""


def with_instead(gates: tuple[Gate, ...], text: str) -> tuple[Gate, ...]:
    """Return gates on a version with the extension that a note below them offers in its place."""
    instead = instead_in(text)
    return tuple(msgspec.structs.replace(gate, instead=instead) if gate.since else gate for gate in gates)


def deprecated_in(text: str) -> str:
    """Return the version that deprecates something, or empty."""
    found = _DEPRECATED.search(text)
    return found[1] if found else ""


def gates_of_list(introduction: str) -> tuple[Gate, ...]:
    """Return the gates of a whole list, from the paragraph above it; conditions of a success do not gate errors."""
    sentences = [sentence for sentence in re.split(r"(?<=\.)\s", introduction) if "CL_SUCCESS" not in sentence]
    return tuple(Gate("extension", name=name) for name in dict.fromkeys(_SUPPORTED.findall(" ".join(sentences))))


def gates_of_clause(text: str) -> tuple[Gate, ...]:
    """Return the gates that a clause states about itself.

    ``This error code is missing before ...`` and ``Returning this error code ... is deprecated by ...`` bound the
    versions, and so does that a clause does not apply to a newer device or platform; a clause that opens with an
    extension's support exists with that extension only, unless it goes on to say what holds without it.
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
    """Return a clause without the sentences at its end that only say for which versions it holds."""
    return _OWN_NOTE.sub("", text)


def gates_provided(provided: tuple[str, ...]) -> tuple[Gate, ...]:
    """Return the gates in the comment above a prototype; version 1.0 is where everything starts."""
    found = []
    for name in provided:
        version = re.fullmatch(r"CL_VERSION_(\d+)_(\d+)", name)
        if not version:
            found.append(Gate("extension", name=name))
        elif version.groups() != ("1", "0"):
            found.append(Gate("platform-version", since=f"{version[1]}.{version[2]}"))
    return tuple(found)
