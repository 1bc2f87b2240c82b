"""Writes the open decisions about a document into a file, and reads the decisions that a person has added.

The file contains sentences of the document, so it must stay with the document. The package stores only digests.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.spec_tables.regular_files import read_regular_file
from clconform.spec_tables.rewordings import DIFFERENT, PART, REWORDINGS_FILE, SAME, RewordingDecision, Rewordings
from clconform.tools.extract.document_files import ExtractError
from clconform.tools.extract.extraction import read_committed_file
from clconform.tools.extract.id_ledger import ledger_folder
from clconform.tools.extract.prose_sentences import (
    ANY_CONTEXT,
    EXCLUDED_CLASSES,
    REQUIREMENT_CLASSES,
    SILENT,
    UNCLASSIFIED,
    SentenceClass,
)
from clconform.tools.extract.sentence_text import sentence_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from clconform.tools.extract.extraction import ExtractionResult

COLUMNS = ("class", "topic", "text", "context", "digest", "section", "sentence")
REWORDED, NEW_CONDITION = "reworded", "new"
"""Classes of an error condition whose sentence has changed, and of a new one in a list that has lost conditions."""
HEAD = f"""\
# Sentences of the specification, for classification. Do not publish this file: the sentences belong to the document.
# Set 'class' if it is '{UNCLASSIFIED}':
#   effect       a requirement on the implementation (needs a topic, a few words joined by hyphens, and
#                in 'text' the requirement in your own words)
#   usage        a duty of the application that no error code checks (needs a topic and a text)
#   enforced     an error code of the function checks it
#   repeats      another requirement states the same
#   definition   defines a term
#   permission   allows something, or leaves it to the implementation
#   device-code  about kernels, not visible through the API
#   informative  anything else without a requirement
# 'context' may be '{ANY_CONTEXT}': the sentence has the same meaning everywhere.
# If 'class' is '{REWORDED}', 'context' is the id of an error condition, and 'text' its present text: write '{SAME}'
# if the new sentence has that meaning, '{PART}' if it is one of several conditions of the older sentence, or
# '{DIFFERENT}' if neither: it gets a new id. Until then it has no rule.
# If 'class' is '{NEW_CONDITION}', the list of errors lost a condition, which this one may replace: use the same three
# words.
# 'text' has each lost id with its text; put the id of your decision into 'context'.
# Then run: clconform dev extract --documents DIR --classified THIS_FILE
"""


def classification_file(
    result: ExtractionResult, conditions: Mapping[str, str], other_conditions: Mapping[str, str] | None = None
) -> str:
    """Return the content of the file: open decisions come first, then each excluded sentence with its class.

    ``conditions``: maps ids of the default tables to the text of the requirement in the project's words.
    ``other_conditions``: the same mapping for ids that only other revisions contain.
    """
    every = {**(other_conditions or {}), **conditions}
    page = io.StringIO()
    page.write(HEAD)
    rows = csv.writer(page, delimiter="\t", lineterminator="\n")
    rows.writerow(COLUMNS)
    for name, text in result.reworded_conditions():
        rows.writerow((REWORDED, "", every.get(name, ""), name, sentence_digest(text), "", text))
    for _, lost, text in result.replacement_candidates(conditions.keys()):
        told = " | ".join(f"{name}: {conditions[name]}" for name in lost)
        rows.writerow((NEW_CONDITION, "", told, lost[0], sentence_digest(text), "", text))
    order = (UNCLASSIFIED, *EXCLUDED_CLASSES, SILENT)
    for sentence, sort in sorted(result.classified, key=lambda pair: pair[1] != UNCLASSIFIED):
        if sort in order:
            where = f"{sentence.document} {sentence.section.number} {sentence.section.title}"
            rows.writerow((sort, "", "", sentence.context, sentence_digest(sentence.text), where, sentence.text))
    return page.getvalue()


def read_decisions(path: Path) -> Iterator[tuple[str, str, SentenceClass | str]]:
    """Yield the context, the digest and the class of each sentence with a decision in a file.

    For a later wording of an error condition, the verdict (same, part or different) is in place of the class.
    ExtractError if the file is unreadable or a decision is invalid.
    """
    for number, row in _rows(path):
        sort, topic, words, context, key = row[:5]
        if sort in (UNCLASSIFIED, REWORDED, NEW_CONDITION, SILENT):
            continue
        if sort in (SAME, PART, DIFFERENT):
            yield context, key, sort
            continue
        if sort not in (*REQUIREMENT_CLASSES, *EXCLUDED_CLASSES):
            known = ", ".join((*REQUIREMENT_CLASSES, *EXCLUDED_CLASSES, SAME, PART, DIFFERENT))
            raise ExtractError(f"--classified {path}, line {number}: unknown class {sort!r}; known: {known}")
        if (sort in REQUIREMENT_CLASSES) != bool(re.fullmatch(r"[a-z0-9]+(-[a-z0-9.]+)*", topic)):
            wanted = "needs a topic such as 'same-timebase'" if sort in REQUIREMENT_CLASSES else "takes no topic"
            raise ExtractError(f"--classified {path}, line {number}: {sort} {wanted}, not {topic!r}")
        if (sort in REQUIREMENT_CLASSES) != bool(words):
            wanted = (
                "needs a text: the requirement in your own words" if sort in REQUIREMENT_CLASSES else "takes no text"
            )
            raise ExtractError(f"--classified {path}, line {number}: {sort} {wanted}")
        yield context, key, SentenceClass(sort, topic, text=words)


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the columns of each line, except for comments and the heading."""
    try:
        text = read_regular_file(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ExtractError(f"--classified {path}: cannot be read ({problem})") from problem
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line and not line.startswith("#")]
    reader = csv.reader((line for _, line in lines), delimiter="\t")
    for index, row in enumerate(reader):
        number = lines[index][0]
        if reader.line_num != index + 1:
            raise ExtractError(
                f"--classified {path}, line {number}: a quotation mark is not closed; close or remove it"
            )
        if tuple(row) == COLUMNS:
            continue
        if len(row) != len(COLUMNS) or not re.fullmatch(r"[0-9a-f]{16}", row[4]):
            raise ExtractError(
                f"--classified {path}, line {number}: not a line of {len(COLUMNS)} columns with a digest"
            )
        yield number, row


def store_decisions(decided: Iterable[tuple[str, str, SentenceClass | str]], folder: Path) -> tuple[int, int]:
    """Add decisions to a folder of tables; return the number of changed sentences and changed error conditions.

    A decision about an error condition gets today's date, unless it is unchanged and already has a date.
    """
    folder = ledger_folder(folder)
    classification: dict[str, dict[str, Any]] = read_committed_file(
        folder / "classification.json", dict[str, dict[str, Any]], {}
    )
    read = read_committed_file(folder / REWORDINGS_FILE, Rewordings, {})
    sentences = clauses = 0
    for context, key, sort in decided:
        if isinstance(sort, str):
            before = read.get(context, {}).get(key, RewordingDecision(""))
            clauses += before.verdict != sort
            if before.verdict != sort or not before.date:
                read.setdefault(context, {})[key] = RewordingDecision(sort, dt.datetime.now(dt.UTC).date().isoformat())
            continue
        known = classification.get(context, {}).get(key) or classification.get(ANY_CONTEXT, {}).get(key) or {}
        if (known.get("classification"), known.get("topic", ""), known.get("text", "")) != (
            sort.classification,
            sort.topic,
            sort.text,
        ):
            classification.setdefault(context, {})[key] = msgspec.to_builtins(sort)
            sentences += 1
    (folder / "classification.json").write_text(_format_nested(classification), encoding="utf-8")
    if read:
        (folder / REWORDINGS_FILE).write_text(_format_flat(read), encoding="utf-8")
    return sentences, clauses


def _encode(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _format_nested(classification: dict[str, dict[str, Any]]) -> str:
    contexts = []
    for context, sorts in classification.items():
        rows = ",\n".join(f"  {_encode(key)}:{_encode(sort)}" for key, sort in sorts.items())
        contexts.append(f"{_encode(context)}:{{\n{rows}}}")
    return "{\n" + ",\n".join(contexts) + "\n}\n"


def _format_flat(rows: dict[str, Any]) -> str:
    return "{\n" + ",\n".join(f"{_encode(key)}:{_encode(value)}" for key, value in sorted(rows.items())) + "\n}\n"
