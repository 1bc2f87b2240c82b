"""The types that requirements refer to: functions, callbacks, C types, enumerants, sections, documents and errata."""

from __future__ import annotations

import msgspec


class Section(msgspec.Struct, frozen=True, omit_defaults=True):
    """The section of a requirement: ``number`` as printed (``4.3``, may be empty), ``title``, ``anchor``."""

    number: str
    title: str
    anchor: str = ""


class RevisionChange(msgspec.Struct, frozen=True, omit_defaults=True, cache_hash=True):
    """A change of an extension between two of its revisions.

    ``revision``: the first revision with the change. ``until``: if the text was changed without a new number, the
    first revision that certainly has the change; between both, a driver may follow either text. ``kind``: ``first``,
    ``number`` (only the number changed), ``addition``, ``wording`` (the meaning is the same), ``prototype``, ``values``
    or ``text``. ``names``: patterns of the functions, values and requirement ids that changed; a function stands for
    all its requirements. ``removal``: the names were removed, so tables of an earlier revision also allow what later
    drivers return. ``reason``: the change in our words. ``source``: where the history states it.
    """

    extension: str
    revision: str
    kind: str
    reason: str
    source: str
    names: tuple[str, ...] = ()
    until: str = ""
    removal: bool = False


class ApplicabilityCondition(msgspec.Struct, frozen=True, omit_defaults=True, cache_hash=True):
    """An applicability condition: a condition on the platform under which a requirement applies.

    ``subject``: ``platform-version``, ``device-version``, ``extension``, ``profile`` or ``language-version``. ``name``:
    the extension's or the profile's name. ``since`` and ``before``: versions (``1.2``), a half-open range. ``instead``:
    an extension with which the requirement applies in any version.
    ``changes``: the changes of the requirement, function or value between revisions of the extension, and of the
    extensions that it requires; only loaded tables have them.
    """

    subject: str
    name: str = ""
    since: str = ""
    before: str = ""
    instead: str = ""
    changes: tuple[RevisionChange, ...] = ()


class Parameter(msgspec.Struct, frozen=True, omit_defaults=True):
    """One parameter: ``type`` as the prototype spells it (an array as a pointer).

    ``base``: the type without const and stars. ``pointers``: the number of stars. ``direction``: ``in``, ``out`` or
    ``callback``. ``const`` refers to the pointed-to type.
    """

    name: str
    type: str
    base: str
    pointers: int
    const: bool
    direction: str


class Function(msgspec.Struct, frozen=True, omit_defaults=True):
    """A function's prototype and its section.

    ``error_by``: ``return`` (a cl_int), ``errcode_ret`` (through that parameter) or ``none``. ``creates``: the handle
    type that a successful call creates (by return value or out-parameter), or empty. ``queries``: True for the
    clGet...Info functions, which take a param_name and a sized value.
    """

    name: str
    returns: str
    parameters: tuple[Parameter, ...]
    document: str
    section: Section
    applicability: tuple[ApplicabilityCondition, ...] = ()
    deprecated_by: str = ""
    error_by: str = "return"
    creates: str = ""
    queries: bool = False


class Callback(msgspec.Struct, frozen=True, omit_defaults=True):
    """An application function that ``function`` takes as ``parameter``; ``name`` is FUNCTION/PARAMETER.

    ``type``: the C spelling of the function pointer. Parameters that are unnamed in the prototype have an empty name.
    """

    name: str
    function: str
    parameter: str
    type: str
    returns: str
    parameters: tuple[Parameter, ...]
    document: str
    section: Section
    applicability: tuple[ApplicabilityCondition, ...] = ()


class Type(msgspec.Struct, frozen=True, omit_defaults=True):
    """A C type.

    ``kind``: ``scalar``, ``handle``, ``bitfield``, ``struct`` or ``opaque``. ``base``: for scalars and bit-fields the
    machine type (``int32``, ``uint64``, ``size_t``, ``intptr_t``, ...). ``fields``: name and type spelling of a
    structure's members, in order.
    """

    name: str
    kind: str
    base: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class Enumerant(msgspec.Struct, frozen=True, omit_defaults=True):
    """A named value; ``group``: the type or block that it belongs to in the registry."""

    name: str
    value: int
    group: str
    documents: tuple[str, ...] = ()
    applicability: tuple[ApplicabilityCondition, ...] = ()


class Extension(msgspec.Struct, frozen=True, omit_defaults=True):
    """An extension; ``revision``: the revision in the tables, or ``UNNUMBERED``; ``requires``: further extensions.

    ``history``: the changes between its revisions; only loaded tables have it, and only if it is known.
    """

    name: str
    revision: str
    requires: tuple[str, ...] = ()
    history: tuple[RevisionChange, ...] = ()

    @property
    def provisional(self) -> bool:
        """Return whether a later revision of the extension may change existing features."""
        return is_provisional(self.revision)


UNNUMBERED = "0.0.0"
"""The revision that stands for an extension whose document does not state a revision."""


def is_provisional(revision: str) -> bool:
    """Return whether a revision is a draft (before 1.0); False for ``UNNUMBERED``."""
    return revision.startswith("0.") and not revision.startswith("0.0.")


class Condition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A recurring kind of condition with its operands; the kind is ``other`` if the condition does not recur.

    ``spec_tables.conditions`` lists the kinds with their meaning.
    """

    kind: str
    parameters: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class SentenceCount(msgspec.Struct, frozen=True):
    """The number of sentences of a chapter with the same classification.

    ``chapter``: number and title, or the title alone. ``classification``: ``effect`` and ``usage`` (requirements),
    ``enforced``, ``repeats``, ``definition``, ``permission``, ``device-code`` and ``informative`` (read and left out),
    or ``silent`` (introduces the following sentences).
    """

    document: str
    chapter: str
    classification: str
    count: int


class Erratum(msgspec.Struct, frozen=True, omit_defaults=True):
    """A misprint: the printed text, the text used instead, and the reason.

    ``everywhere``: the extractor replaces the printed text before it reads the document; otherwise the entry is
    information for readers of the requirements.
    """

    document: str
    printed: str
    corrected: str
    reason: str
    everywhere: bool = False


class Document(msgspec.Struct, frozen=True, omit_defaults=True):
    """A source document: ``key`` is its short name in requirements, ``revision`` as the document states it.

    ``chapters``: the titles of its numbered chapters and of their direct sections, by number.
    """

    key: str
    title: str
    revision: str
    digest: str
    chapters: dict[str, str] = {}
