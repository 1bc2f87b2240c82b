"""Count conditions in the sources of the specification, independently of the extraction, and compare with the tables.

``python -m tests.extract.counting SOURCES DOCUMENTS``: SOURCES is a checkout of the specification's sources at the
revision of the HTML in DOCUMENTS. For each error list, it prints the codes for which the tables have fewer or more
conditions than the list has items. It exits with 1 if it prints any.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from clconform.spec_tables.requirements import ErrorCondition
from clconform.tools.extract import extract_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROTOTYPE = re.compile(r"include::\{generated\}/api/protos/(cl\w+)\.txt\[\]")
_ITEM = re.compile(r"\s*(\*+|-)\s+(.*)")
_HEAD = re.compile(r"\{(CL_\w+?)(?:_anchor)?\}(.*)", re.DOTALL)
_BRANCH = re.compile(r"(ifn?def)::([\w,+-]+)\[\]|(endif)::")
_ENUM = re.compile(r'<enum value="(-\d+)"\s+name="(CL_\w+)"')
_ALTERNATIVES = re.compile(r"\b(?:any|one) of the following \w+[^.:]*:$")


class ListItem(NamedTuple):
    """An item of a list: its nesting depth and its words."""

    depth: int
    text: str


class ListCounts(NamedTuple):
    """The number of conditions in one error list, by code, and the functions that the list belongs to."""

    functions: tuple[str, ...]
    codes: Counter[str]


def read_error_codes(sources: Path) -> frozenset[str]:
    """Return the names of the registry's negative values."""
    text = (sources / "xml" / "cl.xml").read_text(encoding="utf-8")
    return frozenset(name for _, name in _ENUM.findall(text))


def active_lines(path: Path, present: str) -> Iterator[str]:
    """Yield the lines of a source file whose preprocessor conditions (``ifdef``) hold for the document ``present``.

    The condition of an extension holds if the document has a section about the extension.
    """
    holding = [True]
    for line in path.read_text(encoding="utf-8").splitlines():
        branch = _BRANCH.match(line)
        if not branch:
            if all(holding):
                yield line
        elif branch[3]:
            holding.pop()
        else:
            names = re.split(r"[,+]", branch[2])
            found = [f'id="{name}"' in present for name in names]
            holds = all(found) if "+" in branch[2] else any(found)
            holding.append(holds == (branch[1] == "ifdef"))


def error_lists(path: Path, present: str, codes: frozenset[str]) -> Iterator[ListCounts]:
    """Yield each error list of a source file, with the functions that it applies to."""
    functions: list[str] = []
    listed = False
    items: list[ListItem] = []
    open_item = False
    for line in [*active_lines(path, present), "[end]"]:
        item = _ITEM.match(line)
        prototype = _PROTOTYPE.match(line)
        if item:
            items.append(ListItem(len(item[1]) if item[1] != "-" else 1, item[2]))
            open_item = True
        elif not line.strip() or line.startswith("//"):
            open_item = open_item and line.startswith("//")
        elif open_item and not prototype and not line.startswith("["):
            items[-1] = ListItem(items[-1].depth, f"{items[-1].text} {line.strip()}")
        else:
            counted = count_conditions(items, codes)
            if counted and functions:
                yield ListCounts(tuple(functions), counted)
                listed = True
            items, open_item = [], False
            if prototype and listed:
                functions, listed = [], False
            if prototype:
                functions.append(prototype[1])


def count_conditions(items: list[ListItem], codes: frozenset[str]) -> Counter[str]:
    """Count the conditions for each code.

    An item counts as one condition, or as its nested items if these are alternatives.
    """
    found: Counter[str] = Counter()
    code = ""
    for index, item in enumerate(items):
        head = _HEAD.match(item.text) if item.depth == 1 else None
        if item.depth == 1:
            code = head[1] if head and head[1] in codes else ""
        if code and _is_condition(items, index):
            found[code] += 1
    return found


def _is_condition(items: list[ListItem], index: int) -> bool:
    """Return whether the item at ``index`` is a condition, not an introduction or a part of the condition above it."""
    item = items[index]
    below = items[index + 1].depth > item.depth if index + 1 < len(items) else False
    if below and _introduces_items(item):
        return False
    depth = item.depth
    for other in reversed(items[:index]):
        if other.depth < depth:
            if not _introduces_items(other):
                return False
            depth = other.depth
    return True


def _introduces_items(item: ListItem) -> bool:
    head = _HEAD.match(item.text)
    rest = head[2] if head and item.depth == 1 else item.text
    return not rest.strip(" :,") or bool(_ALTERNATIVES.search(rest.strip()))


def find_differences(sources: Path, documents: Path) -> Iterator[str]:
    """Yield a line for each error list and code for which sources and tables have different numbers of conditions."""
    pages = [path.read_text(encoding="utf-8") for path in documents.glob("OpenCL_API*.html")]
    codes = read_error_codes(sources)
    clauses = [
        requirement
        for requirement in extract_documents(documents).requirements
        if isinstance(requirement, ErrorCondition)
        and not requirement.inherited_from
        and requirement.code != "NULL"
        and requirement.document == "OpenCL"
    ]
    expected: dict[tuple[str, ...], Counter[str]] = {}
    for path in sorted((sources / "api").glob("*.asciidoc")):
        for functions, counted in error_lists(path, "".join(pages), codes):
            expected.setdefault(functions, Counter()).update(counted)
    for functions, counted in expected.items():
        own = {(clause.code, clause.digest) for clause in clauses if clause.function in functions}
        found = Counter(code for code, _ in own)
        for code in sorted(counted.keys() | found.keys()):
            if counted[code] != found[code]:
                yield f"{' + '.join(functions)}: {code}: {counted[code]} in the sources, {found[code]} in the tables"
    described = {name for functions in expected for name in functions}
    for name in sorted({clause.function for clause in clauses} - described):
        yield f"{name}: not found in the sources"
    click.echo(f"{sum(map(Counter.total, expected.values()))} conditions in {len(expected)} lists")


if __name__ == "__main__":
    different = list(find_differences(Path(sys.argv[1]), Path(sys.argv[2])))
    for line in different:
        click.echo(line)
    sys.exit(bool(different))
