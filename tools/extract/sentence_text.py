"""Processes sentences: joins them into one line, splits them, computes their digests, and finds names in them."""

from __future__ import annotations

import hashlib
import re

_INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD))
_SYMBOL = re.compile(r"\b(?:CL_[A-Za-z0-9_]*[A-Za-z0-9]|cl[A-Z]\w+\b(?!\*)|cl_[a-z]\w*)\b")
_END = re.compile(r"(?<=[.?!:])\s+(?=[\"(\[“]?(?:[A-Z]|[a-z]\w*_\w|cl[A-Z]|<\w))")
_ELSEWHERE = re.compile(r"\b(?!not\b)\w+ (?=(?:(?:that|which) (?:is|was) )?(?:specified|given) when [^.,]*? created\b)")
_PUNCTUATION = re.compile(
    r"[\"'\u201c\u201d\u2018\u2019`]|[.,:;!?]+(?=\s|[)\]\"\u201d\u2019]|$)|(?<!\S)[-\u2013\u2014](?!\S) ?"
)
_ABBREVIATION = re.compile(r"(?:\b(?:i\.e|e\.g|etc|vs|cf|resp|Sec|no|aka)\.|\.\.\.)$")


def single_line(text: str) -> str:
    """Return the text as one line with single spaces and without invisible characters."""
    return " ".join(text.translate(_INVISIBLE).split())


def sentence_digest(sentence: str) -> str:
    """Return the digest of a sentence for the tables.

    Spaces, line breaks and punctuation do not affect it.
    """
    return hashlib.sha256(_PUNCTUATION.sub("", single_line(sentence)).encode()).hexdigest()[:16]


def find_symbols(text: str) -> tuple[str, ...]:
    """Return the OpenCL names that a text contains, each once, in order."""
    return tuple(dict.fromkeys(_SYMBOL.findall(text)))


def find_parameters(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parameters that a text contains, in the order of the text; ``names``: all parameters."""
    if not names:
        return ()
    known = re.compile(r"(?<![\w])(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?![\w])")
    return tuple(dict.fromkeys(known.findall(text)))


def find_own_parameters(text: str, names: tuple[str, ...], marked: frozenset[str] | None) -> tuple[str, ...]:
    """Return the parameters that a sentence contains, in the order of the sentence.

    ``marked``: the words that are formatted as names, or None if the document does not format names. In a document that
    formats names, an unformatted word that equals the name of a parameter counts only with an underscore. Arguments of
    other calls do not count.
    """
    text = _ELSEWHERE.sub(" ", text)
    if marked is None:
        return find_parameters(text, names)
    known = {name: name for name in names if name in marked or "_" in name} | _longer_names(names, marked)
    return tuple(dict.fromkeys(known[word] for word in find_parameters(text, tuple(known))))


def _longer_names(names: tuple[str, ...], marked: frozenset[str]) -> dict[str, str]:
    """Return the words in ``marked`` that end with the name of one parameter: ``map_flags`` for ``flags``."""
    found = {word: [name for name in names if word.endswith(f"_{name}")] for word in marked.difference(names)}
    return {word: own[0] for word, own in found.items() if len(own) == 1 and own[0] not in marked}


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph.

    Abbreviations do not end a sentence.
    """
    found: list[str] = []
    for part in _END.split(single_line(text)):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += " " + part
        elif part:
            found.append(part)
    return found
