"""Extracts minimum and maximum values from recurring wordings in the descriptions of queries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clconform.spec_tables.requirements import ApplicabilityCondition, Limit
from clconform.tools.extract.drafts import RequirementDraft
from clconform.tools.extract.sentence_text import find_symbols, sentence_digest, single_line, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.tools.extract.document_blocks import DocumentBlock
    from clconform.tools.extract.query_tables import NameRow

_UNITS = {"": (1, ""), "bytes": (1, "bytes"), "KB": (1024, "bytes"), "MB": (1024 * 1024, "bytes")}
_NUMBER = r"\(?(\d+)(?:, \d+)*\)?(?: (bytes|KB|MB))?"
_WHERE = (
    ("not-custom", r"not of type CL_DEVICE_TYPE_CUSTOM"),
    ("images", r"CL_DEVICE_IMAGE_SUPPORT is CL_TRUE"),
    ("read-write-images", r"supports? read-write images"),
    ("pipes", r"support(?:s|ing) pipes"),
    ("on-device-queues", r"support(?:s|ing) on-device queues"),
    ("sub-groups", r"support(?:s|ing) sub-groups"),
    ("program-scope-globals", r"support(?:s|ing) program scope global variables"),
)
_LEAST = re.compile(rf"^The minimum value (?:for the (\w+) profile )?is {_NUMBER}(?: for the (\w+) profile)?\b(.*)$")
_BOTH = re.compile(rf"^The minimum value is {_NUMBER} for the full profile and {_NUMBER} for the embedded profile(.*)$")
_FORMULA = re.compile(r"^The minimum value is (max\(.*\))(?: for devices that are (.*))?\.?$")
_LARGEST = re.compile(
    r"^The minimum value is the size \(in (bits|bytes)\) of the largest OpenCL .*\(long16 in FULL profile"
)
_EXEMPT = re.compile(r"\bcustom device\b.*\bmay not support all of the required minimum device capabilities\b")
"""Matches the sentence that exempts custom devices from all minimum values."""
_OUTSIDE = re.compile(r"\bcustom devices are not OpenCL conformant\b", re.IGNORECASE)
"""Matches another sentence that exempts custom devices; used if no row of the table names minimum values for them."""
_ZERO = re.compile(r"\b(?:the value is 0 otherwise|must be 0 for devices)\b")
_AT_MOST = re.compile(r"\b(?:cannot exceed|must be a value ≤|will be less than or equal to) (CL_\w+)")
_TRUE_IF = re.compile(r"^This must be CL_TRUE if (CL_\w+) is CL_TRUE")
_MANDATED = re.compile(r"\b(?:mandated )?minimum .*capability\b.*\bis(?: either)?:? ?(.*)$")
_FLAGS = re.compile(r"^(?:or )?CL_\w+(?: (?:\||or) CL_\w+)*\.?")
_VERSIONS = re.compile(r"OpenCL (\d\.\d)(?:, (?:OpenCL )?(\d\.\d),? or (?:OpenCL )?(\d\.\d))? device")
_LONG16_BYTES = 128
_INT16_BYTES = 64


def has_custom_device_exemption(blocks: Iterable[DocumentBlock], queries: Iterable[NameRow]) -> bool:
    """Return whether a document exempts custom devices from the minimum capabilities."""
    told = [block.full_text() for block in blocks]
    by_row = any(_circumstance(" ".join(row.description)) == "not-custom" for row in queries)
    return any(map(_EXEMPT.search, told)) or (not by_row and any(map(_OUTSIDE.search, told)))


def extract_limits(
    row: NameRow, document: str, *, embedded: bool, by_profile: bool, custom_exempt: bool = False
) -> list[RequirementDraft]:
    """Return the limits in the description of a query.

    ``embedded``: the row is for the embedded profile. ``by_profile``: another row has separate limits for the embedded
    profile. ``custom_exempt``: the limits of device queries do not apply to custom devices.
    """
    base: dict[str, Any] = {
        "id": "",
        "document": document,
        "section": row.section,
        "function": row.function,
        "name": row.name,
        "custom_exempt": custom_exempt and row.function == "clGetDeviceInfo",
    }
    profile = (_profile_condition("embedded" if embedded else "full"),) if by_profile or embedded else ()
    found: list[RequirementDraft] = []
    for text in (
        sentence
        for paragraph in _join_flag_lists(row.description)
        for sentence in split_sentences_with_lists(paragraph)
    ):
        for facts in _parse_limits(text, row.name):
            applicability = (*row.applicability, *facts.pop("applicability", profile))
            limit = Limit(
                **base, digest=sentence_digest(text), symbols=find_symbols(text), applicability=applicability, **facts
            )
            found.append(RequirementDraft(f"{row.name}/limit", limit))
    return found


def split_sentences_with_lists(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph.

    A list of flags after a colon stays with the sentence before the colon.
    """
    found: list[str] = []
    for sentence in split_sentences(paragraph):
        if found and found[-1].endswith(":") and _FLAGS.match(sentence):
            found[-1] += " " + sentence
        else:
            found.append(sentence)
    return found


def _join_flag_lists(paragraphs: tuple[str, ...]) -> list[str]:
    """Return paragraphs in which a list of flags is appended to the paragraph above it."""
    found: list[str] = []
    for paragraph in paragraphs:
        alone = _FLAGS.fullmatch(paragraph) or re.match(r"or(?: for OpenCL .*:)?$", paragraph)
        if found and alone and _MANDATED.search(found[-1]):
            found[-1] += " " + paragraph
        else:
            found.append(paragraph)
    return found


def _parse_limits(text: str, name: str) -> list[dict[str, Any]]:
    both = _BOTH.match(text)
    if both:
        amounts = (("full", both[1], both[2]), ("embedded", both[3], both[4]))
        return [
            {**_least_value(number, unit, both[5]), "applicability": (_profile_condition(profile),)}
            for profile, number, unit in amounts
        ]
    least = _LEAST.match(text)
    if least:
        facts = _least_value(least[2], least[3], least[5])
        profile = least[1] or least[4]
        return [{**facts, "applicability": (_profile_condition(profile),)} if profile else facts]
    formula = _FORMULA.match(text)
    if formula:
        return [{"relation": "at-least", "formula": _python_formula(formula[1]), "where": _circumstance(text)}]
    largest = _LARGEST.match(text)
    if largest:
        factor = 8 if largest[1] == "bits" else 1
        sizes = (("full", _LONG16_BYTES), ("embedded", _INT16_BYTES))
        facts = {"relation": "at-least", "unit": largest[1], "where": _circumstance(text)}
        return [
            {**facts, "value": size * factor, "applicability": (_profile_condition(profile),)}
            for profile, size in sizes
        ]
    return _parse_other_limits(text, name)


def _parse_other_limits(text: str, name: str) -> list[dict[str, Any]]:
    if re.match(r"The value returned must be a power of (?:2|two)\b", text):
        return [{"relation": "power-of-two"}]
    at_most = _AT_MOST.search(text)
    if at_most and at_most[1] != name:
        return [{"relation": "at-most", "of": at_most[1]}]
    true_if = _TRUE_IF.match(text)
    if true_if:
        return [{"relation": "true-if", "of": true_if[1]}]
    mandated = _MANDATED.search(text)
    return _parse_included_flags(text, mandated[1]) if mandated else []


def _parse_included_flags(text: str, flags: str) -> list[dict[str, Any]]:
    """Return the flags that a value must include: one set, one of several sets, or a set for each version."""
    if not flags.startswith("CL_"):
        return []
    where = _circumstance(text)
    if "On-device queues" in text or "on-device queues are supported" in text:
        where = "on-device-queues"
    precision = re.search(r"If (double|half)[- ]precision is supported", text)
    where = precision[1] if precision else where
    sets = [
        " | ".join(re.findall(r"CL_(?!DEVICE_TYPE_)\w+", part)) for part in re.split(r"\bor\b(?: for [^:]*:)?", flags)
    ]
    sets = [part for part in sets if part]
    if "or for OpenCL" in flags:
        bounds = (
            ApplicabilityCondition("device-version", since="2.0"),
            ApplicabilityCondition("device-version", before="2.0"),
        )
        return [
            {"relation": "includes", "values": tuple(part.split(" | ")), "where": where, "applicability": (gate,)}
            for part, gate in zip(sets, bounds, strict=False)
        ]
    versions = _VERSIONS.search(text)
    extra = {}
    if versions:
        last = versions[3] or versions[1]
        major, minor = last.split(".")
        following = "3.0" if (major, minor) == ("2", "2") else f"{major}.{int(minor) + 1}"
        extra = {"applicability": (ApplicabilityCondition("device-version", since=versions[1], before=following),)}
    if len(sets) > 1:
        return [{"relation": "includes-one-of", "values": tuple(sets), "where": where, **extra}]
    return [{"relation": "includes", "values": tuple(sets[0].split(" | ")), "where": where, **extra}]


def _least_value(number: str, unit: str | None, rest: str) -> dict[str, Any]:
    factor, name = _UNITS[unit or ""]
    return {
        "relation": "at-least",
        "value": int(number) * factor,
        "unit": name,
        "where": _circumstance(rest),
        "otherwise": 0 if _ZERO.search(rest) else -1,
    }


def _circumstance(text: str) -> str:
    return next((name for name, pattern in _WHERE if re.search(pattern, text)), "")


def _profile_condition(name: str) -> ApplicabilityCondition:
    return ApplicabilityCondition("profile", name=f"{name.upper()}_PROFILE")


def _python_formula(text: str) -> str:
    """Return a formula in the syntax of Python."""
    return single_line(re.sub(r"1/(\d+)th of (CL_\w+)", r"\2 // \1", text).replace("\N{MULTIPLICATION SIGN}", "*"))
