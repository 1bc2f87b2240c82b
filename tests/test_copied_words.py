"""The repository contains no sentence of a document: no run of more than twelve of its words in a committed file."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from .copied_words import ROOT, extract_words, find_copies, known_runs_of_words, needs_documents, word_runs

if TYPE_CHECKING:
    from pathlib import Path


def committed_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@needs_documents
def test_documents_are_not_copied() -> None:
    known = known_runs_of_words()
    assert known
    found = {}
    for path in committed_files():
        if path.name.startswith("LICENSE"):
            continue
        copied = find_copies(known, path.read_text(encoding="utf-8", errors="replace"))
        if copied:
            found[str(path.relative_to(ROOT))] = copied[0]
    assert found == {}


def test_copied_sentence_is_found() -> None:
    sentence = "A sentence that is long enough to be recognised has more than twelve of the words in a row."
    known = set(word_runs(extract_words(sentence)))
    assert find_copies(known, f"# {sentence.upper()}")
    assert not find_copies(
        known, "Long enough sentences of twelve words have more than one chance to be recognised in a row."
    )


def test_copied_sentence_with_changed_names_is_found() -> None:
    sentence = "One two three four five CL_SIX seven eight nine ten eleven twelve thirteen fourteen."
    known = set(word_runs(extract_words(sentence)))
    assert find_copies(known, sentence.replace("CL_SIX", "cl_other_name"))
