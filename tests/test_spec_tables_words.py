"""No sentence of a document stands in the repository: no run of more than twelve of its words in any committed file."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lxml import html

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = Path(os.environ.get("CLCONFORM_DOCUMENTS", ROOT.parent / "shared" / "documents"))
LONGEST = 12
_NAME = re.compile(r"\b\w*(?:_\w*|\d\w*)\b|\bcl[A-Z]\w*")


def words_of(text: str) -> list[str]:
    """Return the words of a text; names, values and punctuation are left out."""
    plain = _NAME.sub(" ", text)
    return [word.lower() for word in re.findall(r"[A-Za-z][A-Za-z'\u2019]*", plain)]


def runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + LONGEST + 1]) for start in range(len(words) - LONGEST))


def documents() -> dict[str, str]:
    found = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in DOCUMENTS.glob("*.txt")}
    for path in DOCUMENTS.glob("*.html"):
        found[path.name] = html.document_fromstring(path.read_bytes()).text_content()
    return found


def committed() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def copies(known: set[tuple[str, ...]], text: str) -> list[str]:
    return [" ".join(run) for run in runs(words_of(text)) if run in known]


@pytest.mark.skipif(
    not DOCUMENTS.is_dir(), reason="the documents are not here; name their folder in CLCONFORM_DOCUMENTS"
)
def test_no_sentence_of_a_document_is_copied() -> None:
    known = {run for text in documents().values() for run in runs(words_of(text))}
    assert known
    found = {}
    for path in committed():
        if path.name.startswith("LICENSE"):
            continue
        copied = copies(known, path.read_text(encoding="utf-8", errors="replace"))
        if copied:
            found[str(path.relative_to(ROOT))] = copied[0]
    assert found == {}


def test_a_copied_sentence_is_found() -> None:
    sentence = "A sentence that is long enough to be recognised has more than twelve of the words in a row."
    known = set(runs(words_of(sentence)))
    assert copies(known, f"# {sentence.upper()}")
    assert not copies(
        known, "Long enough sentences of twelve words have more than one chance to be recognised in a row."
    )


def test_names_do_not_hide_a_copy() -> None:
    sentence = "One two three four five CL_SIX seven eight nine ten eleven twelve thirteen fourteen."
    known = set(runs(words_of(sentence)))
    assert copies(known, sentence.replace("CL_SIX", "cl_other_name"))
