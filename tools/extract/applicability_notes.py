"""Reads notes about the versions or extensions that provide a definition."""

from __future__ import annotations

import re

import msgspec

from clconform.spec_tables.requirements import ApplicabilityCondition

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
"""Matches the text in an error condition that exempts newer devices or platforms from it."""
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
    """Return whether a text only mentions the versions or extensions that provide a definition."""
    return bool(_NOTE.search(text)) and not _GLUE.sub("", text).strip()


def conditions_in_note(text: str, subject: str = "platform-version") -> tuple[ApplicabilityCondition, ...]:
    """Return the applicability conditions of a note: its first version, then each extension that it names.

    The condition with the first version also contains the extension that the note names as an alternative to this
    version.
    """
    since = _SINCE.search(text)
    found = [ApplicabilityCondition(subject, since=since[1], instead=alternative_extension(text))] if since else []
    found += [ApplicabilityCondition("extension", name=name) for name in dict.fromkeys(_EXTENSION.findall(text))]
    return tuple(found)


def alternative_extension(text: str) -> str:
    """Return the extension that provides a definition in older versions too; empty if the note mentions none."""
    found = _INSTEAD.search(text)
    return found[1] if found else ""


def with_alternative(
    applicability: tuple[ApplicabilityCondition, ...], text: str
) -> tuple[ApplicabilityCondition, ...]:
    """Return the applicability conditions with the alternative extension that the text names, if it names one.

    Each condition that requires a version then accepts the extension instead.
    """
    instead = alternative_extension(text)
    return tuple(msgspec.structs.replace(gate, instead=instead) if gate.since else gate for gate in applicability)


def deprecating_version(text: str) -> str:
    """Return the version that deprecates a definition; empty if the note mentions none."""
    found = _DEPRECATED.search(text)
    return found[1] if found else ""


def conditions_of_list(introduction: str) -> tuple[ApplicabilityCondition, ...]:
    """Return the applicability conditions that the text above a list states for the list.

    Sentences about CL_SUCCESS are skipped.
    """
    sentences = [sentence for sentence in re.split(r"(?<=\.)\s", introduction) if "CL_SUCCESS" not in sentence]
    return tuple(
        ApplicabilityCondition("extension", name=name)
        for name in dict.fromkeys(_SUPPORTED.findall(" ".join(sentences)))
    )


def conditions_of_error(text: str) -> tuple[ApplicabilityCondition, ...]:
    """Return the applicability conditions that the sentence of an error condition contains.

    ``This error code is missing before ...`` and ``Returning this error code ... is deprecated by ...`` limit the
    versions, and so does an exemption of newer devices or platforms. An error condition that begins with the support of
    an extension exists only with this extension, unless it also covers the case without the extension.
    """
    since = _SINCE.search(text)
    ends = _ENDS.search(text)
    found = []
    if since or ends:
        found.append(
            ApplicabilityCondition("platform-version", since=since[1] if since else "", before=ends[1] if ends else "")
        )
    found += [ApplicabilityCondition(f"{subject}-version", before=version) for subject, version in _UNTIL.findall(text)]
    opening = re.match(r"CL_\w+ if the (cl_\w+) extension is supported\b", text)
    if opening and not _OTHERWISE.search(text):
        found.append(ApplicabilityCondition("extension", name=opening[1]))
    return tuple(found)


def without_notes(text: str) -> str:
    """Return the text of an error condition without the sentences at its end that only mention versions."""
    return _OWN_NOTE.sub("", text)


def conditions_in_comment(provided: tuple[str, ...]) -> tuple[ApplicabilityCondition, ...]:
    """Return the applicability conditions in the comment above a prototype.

    Version 1.0 is not a condition.
    """
    found = []
    for name in provided:
        version = re.fullmatch(r"CL_VERSION_(\d+)_(\d+)", name)
        if not version:
            found.append(ApplicabilityCondition("extension", name=name))
        elif version.groups() != ("1", "0"):
            found.append(ApplicabilityCondition("platform-version", since=f"{version[1]}.{version[2]}"))
    return tuple(found)
