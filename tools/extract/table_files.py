"""Writes an extraction into data files, one row per line, and compares it with the stored files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.spec_tables import loading
from clconform.spec_tables.requirements import (
    AccessQualifier,
    AlignmentRule,
    AllocationAccess,
    CommandType,
    CompatibleOrder,
    Effect,
    ErrorCondition,
    Flag,
    HandleTransference,
    HostPointerSize,
    Limit,
    OptionalBehaviour,
    PartitionScheme,
    Property,
    Query,
    RequiredImageFormat,
    SharingFormat,
    SizeRule,
    StateTransition,
    Success,
    UsageRule,
)
from clconform.tools.extract.callbacks import extract_callbacks
from clconform.tools.extract.id_ledger import LEDGER_FILE, ledger_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clconform.tools.extract.extraction import ExtractionResult

HAND_KEPT = ("errata.json", "explained.json", "unread.json")
"""Files of one revision that people edit; the extraction writes all others."""
SHARED = ("classification.json", "rewordings.json", LEDGER_FILE)
"""Files that all revisions share: decisions about sentences, and the ids."""
_FILES: dict[str, tuple[type, ...]] = {
    "clauses": (ErrorCondition,),
    "outcomes": (Success,),
    "prose": (Effect, UsageRule),
    "queries": (Query,),
    "limits": (Limit,),
    "schemes": (PartitionScheme,),
    "properties": (Property, Flag),
    "facts": (
        RequiredImageFormat,
        SharingFormat,
        CompatibleOrder,
        CommandType,
        HostPointerSize,
        AlignmentRule,
        SizeRule,
        StateTransition,
        AccessQualifier,
        HandleTransference,
        AllocationAccess,
    ),
    "optional": (OptionalBehaviour,),
}


def write_tables(result: ExtractionResult, out: Path) -> None:
    """Write the tables, one row per line, in the order of the documents.

    Files that people edit stay unchanged. A folder without errata gets the errata that the extraction used, so that the
    tables can be loaded.
    """
    out.mkdir(parents=True, exist_ok=True)
    for name, content in render_files(result).items():
        path = (ledger_folder(out) if name in SHARED else out) / name
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
    errata = out / HAND_KEPT[0]
    if not errata.exists():
        errata.write_bytes(_encode_rows(result.errata))


def copy_committed_input(folder: Path, known: Path = loading.DATA) -> None:
    """Copy the files that people edit and the ledger into a folder that lacks them, as a starting point.

    A folder next to the folders of other revisions shares their ledger.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / HAND_KEPT[0]).exists():
        return
    beside = ledger_folder(folder)
    pairs = [(known / name, folder / name) for name in HAND_KEPT]
    pairs += [(ledger_folder(known) / name, beside / name) for name in SHARED if beside == folder]
    for old, new in pairs:
        if old.exists():
            new.write_bytes(old.read_bytes())


def keep_used_reasons(result: ExtractionResult, folder: Path) -> None:
    """Keep only the copied reasons whose differences exist in the new folder."""
    kept = {
        text: why for text, why in result.explained.items() if text in result.differences or _is_header_difference(text)
    }
    rows = [f"{_encode(text)}:{_encode(why)}" for text, why in kept.items()]
    (folder / "explained.json").write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def _is_header_difference(text: str) -> bool:
    """Return whether a difference is about the C headers, which the extraction does not read."""
    return text.startswith("C headers: ")


def compare_tables(result: ExtractionResult, committed: Path = loading.DATA) -> list[str]:
    """Return the differences from the stored tables, and unread text; empty if there are none."""
    differences = []
    for name, content in render_files(result).items():
        try:
            old = ((ledger_folder(committed) if name in SHARED else committed) / name).read_bytes()
        except OSError:
            differences.append(f"{name}: missing in {committed}")
            continue
        if old != content:
            differences += _explain_difference(name, old, content)
    differences += [f"unparsed: {text}" for text in result.unparsed]
    differences += [f"unexplained: {text}" for text in result.unexplained_differences()]
    gone = {text for text in result.explained if not _is_header_difference(text)} - set(result.differences)
    return differences + [f"explained.json: explains what is not there: {text}" for text in sorted(gone)]


def render_files(result: ExtractionResult) -> dict[str, bytes]:
    """Map the names of the generated files to their contents."""
    files: dict[str, bytes] = {
        f"{name}.json": _encode_rows(
            requirement for requirement in result.requirements if isinstance(requirement, kinds)
        )
        for name, kinds in _FILES.items()
    }
    files["functions.json"] = _encode_rows(result.functions)
    files["callbacks.json"] = _encode_rows(extract_callbacks(result.functions))
    files["types.json"] = _encode_rows(sorted(result.types, key=lambda entry: entry.name))
    files["enumerants.json"] = _encode_rows(result.enumerants)
    files["documents.json"] = _encode_rows(result.documents)
    files["extensions.json"] = _encode_rows(result.extensions)
    files["sentences.json"] = _encode_rows(result.count_sentences())
    files["dispatch.json"] = _encode_rows(result.dispatch)
    rows = [f"{_encode(family)}:{_encode(entries)}" for family, entries in sorted(result.ledger.items())]
    files[LEDGER_FILE] = ("{\n" + ",\n".join(rows) + "\n}\n").encode()
    return files


def _encode_rows(rows: Iterable[Any]) -> bytes:
    return ("[\n" + ",\n".join(_encode(row) for row in rows) + "\n]\n").encode()


def _encode(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _explain_difference(name: str, old: bytes, new: bytes) -> list[str]:
    """Return the lines that only one of two versions of a file contains, by their ids."""
    before, after = ({line.rstrip(",") for line in content.decode().splitlines()} for content in (old, new))
    ours = {_id_of(line) for line in before - after}
    theirs = {_id_of(line) for line in after - before}
    found = [f"{name}: {key}: changed" for key in sorted(ours & theirs)]
    found += [f"{name}: {key}: in the committed tables only" for key in sorted(ours - theirs)]
    found += [f"{name}: {key}: in the documents only" for key in sorted(theirs - ours)]
    return found or [f"{name}: the order differs"]


def _id_of(line: str) -> str:
    named = re.search(r'"(?:id|name|key)":"([^"]+)"', line) or re.match(r'"([^"]+)"', line)
    return named[1] if named else line[:60]
