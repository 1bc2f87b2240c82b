"""The table of wrong answers: for each query or effect and each class, what the suites notice and what they do not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.reports.measurement import MeasurementHeader
from clconform.selftest.committed_files import decode_document, encode_line
from clconform.selftest.wrong_answers.answer_classes import AnswerClass

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE_PATH = Path(__file__).parent / "table.json"
FORMAT = "clconform-wrong-answers-1"


class WrongAnswerCell(msgspec.Struct, frozen=True, omit_defaults=True):
    """One class of wrong answers to one query, or of wrong outputs of one function.

    ``platform``, ``item``: a simulated platform and an item on which the wrong answer shows, and ``requirements``: the
    requirements of the deviation; empty if it never shows. ``noticed``: the number of kinds of objects, or of items,
    with which it shows. ``unnoticed``: the kinds with which it does not. ``without``: why there is no wrong answer of
    this class; empty if there is one.
    """

    noticed: int = 0
    platform: str = ""
    item: str = ""
    requirements: tuple[str, ...] = ()
    unnoticed: tuple[str, ...] = ()
    without: str = ""


class WrongAnswerTable(msgspec.Struct, frozen=True):
    """The content of the file: for each subject (a query, or a function and its output) a cell for each class."""

    format: str = FORMAT
    header: MeasurementHeader | None = None
    subjects: dict[str, dict[AnswerClass, WrongAnswerCell]] = {}


def decode_table(content: bytes) -> WrongAnswerTable:
    """Return the table in a file's content; msgspec.DecodeError (a ValueError) if it does not have this format."""
    return decode_document(content, WrongAnswerTable, FORMAT)


def load_committed_table() -> WrongAnswerTable:
    """Return the committed table."""
    return decode_table(TABLE_PATH.read_bytes())


def encode_table(
    subjects: Mapping[str, Mapping[AnswerClass, WrongAnswerCell]], header: MeasurementHeader | None
) -> bytes:
    """Return a file's content: one line for each cell, in the order of the subjects' names."""
    lines = []
    for subject, cells in sorted(subjects.items()):
        inside = ",\n".join(f"  {encode_line(wrong)}: {encode_line(cell)}" for wrong, cell in cells.items())
        lines.append(f" {encode_line(subject)}: {{\n{inside}\n }}")
    head = encode_line({"format": FORMAT, "header": header}).removesuffix("}")
    body = ",\n".join(lines)
    return f'{head}, "subjects": {{\n{body}\n}}}}\n'.encode()
