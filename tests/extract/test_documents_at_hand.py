"""The documents themselves, where they are at hand: read in time, without rest, and as the committed tables say."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from clconform.tools.extract import Extraction, check, extract

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = Path(os.environ.get("CLCONFORM_DOCUMENTS", ROOT.parent / "shared" / "documents"))

pytestmark = pytest.mark.skipif(
    not DOCUMENTS.is_dir(), reason="the documents are not here; name their folder in CLCONFORM_DOCUMENTS"
)


@pytest.fixture(scope="module")
def timed() -> tuple[Extraction, float]:
    start = time.process_time()
    result = extract(DOCUMENTS)
    return result, time.process_time() - start


def test_a_full_extraction_is_fast(timed: tuple[Extraction, float]) -> None:
    assert timed[1] < 10


def test_nothing_is_left_unread_or_unexplained(timed: tuple[Extraction, float]) -> None:
    assert timed[0].unparsed == []
    assert timed[0].unexplained() == []


def test_the_committed_tables_say_the_same(timed: tuple[Extraction, float]) -> None:
    assert check(timed[0]) == []


def test_about_as_many_clauses_as_expected(timed: tuple[Extraction, float]) -> None:
    counts = timed[0].counts()
    assert counts["clauses listed"] >= 1190
    assert counts["query"] >= 290
