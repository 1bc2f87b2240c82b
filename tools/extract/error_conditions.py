"""Reads the list of errors below a function: error conditions, failures without a code, and successes."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from clconform.tools.extract.applicability_notes import conditions_of_error, conditions_of_list
from clconform.tools.extract.document_blocks import DocumentBlock
from clconform.tools.extract.prototypes import counterpart_parameter_names
from clconform.tools.extract.sentence_text import find_own_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables.requirements import ApplicabilityCondition, Section
    from clconform.tools.extract.scopes import FunctionScope

_CODE = re.compile(r"(CL_[A-Z][A-Za-z0-9_]*)\b")
_SEPARATE_CONDITIONS = re.compile(
    r"(?:CL_\w+\W*|(?!.*\b(?:unless|except|without|neither|not(?: \w+)? (?:any|one) of the following)\b)"
    r"(?:.*(?:\b(?:if|when|where|for|in|under|on|and|or)|[,:;]) )?"
    r"(?:[Aa]ny|[Oo]ne) of the following (?:conditions?|circumstances|cases)\b[^.:]*:)$"
)
"""Matches the text above a list of separate conditions: only a code, or words for alternatives.

A negation is excluded, because the absence of several objects is one condition."""
_SINGLE_CONDITION = re.compile(r".*(?:\b(?:all|none) of the following \w+\b[^.:]*:|\bone of)$")
"""Matches the text above a list that belongs to a single condition."""
_LACKING = re.compile(r"\b\w+ does not include\b|\bis not specified (?:as part of|in) (?:the )?\w+")
"""Matches a statement that a list of properties does not contain a property."""
_LINK = re.compile(r"[\s,;.:]*(?:\b(?:or|and)\b)?[\s,;.:]*$")
"""Matches the text that connects an item to the next item, or that ends the item."""
_FAILS = re.compile(r"\b(cl[A-Z]\w+) (?:will fail|fails|returns NULL) if\W*$")
_ERRORS = re.compile(r"\berrors?\b", re.IGNORECASE)
_INHERITS = re.compile(r"\berrors defined by ((?:cl[A-Z]\w+(?:, and|,| and)? ?)+)")
_REPLACED = re.compile(r"^(CL_[A-Z0-9_]+) is replaced with")
_REMOVED = re.compile(r"^(CL_[A-Z0-9_]+) is (?:removed|not returned)")
_CALLED = re.compile(r"\bif (cl[A-Z]\w+) is called\b")
_SUCCEEDS = re.compile(
    r"\breturns? CL_SUCCESS\b|\breturns?\b[^.]*\bset to CL_SUCCESS\b|\berrcode_ret is set to CL_SUCCESS\b"
)
_SUCCESS = re.compile(r"\breturns?\b.*\bCL_SUCCESS\b|\bsuccessfully\b")


@dataclasses.dataclass(frozen=True, slots=True)
class FoundCondition:
    """An error condition as found in a document, with its sentence.

    ``code``: an error code, or NULL for a failure without a code. ``formatted_names``: the words that are formatted as
    names; None if the document does not format names. ``part_of``: the whole list item, if it contains several
    conditions; else empty.
    """

    functions: tuple[str, ...]
    code: str
    text: str
    section: Section
    applicability: tuple[ApplicabilityCondition, ...]
    formatted_names: frozenset[str] | None = None
    part_of: str = ""


@dataclasses.dataclass(slots=True)
class ScopeErrors:
    """The errors and successes that a scope describes.

    ``inherits``: functions whose conditions also apply. ``replaces``: codes for which inherited conditions do not
    apply. ``unread``: items of error lists that are not conditions, so that no item is lost. ``unclear``: conditions
    above a list that is neither a list of alternatives nor part of the condition. ``formatted_names``: maps paragraphs
    to their words that are formatted as names.
    """

    conditions: list[FoundCondition] = dataclasses.field(default_factory=list)
    success: dict[str, str] = dataclasses.field(default_factory=dict)
    formatted_names: dict[str, frozenset[str] | None] = dataclasses.field(default_factory=dict)
    inherits: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    unread: list[str] = dataclasses.field(default_factory=list)
    unclear: list[str] = dataclasses.field(default_factory=list)
    read_blocks: list[DocumentBlock] = dataclasses.field(default_factory=list)


def read_errors(scope: FunctionScope, codes: frozenset[str]) -> ScopeErrors:
    """Return the errors of a scope; ``codes``: the known error codes, by which error lists are recognised."""
    errors = ScopeErrors()
    if not scope.functions:
        return errors
    names = tuple(function.name for function in scope.functions)
    introduction = ""
    for block in scope.blocks:
        if block.kind == "paragraph":
            introduction = block.text
            errors.formatted_names[introduction] = block.formatted_names
            _store_success(introduction, names, errors)
            _store_inheritance(introduction, errors)
        elif block.kind == "list":
            _read_list(block, introduction, names, codes, errors)
    errors.conditions = [_without_unconcerned(clause, scope) for clause in errors.conditions]
    return errors


def _without_unconcerned(clause: FoundCondition, scope: FunctionScope) -> FoundCondition:
    """Return a condition restricted to those functions of a shared error list that have its parameters.

    Parameters that all functions have do not count. If the condition names alternatives, one parameter is enough. A
    condition about a missing element of a list also applies to functions that do not have the list.
    """
    has = {
        function.name: {parameter.name for parameter in function.parameters}
        | counterpart_parameter_names(function, scope.functions).keys()
        for function in scope.functions
    }
    common = set.intersection(*has.values())
    text = _LACKING.sub("", clause.text)
    special = set(find_own_parameters(text, scope.parameter_names(), clause.formatted_names)) - common
    concerned = tuple(name for name in clause.functions if not special or special & has[name])
    return dataclasses.replace(clause, functions=concerned or clause.functions)


def _store_success(text: str, names: tuple[str, ...], errors: ScopeErrors) -> None:
    """Store a paragraph about success for the functions that it names, or for all functions if it names none.

    The first paragraph that states when success is returned has precedence over paragraphs that only mention success.
    """
    says = bool(_SUCCEEDS.search(text))
    if not says and not _SUCCESS.search(text):
        return
    named = [name for name in names if re.search(rf"\b{name}\b", text)]
    for name in named or names:
        if name not in errors.success or (says and not _SUCCEEDS.search(errors.success[name])):
            errors.success[name] = text


def _store_inheritance(text: str, errors: ScopeErrors) -> None:
    inherits = _INHERITS.search(text)
    if inherits and not errors.inherits:
        errors.inherits = tuple(re.findall(r"cl[A-Z]\w+", inherits[1]))
    replaced = _REPLACED.match(text) or _REMOVED.match(text)
    if replaced:
        errors.replaces = (*errors.replaces, replaced[1])


def _read_list(
    block: DocumentBlock, introduction: str, names: tuple[str, ...], codes: frozenset[str], errors: ScopeErrors
) -> None:
    texts = [item_text(item) for item in block.items]
    fails = _FAILS.search(introduction)
    failing = (fails[1],) if fails and fails[1] in names else ()
    heads = ["NULL" if failing else _leading_code(text, codes) for text in texts]
    if not failing and (not any(heads) or not _is_error_list(introduction, texts, heads)):
        return
    errors.read_blocks.append(block)
    shared = () if failing else conditions_of_list(introduction)
    for item, whole, code in zip(block.items, texts, heads, strict=True):
        if not code:
            errors.unread.append(whole)
            continue
        parts = list(_conditions(item, errors))
        for text, marked in parts:
            called = tuple(name for name in _CALLED.findall(text) if name in names)
            own = conditions_of_error(text)
            applicability = (*shared, *(gate for gate in own if gate not in shared))
            part_of = whole if len(parts) > 1 else ""
            concerned = failing or called or names
            errors.conditions.append(
                FoundCondition(concerned, code, text, block.section, applicability, marked, part_of)
            )


def _conditions(
    item: list[DocumentBlock], errors: ScopeErrors, above: str = ""
) -> Iterator[tuple[str, frozenset[str] | None]]:
    """Yield each condition in an item: its text, beginning with ``above``, and its words that are formatted as names.

    A list in an item may contain separate conditions, or belong to the condition above it.
    """
    own = [block for block in item if block.kind != "list"]
    lead = " ".join(part for part in (above, *(block.full_text() for block in own)) if part)
    inner = [block for block in item if block.kind == "list"]
    if inner and _SEPARATE_CONDITIONS.match(lead):
        marked = DocumentBlock("list", items=[own]).all_formatted_names()
        for each in (each for block in inner for each in block.items):
            for text, names in _conditions(each, errors, lead):
                yield text, names if marked is None or names is None else names | marked
        return
    if inner and not _SINGLE_CONDITION.match(lead):
        errors.unclear.append(lead)
    text = " ".join(part for part in (above, item_text(item)) if part)
    yield (_LINK.sub("", text) if above else text), DocumentBlock("list", items=[item]).all_formatted_names()


def item_text(item: list[DocumentBlock]) -> str:
    """Return an item and everything below the item as one line."""
    return " ".join(block.full_text() for block in item)


def _leading_code(text: str, codes: frozenset[str]) -> str:
    """Return the error code at the beginning of an item.

    An unknown code counts only if a condition follows it.
    """
    match = _CODE.match(text)
    if not match:
        return ""
    if match[1] in codes:
        return match[1]
    return match[1] if re.match(r"(?:,|:| -)? ?(?:if|when|is returned if|or) ", text[match.end() :]) else ""


def _is_error_list(introduction: str, texts: list[str], heads: list[str]) -> bool:
    """Return whether a list contains errors: the text above mentions errors, or conditions follow the codes."""
    conditions = sum(bool(re.match(r"CL_\w+\W+(?:if|when|is returned)\b", text)) for text in texts)
    return bool(_ERRORS.search(introduction) or conditions * 2 >= len([head for head in heads if head]))
