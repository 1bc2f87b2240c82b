"""Reads files that list findings to suppress, and applies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.reports.id_patterns import matches_pattern
from clconform.reports.toml_upgrade import RENAMED_KEYS
from clconform.reports.untrusted_files import GivenFileError, convert_values, parse_toml, read_text
from clconform.validation.findings import PARTIES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clconform.validation.findings import ValidationFinding


class FindingSuppression(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Suppresses the findings that match all its patterns; ``reason``: why, for people."""

    reason: str
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
    wrong = next((each.party for each in found if each.party not in (*PARTIES, "*")), "")
    if wrong:
        raise GivenFileError(f"unknown party {wrong!r}; the parties are {', '.join(PARTIES)}")
    return found


def suppress_findings(
    findings: Iterable[ValidationFinding], entries: Iterable[FindingSuppression]
) -> tuple[list[ValidationFinding], int]:
    """Return the findings that no entry matches, and the number of suppressed findings."""
    listed, known = list(findings), list(entries)
    kept = [finding for finding in listed if not any(_matches(entry, finding) for entry in known)]
    return kept, len(listed) - len(kept)


def _matches(entry: FindingSuppression, finding: ValidationFinding) -> bool:
    return (
        entry.party in ("*", finding.party)
        and matches_pattern(entry.function, finding.function)
        and any(matches_pattern(entry.site, place) for place in (str(finding.site), finding.site.module))
        and (entry.requirement == "*" or any(matches_pattern(entry.requirement, id_) for id_ in finding.requirements))
    )
