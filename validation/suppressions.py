"""Reads and writes entries that suppress findings, and applies them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from clconform.reports.id_patterns import matches_pattern
from clconform.reports.toml_upgrade import RENAMED_KEYS
from clconform.reports.untrusted_files import GivenFileError, convert_values, parse_toml, read_text
from clconform.validation.findings import KINDS, PARTIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from clconform.validation.findings import ValidationFinding


REASON_PLACEHOLDER = "why this finding is accepted"


class FindingSuppression(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Suppresses the findings that match all its patterns; ``reason``: why, for people."""

    reason: str
    rule: str = "*"
    kind: str = "*"
    requirement: str = "*"
    function: str = "*"
    party: str = "*"
    site: str = "*"


class _SuppressionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    suppress: list[FindingSuppression] = []


def read_suppressions(path: Path) -> list[FindingSuppression]:
    """Return the entries of a file; GivenFileError if it cannot be read, has an old key, or names an unknown party."""
    given = parse_toml(read_text(path))
    entries = given.get("suppress")
    for entry in entries if isinstance(entries, list) else []:
        for key in RENAMED_KEYS.keys() & entry.keys() if isinstance(entry, dict) else ():
            raise GivenFileError(f"the key {key} is format 2; convert it with `clconform dev migrate {path}`")
    found = convert_values(given, _SuppressionFile).suppress
    for each in found:
        _check_name("party", each.party, PARTIES)
        _check_name("kind", each.kind, KINDS)
    return found


def _check_name(key: str, name: str, known: Sequence[str]) -> None:
    """Raise GivenFileError if a name is neither known nor ``*``."""
    if name not in (*known, "*"):
        raise GivenFileError(f"unknown {key} {name!r}; known are {', '.join(known)}")


def format_suppression(finding: ValidationFinding) -> str:
    """Return the TOML entry that suppresses a finding, and no other finding of the same recording."""
    keys = {
        "reason": REASON_PLACEHOLDER,
        "rule": _as_pattern(finding.rule),
        "kind": finding.kind,
        "function": _as_pattern(finding.function),
        "party": finding.party,
        "site": _as_pattern(str(finding.site)),
    }
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items()]
    return "\n".join(["[[suppress]]", *lines]) + "\n"


def _as_pattern(text: str) -> str:
    """Return a pattern that matches only a text; ``?`` stands for characters that are not printable."""
    return "".join(f"[{each}]" if each in "*?[" else each if each.isprintable() else "?" for each in text)


def suppress_findings(
    findings: Iterable[ValidationFinding], entries: Iterable[FindingSuppression]
) -> tuple[list[ValidationFinding], int]:
    """Return the findings that no entry matches, and the number of suppressed findings."""
    listed, known = list(findings), list(entries)
    kept = [finding for finding in listed if not any(_matches(entry, finding) for entry in known)]
    return kept, len(listed) - len(kept)


def _matches(entry: FindingSuppression, finding: ValidationFinding) -> bool:
    inside = finding.stack[: finding.stack.index(finding.site)] if finding.site in finding.stack else []
    places = [place for site in (*inside, finding.site) for place in (str(site), site.module)]
    return (
        entry.party in ("*", finding.party)
        and entry.kind in ("*", finding.kind)
        and matches_pattern(entry.rule, finding.rule)
        and matches_pattern(entry.function, finding.function)
        and any(matches_pattern(entry.site, place) for place in places)
        and (entry.requirement == "*" or any(matches_pattern(entry.requirement, id_) for id_ in finding.requirements))
    )
