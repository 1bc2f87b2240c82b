"""The schemas of the findings' TOML files; ``python -m tests.findings.schemas`` generates them from the types."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform import findings
from clconform.findings import chapters, deviations, program_findings, unreachable
from clconform.reports.json_documents import schema_text

if TYPE_CHECKING:
    import msgspec

DATA = Path(findings.__file__).parent
FOLDER = DATA / "schemas"


class FindingFiles(NamedTuple):
    """TOML files of one form: a pattern of their paths in ``findings``, their type and the title of the schema."""

    pattern: str
    type: type[msgspec.Struct]
    title: str


FILES = {
    "chapter": FindingFiles("causes/[0-9]*.toml", chapters.FindingChapter, chapters.TITLE),
    "withdrawn": FindingFiles("causes/withdrawn.toml", chapters.WithdrawnFindings, chapters.WITHDRAWN_TITLE),
    "deviations": FindingFiles("deviations.toml", deviations.DeviationTable, deviations.TITLE),
    "program_findings": FindingFiles(
        "program_findings.toml", program_findings.ProgramFindingTable, program_findings.TITLE
    ),
    "unreachable": FindingFiles("unreachable.toml", unreachable.UnreachableList, unreachable.TITLE),
}
"""The files by the name of their schema."""


def schema_path(name: str) -> Path:
    """Return the path of the schema ``name``."""
    return FOLDER / f"{name}.schema.json"


def generate_schema(name: str) -> str:
    """Return the text of a schema, generated from the type that defines it."""
    return schema_text(FILES[name].type, FILES[name].title)


if __name__ == "__main__":
    for each in FILES:
        schema_path(each).write_text(generate_schema(each), encoding="utf-8")
