"""Reads files of findings to suppress."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.reports.given_files import GivenFileError, converted, read_text, toml_of
from clconform.reports.id_patterns import matches
from clconform.validation.findings import PARTIES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clconform.validation.findings import Finding


class Suppression(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Findings to suppress: all that match each given pattern. ``reason``: why, for people."""

    reason: str
    record: str = "*"
    function: str = "*"
    party: str = "*"
    site: str = "*"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    suppress: list[Suppression] = []


def read_suppressions(path: Path) -> list[Suppression]:
    """Return the entries of a file; GivenFileError if it cannot be read, or names an unknown party."""
    found = converted(toml_of(read_text(path)), _File).suppress
    wrong = next((each.party for each in found if each.party not in (*PARTIES, "*")), "")
    if wrong:
        raise GivenFileError(f"unknown party {wrong!r}; the parties are {', '.join(PARTIES)}")
    return found


def without(findings: Iterable[Finding], entries: Iterable[Suppression]) -> tuple[list[Finding], int]:
    """Return the findings that no entry matches, and the number of the others."""
    listed, known = list(findings), list(entries)
    kept = [finding for finding in listed if not any(_matches(entry, finding) for entry in known)]
    return kept, len(listed) - len(kept)


def _matches(entry: Suppression, finding: Finding) -> bool:
    return (
        entry.party in ("*", finding.party)
        and matches(entry.function, finding.function)
        and any(matches(entry.site, place) for place in (str(finding.site), finding.site.module))
        and (entry.record == "*" or any(matches(entry.record, record) for record in finding.records))
    )
