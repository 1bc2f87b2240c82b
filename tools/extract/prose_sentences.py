"""Classifies the sentences of the prose: effects, usage rules, repetitions of other requirements, and information.

The classification is a stored table by context and digest, because it cannot be automated. A sentence that the table
lacks is *unparsed*. The context of a sentence is the name to which it belongs: a function (or several, joined by
``+``), a query, a partition scheme, or the title of a section.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.spec_tables.requirements import ApplicabilityCondition, Effect, Section, UsageRule
from clconform.tools.extract.applicability_notes import is_note
from clconform.tools.extract.drafts import RequirementDraft
from clconform.tools.extract.prototypes import counterpart_parameter_names
from clconform.tools.extract.sentence_text import find_own_parameters, find_symbols, sentence_digest, split_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.spec_tables.requirements import Function
    from clconform.tools.extract.document_blocks import DocumentBlock
    from clconform.tools.extract.scopes import FunctionScope

ANY_CONTEXT = "*"
"""The context of sentences that occur under several headings with the same meaning."""

REQUIREMENT_CLASSES = ("effect", "usage")
"""The classes of sentences that become requirements."""
EXCLUDED_CLASSES = ("enforced", "repeats", "definition", "permission", "device-code", "informative")
"""The classes of sentences that a person has read and excluded."""
SILENT, UNCLASSIFIED = "silent", "unsorted"
"""The class of sentences that only introduce the following text, and the class of unclassified sentences."""
_INTRODUCES = re.compile(
    r"^(?:.*\b(?:call|calls|using|with) (?:the|one of the|either of the) functions?:?"
    r"|\d+\.|Example:?|For example:?|CAUTION:|Note:?"
    r"|Otherwise,? (?:it|they) returns? .*\berrors?\b.*:|\{ .* \}"
    r"|(?!.*\b(?:must|shall|may|can|values?|list)\b)[\w, ]+:)$"
)
_CALLING = re.compile(r"^Calling (cl[A-Z]\w+)\b")
_NAMES_ONLY = re.compile(r"^(?:(?:CL_|cl_|__opencl_)\w+(?:,? (?:or|and))?[,. ]*)+$")


def is_introduction(sentence: str) -> bool:
    """Return whether a sentence only introduces text, or only contains applicability conditions or names."""
    return bool(is_note(sentence) or _INTRODUCES.match(sentence) or _NAMES_ONLY.match(sentence))


class SentenceClass(msgspec.Struct, frozen=True, omit_defaults=True):
    """The class of one sentence and its properties.

    ``classification``: ``effect`` (a requirement on the implementation) or ``usage`` (a duty of the application that no
    error code checks), which become requirements. Otherwise ``enforced`` (error conditions of the function check it),
    ``repeats`` (another requirement has the same content), ``definition`` (of a term), ``permission`` (an optional or
    implementation-defined behaviour), ``device-code`` (about kernels, not visible through the API), or ``informative``.
    ``subject``: the beginning of the requirement's id, if it is not the context. ``function``: the function of the
    requirement, if the subject is not a function. ``topic``: a short name in the project's words. ``of``: for a
    repetition, the repeated requirement. ``text``: the text of the requirement in the project's words.
    """

    classification: str
    topic: str = ""
    subject: str = ""
    function: str = ""
    of: str = ""
    text: str = ""


Classification = dict[str, dict[str, SentenceClass]]


@dataclasses.dataclass(frozen=True, slots=True)
class ProseSentence:
    """A sentence of the prose with its location.

    ``function``: the function that it concerns, or empty. ``listed``: the names in the list that follows.
    ``formatted_names``: the words of its paragraph that are formatted as names; None if the document does not format
    names. ``functions``: if several functions share a description, those that the sentence is about.
    """

    context: str
    text: str
    section: Section
    document: str
    function: str = ""
    applicability: tuple[ApplicabilityCondition, ...] = ()
    names: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    formatted_names: frozenset[str] | None = None
    functions: tuple[Function, ...] = ()


def extract_sentences(
    scope: FunctionScope,
    taken: list[DocumentBlock],
    successes: set[str],
    document: str,
    functions: Mapping[str, Function],
) -> list[ProseSentence]:
    """Return the sentences of a scope that were not already read as part of lists, tables or success texts."""
    context = "+".join(function.name for function in scope.functions) or scope.section.title
    function = scope.functions[0] if scope.functions else None
    name, applicability = (function.name, function.applicability) if function else ("", ())
    pieces = [piece for block in scope.blocks for piece in _block_paragraphs(block, taken) if piece[0] not in successes]
    names = scope.parameter_names()
    return [
        ProseSentence(
            context,
            sentence,
            scope.section,
            document,
            name,
            applicability,
            names,
            listed=listed,
            formatted_names=marked,
            functions=_concerned_functions(sentence, (paragraph, marked), scope, functions),
        )
        for (paragraph, marked), parts in zip(pieces, _pair_paragraphs([text for text, _ in pieces]), strict=True)
        for sentence, listed in parts
    ]


def _concerned_functions(
    sentence: str, paragraph: tuple[str, frozenset[str] | None], scope: FunctionScope, functions: Mapping[str, Function]
) -> tuple[Function, ...]:
    """Return the functions that a sentence is about.

    If the sentence begins with the call of a function, this is the function. Otherwise, these are the functions that
    the sentence names. If it names none, parameters determine the functions: those in the sentence, or else those in
    its paragraph. Parameters that all functions have do not count.
    """
    called = _CALLING.match(sentence)
    if called and called[1] in functions and scope.functions:
        return (functions[called[1]],)
    if len(scope.functions) <= 1:
        return ()
    named = find_symbols(sentence)
    own = tuple(function for function in scope.functions if function.name in named)
    if own:
        return own
    has = {
        function.name: {parameter.name for parameter in function.parameters}
        | counterpart_parameter_names(function, scope.functions).keys()
        for function in scope.functions
    }
    common = set.intersection(*has.values())
    for text in (sentence, paragraph[0]):
        special = set(find_own_parameters(text, scope.parameter_names(), paragraph[1])) - common
        own = tuple(function for function in scope.functions if special & has[function.name])
        if own:
            return own
    return tuple(scope.functions)


def pair_with_lists(paragraphs: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Pair every sentence with the names listed below it.

    A list belongs to the last sentence of its paragraph.
    """
    return [pair for parts in _pair_paragraphs(paragraphs) for pair in parts]


def _pair_paragraphs(paragraphs: Sequence[str]) -> list[list[tuple[str, tuple[str, ...]]]]:
    """Return the sentences of each paragraph, each with the names listed below the sentence."""
    found: list[list[tuple[str, tuple[str, ...]]]] = []
    for index, paragraph in enumerate(paragraphs):
        listed: list[str] = []
        for following in paragraphs[index + 1 :]:
            if not _NAMES_ONLY.match(following):
                break
            listed += find_symbols(following)
        parts = split_sentences(paragraph)
        announces = bool(parts) and re.search(r":$|\bfollowing\b", parts[-1])
        pairs: list[tuple[str, tuple[str, ...]]] = [(sentence, ()) for sentence in parts[:-1]]
        pairs += [(sentence, tuple(listed) if announces else ()) for sentence in parts[-1:]]
        found.append(pairs)
    return found


def _block_paragraphs(block: DocumentBlock, taken: list[DocumentBlock]) -> list[tuple[str, frozenset[str] | None]]:
    """Return the texts in a block, each with its words that are formatted as names.

    They are its paragraphs, the items of its lists, or its table cells. A block in ``taken`` has none.
    """
    if any(block is other for other in taken) or block.kind in ("heading", "listing"):
        return []
    if block.kind == "table":
        return [(cell.text, cell.formatted_names) for row in block.rows for cell in row if cell.text]
    own = [(block.text, block.formatted_names)] if block.text else []
    return own + [piece for item in block.items for inner in item for piece in _block_paragraphs(inner, taken)]


def is_classified(sentence: ProseSentence, classification: Classification) -> bool:
    """Return whether the classification contains a sentence in the sentence's context."""
    return sentence_digest(sentence.text) in classification.get(sentence.context, {})


@dataclasses.dataclass(slots=True)
class SentenceClassification:
    """The classified sentences.

    ``drafts``: the requirements created from the sentences. ``classified``: each sentence with its class: one of
    ``REQUIREMENT_CLASSES`` or ``EXCLUDED_CLASSES``, ``SILENT`` if it only introduces text, or ``UNCLASSIFIED``.
    """

    drafts: list[RequirementDraft] = dataclasses.field(default_factory=list)
    classified: list[tuple[ProseSentence, str]] = dataclasses.field(default_factory=list)

    def unclassified(self) -> list[ProseSentence]:
        """Return the sentences that have no class."""
        return [sentence for sentence, sort in self.classified if sort == UNCLASSIFIED]


def classify_sentences(
    found: list[ProseSentence], classification: Classification, functions: dict[str, str]
) -> SentenceClassification:
    """Return the sentences with their classes, and the requirements created from them.

    ``functions``: maps subjects that are not functions (queries, partition schemes) to their function.
    """
    sorting = SentenceClassification()
    homes = _contexts_by_digest(classification)
    present = {(sentence.context, sentence_digest(sentence.text)) for sentence in found}
    for sentence in (_in_classified_context(sentence, classification, homes, present) for sentence in found):
        key = sentence_digest(sentence.text)
        sort = classification.get(sentence.context, {}).get(key) or classification.get(ANY_CONTEXT, {}).get(key)
        if sort is None or sort.classification not in (*REQUIREMENT_CLASSES, *EXCLUDED_CLASSES):
            silent = sort is None and is_introduction(sentence.text)
            sorting.classified.append((sentence, SILENT if silent else UNCLASSIFIED))
            continue
        sorting.classified.append((sentence, sort.classification))
        if sort.classification in REQUIREMENT_CLASSES:
            sorting.drafts += [_make_draft(one, sort, key, functions) for one in _split_by_function(sentence, sort)]
    return sorting


def _split_by_function(sentence: ProseSentence, sort: SentenceClass) -> list[ProseSentence]:
    """Return a copy of a sentence for each function that it is about.

    If the classification states a subject, return the sentence only once.
    """
    if sort.subject or sort.function or not sentence.functions:
        return [sentence]
    return [
        dataclasses.replace(
            sentence,
            context=function.name,
            function=function.name,
            applicability=function.applicability,
            names=tuple(parameter.name for parameter in function.parameters),
        )
        for function in sentence.functions
    ]


def refer_usage_rules(
    drafts: Sequence[RequirementDraft], function: Function, other: str, names: frozenset[str]
) -> list[RequirementDraft]:
    """Return the usage rules of another function that also apply to ``function``, because they share parameters."""
    rules = [draft.requirement for draft in drafts if isinstance(draft.requirement, UsageRule)]
    return [
        RequirementDraft(
            f"{function.name}/usage",
            msgspec.structs.replace(rule, applicability=function.applicability, function=function.name),
        )
        for rule in rules
        if rule.function == other and rule.parameters and names.issuperset(rule.parameters)
    ]


def _contexts_by_digest(classification: Classification) -> dict[str, list[str]]:
    """Map the digest of each classified sentence to the contexts in which the sentence is classified."""
    found: dict[str, list[str]] = {}
    for context, sorts in classification.items():
        for key in sorts:
            found.setdefault(key, []).append(context)
    return found


def _in_classified_context(
    sentence: ProseSentence, classification: Classification, homes: dict[str, list[str]], present: set[tuple[str, str]]
) -> ProseSentence:
    """Return a sentence with the only context in which its text is classified, so that it keeps its requirement.

    The sentence is unchanged if it is classified in its own context, or if the document also contains it in the
    classified context. ``homes``: maps digests to the contexts in which they are classified. ``present``: context and
    digest of all sentences.
    """
    key = sentence_digest(sentence.text)
    contexts = homes.get(key, [])
    if is_classified(sentence, classification) or len(contexts) != 1 or contexts == [ANY_CONTEXT]:
        return sentence
    if (contexts[0], key) in present:
        return sentence
    if sentence.function and sentence.function in contexts[0].split("+"):
        return dataclasses.replace(sentence, context=contexts[0])
    return dataclasses.replace(sentence, context=contexts[0], function="", applicability=(), names=(), functions=())


def _id_subject(sentence: ProseSentence, *, clarifies: bool) -> str:
    """Return the beginning of a requirement's id: a function, a query, or the document with the title of a section.

    If several functions share the context, the first counts. ``clarifies``: return the document with the unchanged
    context.
    """
    if clarifies:
        return f"{sentence.document}:{sentence.context}"
    if re.match(r"cl[A-Z]|CL_", sentence.context):
        return sentence.context.partition("+")[0]
    title = re.sub(r"\W+", "-", sentence.context.lower()).strip("-")
    return f"{sentence.document}:{title}"


def _make_draft(sentence: ProseSentence, sort: SentenceClass, key: str, functions: dict[str, str]) -> RequirementDraft:
    clarifies = not sentence.function and re.match(r"cl[A-Z]", sentence.context)
    subject = sort.subject or _id_subject(sentence, clarifies=bool(clarifies))
    function = sort.function or functions.get(subject) or functions.get(sentence.context) or sentence.function
    facts: dict[str, Any] = {
        "id": "",
        "document": sentence.document,
        "section": sentence.section,
        "digest": key,
        "applicability": sentence.applicability,
        "symbols": tuple(dict.fromkeys((*find_symbols(sentence.text), *sentence.listed))),
        "parameters": find_own_parameters(sentence.text, sentence.names, sentence.formatted_names),
        "function": function,
    }
    facts |= {"topic": sort.topic, "text": sort.text}
    if sort.classification == "usage":
        return RequirementDraft(f"{subject}/usage", UsageRule(**facts))
    return RequirementDraft(subject if ":" in subject else f"{subject}/effect", Effect(**facts))
