"""The file of what a search has found: for each record that a call tested the wrong outcome that violates it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.violations.searching import Violation, is_general
from clconform.spec_tables.records import Success

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.spec_tables.records import Record

SHOWN = Path(__file__).parent / "shown.json"
FORMAT = "clconform-violations-1"
NOT_SEARCHED = "its tests are random, or need a platform on which nothing was searched"
BY_PARTS = "what its success means has records of its own, and a call that fails may lack resources"
BY_OTHERS = (
    "it conforms with its calls, of which no wrong outcome that was tried is blamed on a record that answers for it"
)
NEVER_NAMED = "no wrong outcome that was tried is blamed on it"
KINDS = {
    "exactly": "an altered answer, value, byte or callback, or a success for its error, and the record is named",
    "generally": "only an error, or nothing, where a success is due, and the record is named with others",
    "elsewhere": "the altered call is found, under the name of another record",
    "not": "nothing that was altered is found",
}
"""How a violation of a record is shown, with what it means."""


class Written(msgspec.Struct, frozen=True):
    """The file: the platforms that were searched, the items that are done of one that is not, and the records.

    ``records``: by id the violation that was found, or None. ``errors``: exceptions of ours.
    """

    format: str = FORMAT
    platforms: list[str] = []
    unfinished: str = ""
    done: list[str] = []
    records: dict[str, Violation | None] = {}
    errors: list[str] = []


def read(content: bytes) -> Written:
    """Return a file's content; msgspec.DecodeError (ValueError) if it is none of this format."""
    written = msgspec.json.decode(content, type=Written)
    if written.format != FORMAT:
        raise msgspec.ValidationError(f"its format is {written.format!r}, not {FORMAT}")
    return written


def committed() -> Written:
    """Return the committed file."""
    return read(SHOWN.read_bytes())


def encoded(written: Written) -> bytes:
    """Return a file's content: a line for each record, in the order of their ids."""
    found = sorted(written.records.items(), key=lambda each: each[0])
    lines = ",\n".join(f"  {_text(record)}: {_text(violation)}" for record, violation in found)
    head = {"format": written.format, "platforms": written.platforms, "unfinished": written.unfinished}
    beginning = _text({**head, "done": written.done, "errors": written.errors}).removesuffix("}")
    return f'{beginning}, "records": {{\n{lines}\n}}}}\n'.encode()


def why_not(record: Record, written: Written, rulebook: Rulebook) -> str:
    """Return why no violation of a record is found."""
    if record.id not in written.records:
        return NOT_SEARCHED
    if isinstance(record, Success):
        return BY_PARTS
    triggers = (known for (name, _), known in rulebook.rules.triggers.known.items() if name == record.id)
    return BY_OTHERS if any(triggers) else NEVER_NAMED


def _text(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=-1).decode()


def kinds_of(records: Mapping[str, Violation | None], wanted: Iterable[str]) -> dict[str, str]:
    """Return how each of some records is shown, by ``KINDS``; one that is not there is not."""
    return {record: kind_of(record, records.get(record)) for record in wanted}


def kind_of(record: str, found: Violation | None) -> str:
    """Return how a record is shown by a violation, if there is one."""
    if found is None:
        return "not"
    if found.instead:
        return "elsewhere"
    return "generally" if is_general(record, found) else "exactly"
