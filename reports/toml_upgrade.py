"""Converts TOML files of earlier formats: known deviations and suppressions.

People write these files, so the conversion replaces only the old names and keeps comments, order and layout.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from clconform.reports.escaping import escape_unprintable
from clconform.reports.json_documents import ResultError
from clconform.reports.untrusted_files import GivenFileError, decode_text, parse_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RENAMED_LISTS = {"expected": "known"}
"""Maps the names of lists in format 1 to their present names."""
RENAMED_KEYS = {"record": "requirement"}
"""Maps the keys of entries in format 2 to their present names."""
LIST_KINDS = {"known": "known deviations", "suppress": "suppressions"}
"""Maps the name of a list to the kind of the files that consist of it."""

_OLD_LIST = re.compile(rf"^([ \t]*\[\[[ \t]*)({'|'.join(RENAMED_LISTS)})(?=[ \t]*\]\])", re.MULTILINE)
_OLD_KEY = re.compile(rf"^([ \t]*)({'|'.join(RENAMED_KEYS)})(?=[ \t]*=)", re.MULTILINE)
_ANY_LIST = re.compile(
    rf"^[ \t]*\[\[[ \t]*(?:{'|'.join((*RENAMED_LISTS, *LIST_KINDS))})[ \t]*\]\]".encode(), re.MULTILINE
)


def has_entries(content: bytes) -> bool:
    """Return whether the content of a file looks like known deviations or suppressions, of any format."""
    return _ANY_LIST.search(content) is not None


def migrate_entries(content: bytes, name: str, rename_test: Callable[[str], str]) -> tuple[str, bytes]:
    """Return the kind of a file and its content with the present names.

    ``rename_test``: returns the present id of a test. ``name``: the file's name for messages. ResultError if the
    content is not valid, or if a name cannot be replaced without changing something else.
    """
    try:
        text = decode_text(content)
        before = _check_lists(parse_toml(text), name)
    except GivenFileError as error:
        raise ResultError(f"{name}: not valid TOML: {error}") from None
    tests = _find_renamed_tests(before, rename_test)
    expected = {
        RENAMED_LISTS.get(key, key): [_rename_entry(entry, tests) for entry in entries]
        for key, entries in before.items()
    }
    kind = LIST_KINDS["known" if "known" in expected else "suppress"]
    if expected == before:
        return kind, content
    renamed = _OLD_KEY.sub(lambda found: found[1] + RENAMED_KEYS[found[2]], text)
    renamed = _OLD_LIST.sub(lambda found: found[1] + RENAMED_LISTS[found[2]], renamed)
    for old, new in tests.items():
        renamed = renamed.replace(json.dumps(old, ensure_ascii=False), json.dumps(new, ensure_ascii=False))
    try:
        after = parse_toml(renamed)
    except GivenFileError:
        after = {}
    if after != expected:
        names = {**RENAMED_LISTS, **RENAMED_KEYS, **tests}
        advice = "; ".join(f"{old} is {new}" for old, new in names.items() if old in text)
        raise ResultError(f"{name}: cannot replace the old names; replace them by hand: {escape_unprintable(advice)}")
    return kind, renamed.encode()


def _check_lists(lists: dict[str, Any], name: str) -> dict[str, list[dict[str, Any]]]:
    """Return the lists of a document; ResultError if it holds anything but lists of entries, or no known list."""
    for key, entries in lists.items():
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise ResultError(
                f"{name}: {escape_unprintable(key, limit=80)} is not a list of entries; write [[known]] or "
                "[[suppress]] above each entry"
            )
    if not lists.keys() & {*RENAMED_LISTS, *LIST_KINDS}:  # the header was part of a string
        raise ResultError(f"{name}: it has no entry; write [[known]] or [[suppress]] above each entry")
    return lists


def _rename_entry(entry: Mapping[str, Any], tests: Mapping[str, str]) -> dict[str, Any]:
    """Return an entry with the present names; ``tests``: maps earlier ids of tests to their present ids."""
    renamed = {RENAMED_KEYS.get(key, key): value for key, value in entry.items()}
    if isinstance(entry.get("tests"), list):
        renamed["tests"] = [tests.get(test, test) if isinstance(test, str) else test for test in entry["tests"]]
    return renamed


def _find_renamed_tests(lists: Mapping[str, list[dict[str, Any]]], rename_test: Callable[[str], str]) -> dict[str, str]:
    """Map each test of the entries that has a new id to this id, in alphabetical order."""
    named = [entry["tests"] for entries in lists.values() for entry in entries if isinstance(entry.get("tests"), list)]
    every = sorted({test for tests in named for test in tests if isinstance(test, str)})
    return {test: new for test in every if (new := rename_test(test)) != test}
