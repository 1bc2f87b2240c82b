"""The repository contains no sentence of a document: no run of more than twelve of its words in a committed file."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from .copied_words import ROOT, copies, known_runs, needs_documents, runs, words_of

if TYPE_CHECKING:
    from pathlib import Path


def committed() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@needs_documents
def test_no_sentence_of_a_document_is_copied() -> None:
    known = known_runs()
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
