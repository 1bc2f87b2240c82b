"""Extracts rules on pitches, alignments and sizes from the prose: minimum values, multiples, and the meaning of 0."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import SizeRule
from clconform.tools.extract.alignments import unit_in
from clconform.tools.extract.drafts import RequirementDraft
from clconform.tools.extract.sentence_text import find_symbols, sentence_digest, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from clconform.spec_tables.requirements import Function, Section, Type
    from clconform.tools.extract.scopes import FunctionScope

_UNKNOWN = "unknown"
"""The relation of a sentence that resembles a rule but depends on an unknown circumstance."""

_TIMES = "\N{MULTIPLICATION SIGN}"
_MEASURED = re.compile(r"(?:\w+_)?(?:pitch|host_ptr|alignment)\Z")
_ALIKE = (
    (r"(?:the )?size of (?:an|each) (?:image )?element in bytes|size of element in bytes", "element-size"),
    (r"(?:the )?(?:image )?element size in bytes", "element-size"),
    (r"(?:the )?(?:size of )?(?:the )?largest (?:built-in )?data type supported by[^.,]*", "largest-data-type"),
    (r"\b(?:the )?image (row|slice) pitch", r"image_\1_pitch"),
    (r" (?:multiplied by|times) ", f" {_TIMES} "),
)
_FACTOR = r"(?:element-size|largest-data-type|CL_\w+|[a-z]\w*(?:\[\d\])?)"
_PRODUCT = rf"({_FACTOR}(?: {_TIMES} {_FACTOR})*)"
_FORMS = (
    ("at-least", re.compile(rf"(?:≥|\bgreater than or equal to) (?:the )?{_PRODUCT}")),
    ("at-most", re.compile(rf"(?:\bequal to or smaller than|\bpower of two up to) {_PRODUCT}")),
    ("multiple-of", re.compile(rf"\b(?:a multiple of|aligned to) (?:the )?(?:maximum of the )?{_PRODUCT}")),
    ("taken-as", re.compile(rf"\b(?:calculated|computed) (?:as|based on) (?:the )?{_PRODUCT}")),
    ("taken-as", re.compile(rf"\bdefault alignment will be (?:used that is )?equal to {_PRODUCT}")),
    ("zero", re.compile(r"\bmust be (?:0|zero)(?= if\b)")),
)
_BELOW = re.compile(rf"\b{_PRODUCT} must be ≤ (?:the )?size of the buffer object specified by (\w+)")
_AT_LEAST = re.compile(rf"\(?{_PRODUCT}\)? (bytes|pixels) in size(?: for (an? .*?))?(?=, \(|, and \(|\.?$)")
_RETURNED = re.compile(r"\bpointer returned maps\b")
_ITEM = re.compile(r"(\w+)(?: in cl\w+)?(?:(?:,| and) (\w+)(?: in cl\w+)?)* (?:is|are|defines?|specif(?:y|ies))\b")
_PARTS = re.compile(r",? and (?=must\b|can\b|as\b|the default\b)|, (?=must\b)|[,.] (?=If )")
_LEADING = re.compile(r"^(?:If|For) (.*?)(?:,? then |, (?!and |or )|(?<=buffer) (?=(?:the )?\w+_\w+\b))")
_DEPENDS = re.compile(r"(?:If|For|When|Where|Unless|Otherwise|In case)\b")
"""Matches the beginning of a sentence that holds only under a circumstance."""
_TRAILING = re.compile(r"(?:,? (?:if|when)|,? for(?= an? )|,?(?= unless\b)) (.*?)\.?$")
_CIRCUMSTANCES = (
    ("zero-given", r"\w+(?: \(or \w+\))? is (?:set to )?(?:0|zero)"),
    ("not-zero", r"\w+ is (?:not (?:0|zero)|non-zero)"),
    ("no-host-pointer", r"host_ptr is NULL"),
    ("host-pointer", r"host_ptr is not NULL"),
    ("no-device", r"device is NULL"),
    ("device-given", r"device is not NULL"),
    ("not-external-memory", r"the image is not an image created from an external memory handle"),
    ("external-memory", r"the image is created from an external memory handle"),
    ("not-image-from-buffer", r"the image is not a 2D image created from a buffer"),
    ("image-from-buffer", r"(?:a )?2D image created from a buffer(?: object)?"),
    ("buffer-uses-host-pointer", r"the buffer object specified by \w+ was created with CL_MEM_USE_HOST_PTR"),
    ("image-1d-buffer", r"1D image buffer"),
    ("image-1d-array", r"1D image array|image-array-1d"),
    ("image-2d-array", r"2D image array"),
    ("image-1d", r"(?:image is )?a?n? ?1D(?: image)?"),
    ("image-2d", r"2D image"),
    ("image-3d", r"3D image"),
)
_JOINED = re.compile(r",? and (?=the image|host_ptr|device|\w+_\w+ )|, (?:or )?| or ")
_ARTICLE = re.compile(r"^an? (?=\dD)")


@dataclasses.dataclass(frozen=True, slots=True)
class _ParsedRule:
    subject: str
    relation: str
    factors: tuple[str, ...]
    unit: str
    when: tuple[str, ...]
    text: str
    allows_zero: bool = False


@dataclasses.dataclass(slots=True)
class ScopeSizes:
    """The size rules of a scope.

    ``unread``: digests of sentences that resemble a rule but depend on an unknown circumstance.
    """

    drafts: list[RequirementDraft] = dataclasses.field(default_factory=list)
    unread: list[str] = dataclasses.field(default_factory=list)


def extract_sizes(
    scope: FunctionScope,
    document: str,
    functions: Mapping[str, Function],
    types: Mapping[str, Type],
    units: Mapping[str, str],
) -> ScopeSizes:
    """Return the size rules of a scope, for each function with its own parameter names.

    ``units``: maps queries to units.
    """
    found = ScopeSizes()
    for rule in _parse_scope(scope):
        if rule.relation == _UNKNOWN:
            found.unread.append(sentence_digest(rule.text))
            continue
        for function in _concerned_functions(scope, functions, types):
            requirement = _make_requirement(rule, function, document, scope.section, units)
            if requirement is not None:
                found.drafts.append(RequirementDraft(f"{function.name}/size", requirement))
    return found


def _make_requirement(
    rule: _ParsedRule, function: Function, document: str, section: Section, units: Mapping[str, str]
) -> SizeRule | None:
    names = [parameter.name for parameter in function.parameters]
    if rule.subject and _is_parameter_of_other(rule.subject, names):
        return None
    factors = tuple(_own_name(factor, names) for factor in rule.factors)
    return SizeRule(
        id="",
        document=document,
        section=section,
        digest=sentence_digest(rule.text),
        applicability=function.applicability,
        symbols=find_symbols(rule.text),
        function=function.name,
        subject=rule.subject,
        relation=rule.relation,
        factors=factors,
        unit=rule.unit,
        of_unit=next((units[factor] for factor in factors if units.get(factor)), ""),
        allows_zero=rule.allows_zero,
        when=rule.when,
    )


def _is_parameter_of_other(subject: str, names: list[str]) -> bool:
    """Return whether ``subject`` is a parameter of another function of the scope.

    The names of the function's own parameters, ``names``, then contain it only in a longer or shorter form.
    """
    alike = [name for name in names if name.endswith(f"_{subject}") or subject.endswith(f"_{name}")]
    return subject not in names and bool(alike)


def _own_name(factor: str, names: list[str]) -> str:
    """Return a function's own name for a parameter; another function of the scope names it without a prefix."""
    if factor in names or not re.fullmatch(r"[a-z]\w*", factor):
        return factor
    return next((name for name in names if name.endswith(f"_{factor}")), factor)


def _concerned_functions(
    scope: FunctionScope, functions: Mapping[str, Function], types: Mapping[str, Type]
) -> Iterator[Function]:
    """Yield the functions to which a scope applies.

    These are its own functions; if it has none, the functions that take a structure which the scope defines.
    """
    for function in scope.functions:
        yield functions.get(function.name, function)
    if scope.functions:
        return
    printed = " ".join(block.text for block in scope.blocks if block.kind == "listing")
    holders = {name for name, entry in types.items() if entry.fields and re.search(rf"\bstruct {name}\b", printed)}
    for function in functions.values():
        if any(parameter.base in holders for parameter in function.parameters):
            yield function


def _parse_scope(scope: FunctionScope) -> Iterator[_ParsedRule]:
    for block in scope.blocks:
        if block.kind == "list":
            for item in block.items:
                yield from _parse_item(" ".join(part.full_text() for part in item))
        elif block.kind == "paragraph":
            yield from _parse_item(block.text)
            yield from _parse_paragraph(_normalize_terms(block.text))


def _parse_item(text: str) -> Iterator[_ParsedRule]:
    described = _ITEM.match(text)
    subjects = [name for name in re.findall(r"\w+", described[0]) if _MEASURED.match(name)] if described else []
    if not subjects:
        return
    unit = unit_in((text,)) or "bytes"
    before: tuple[str, ...] = ()
    for sentence in (part for whole in split_sentences(_normalize_terms(text)) for part in _sentence_parts(whole)):
        for rule in _parse_sentence(sentence, subjects, unit, before):
            yield rule
            before = rule.when if rule.relation == "zero" else before


def _sentence_parts(sentence: str) -> list[str]:
    """Return the parts of a sentence.

    A part after a comma counts separately if it is a complete sentence.
    """
    return [part for part in re.split(r"(?<=\w), (?=If \w)", sentence) if part]


def _parse_sentence(sentence: str, subjects: list[str], unit: str, before: tuple[str, ...]) -> Iterator[_ParsedRule]:
    leading = _LEADING.match(sentence)
    general = ("otherwise",) if before and sentence.startswith("Otherwise") else _leading_circumstances(sentence)
    rest = sentence[leading.end() :] if leading else sentence
    last = ""
    for part in _PARTS.split(rest):
        text = f"{last} {part}" if part.startswith("as ") else part
        for relation, form in _FORMS:
            match = form.search(text)
            if match is None:
                continue
            last = "calculated" if relation == "taken-as" else ""
            trailing = _TRAILING.search(text, match.end())
            own = parse_circumstances(trailing[1]) if trailing else ()
            if general is None or own is None:
                yield _ParsedRule(subjects[0], _UNKNOWN, (), "", (), sentence)
                continue
            when = tuple(dict.fromkeys((*general, *own)))
            factors = tuple(match[1].split(f" {_TIMES} ")) if match.groups() else ()
            zero = "not-zero" in when or bool(re.search(r"\b(?:either )?0 or ≥", text))
            kept = tuple(name for name in when if name != "not-zero")
            for subject in subjects:
                yield _ParsedRule(subject, relation, factors, unit, kept, sentence, zero and relation != "zero")


def _leading_circumstances(sentence: str) -> tuple[str, ...] | None:
    """Return the circumstances with which a sentence begins, or None if one of them is unknown."""
    leading = _LEADING.match(sentence)
    if leading:
        return parse_circumstances(leading[1])
    return None if _DEPENDS.match(sentence) else ()


def _parse_paragraph(text: str) -> Iterator[_ParsedRule]:
    for sentence in split_sentences(text):
        general = _leading_circumstances(sentence)
        below = _BELOW.search(sentence)
        if below and general is not None:
            yield _ParsedRule(below[2], "at-least", tuple(below[1].split(f" {_TIMES} ")), "bytes", general, sentence)
        aligned = re.search(rf"\bthe (host_ptr) specified .* must be {_FORMS[2][1].pattern}", sentence)
        if aligned and general is not None:
            yield _ParsedRule(aligned[1], "multiple-of", (aligned[2],), "", general, sentence)
        if (below or aligned) and general is None:
            yield _ParsedRule("", _UNKNOWN, (), "", (), sentence)
        if _RETURNED.search(sentence):
            for match in _AT_LEAST.finditer(sentence):
                own = parse_circumstances(match[3]) if match[3] else ()
                if own is None:
                    yield _ParsedRule("", _UNKNOWN, (), "", (), sentence)
                else:
                    yield _ParsedRule("", "at-least", tuple(match[1].split(f" {_TIMES} ")), match[2], own, sentence)


def _normalize_terms(text: str) -> str:
    """Return a text in which each term has only one spelling."""
    for pattern, name in _ALIKE:
        text = re.sub(pattern, name, text)
    return text


def parse_circumstances(text: str) -> tuple[str, ...] | None:
    """Return the circumstances that a text names, or None if one of them is unknown."""
    found: list[str] = []
    for part in _JOINED.split(text.strip(" .,")):
        named = _circumstance_name(_ARTICLE.sub("", part.strip()))
        if named is None:
            return None
        found += named
    return tuple(dict.fromkeys(found))


def _circumstance_name(text: str) -> Iterable[str] | None:
    return next(([slug] for slug, pattern in _CIRCUMSTANCES if re.fullmatch(pattern, text)), None)
