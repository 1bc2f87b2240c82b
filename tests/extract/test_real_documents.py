"""The real documents, where available: extraction time, completeness, and agreement with the committed tables."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import msgspec
import pytest
from lxml import html

from clconform.spec_tables import loading
from clconform.spec_tables.requirements import Flag
from clconform.tools.extract import ExtractionResult, compare_tables, extract_documents
from clconform.tools.extract.sentence_text import sentence_digest, single_line

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = Path(os.environ.get("CLCONFORM_DOCUMENTS", ROOT.parent / "shared" / "documents"))

pytestmark = pytest.mark.skipif(
    not DOCUMENTS.is_dir(), reason="the documents are not here; name their folder in CLCONFORM_DOCUMENTS"
)


@pytest.fixture(scope="module")
def timed_extraction() -> tuple[ExtractionResult, float]:
    start = time.process_time()
    result = extract_documents(DOCUMENTS)
    return result, time.process_time() - start


def test_extraction_of_real_documents_is_fast(timed_extraction: tuple[ExtractionResult, float]) -> None:
    assert timed_extraction[1] < 10


def test_extraction_of_real_documents_leaves_nothing_unparsed(timed_extraction: tuple[ExtractionResult, float]) -> None:
    assert timed_extraction[0].unparsed == []
    assert timed_extraction[0].unexplained_differences() == []


def test_committed_tables_match_the_documents(timed_extraction: tuple[ExtractionResult, float]) -> None:
    assert compare_tables(timed_extraction[0]) == []


def test_number_of_conditions_in_real_documents_is_plausible(timed_extraction: tuple[ExtractionResult, float]) -> None:
    counts = timed_extraction[0].count_all()
    assert counts["clauses listed"] >= 1190
    assert counts["query"] >= 290


def test_every_numbered_table_is_read_or_has_a_reason(timed_extraction: tuple[ExtractionResult, float]) -> None:
    informative = msgspec.json.decode((loading.DATA / "unread.json").read_bytes(), type=dict[str, str])
    known = {
        name
        for requirement in timed_extraction[0].requirements
        for name in (requirement.id, *requirement.symbols, *texts_of(requirement))
    }
    count = 0
    for path in DOCUMENTS.glob("*.html"):
        for table in html.document_fromstring(path.read_bytes()).iter("table"):
            caption = table.find("caption")
            title = single_line(caption.text_content()) if caption is not None else ""
            if not re.match(r"Table \d+\.", title):
                continue
            count += 1
            if sentence_digest(re.sub(r"^Table \d+\. ", "", title)) in informative:
                continue
            cells = [single_line(cell.text_content()) for row in table.iter("tr") for cell in row if cell.tag == "td"]
            names = set(re.findall(r"\bCL_\w*[A-Za-z0-9]", " ".join(cells))) - {"CL_TRUE", "CL_FALSE"}
            assert names <= known, (title, sorted(names - known))
    assert count >= 64


def texts_of(record: object) -> list[str]:
    """Return all strings in a requirement."""
    values = [getattr(record, field) for field in getattr(record, "__struct_fields__", ())]
    return [value for value in values if isinstance(value, str)] + [
        text for value in values if isinstance(value, tuple) for text in value if isinstance(text, str)
    ]


def test_flag_exclusions_match_the_real_documents(timed_extraction: tuple[ExtractionResult, float]) -> None:
    flags = {
        r.name: r.excludes
        for r in timed_extraction[0].requirements
        if isinstance(r, Flag) and r.type in ("cl_mem_flags", "cl_map_flags")
    }
    text = single_line(
        " ".join(
            html.document_fromstring(path.read_bytes()).text_content() for path in DOCUMENTS.glob("OpenCL_API*.html")
        )
    )
    said = re.findall(r"((?:CL_\w+ (?:or|and) )+CL_\w+) are mutually exclusive", text)
    assert len(said) >= 7
    for sentence in said:
        left, _, right = sentence.rpartition(" and ")
        for name in left.split(" or "):
            assert right in flags[name], sentence
            assert name in flags[right], sentence
