"""The requirements, as facts without behaviour; each is one statement of a document."""

from __future__ import annotations

from typing import Union

import msgspec

from clconform.spec_tables.entries import (
    ApplicabilityCondition,
    Callback,
    Condition,
    Document,
    Enumerant,
    Erratum,
    Extension,
    Function,
    Parameter,
    Section,
    Type,
)

__all__ = [
    "AccessQualifier",
    "AlignmentRule",
    "AllocationAccess",
    "ApplicabilityCondition",
    "Callback",
    "CommandType",
    "CompatibleOrder",
    "Condition",
    "Document",
    "Effect",
    "Enumerant",
    "Erratum",
    "ErrorCondition",
    "Extension",
    "Flag",
    "Function",
    "HandleTransference",
    "HostPointerSize",
    "Limit",
    "OptionalBehaviour",
    "Parameter",
    "PartitionScheme",
    "Property",
    "Query",
    "RequiredImageFormat",
    "Requirement",
    "Section",
    "SharingFormat",
    "SizeRule",
    "StateTransition",
    "Success",
    "Type",
    "UsageRule",
]


class _Requirement(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind"):
    """The common fields of requirements; ``digest`` identifies the sentence of the document, which is not stored."""

    id: str
    document: str
    section: Section
    digest: str
    applicability: tuple[ApplicabilityCondition, ...] = ()
    symbols: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


class ErrorCondition(_Requirement, frozen=True, omit_defaults=True, tag="error-clause"):
    """An error condition: a function must or may return ``code`` if the condition holds.

    ``inherited_from``: the condition of another function that also applies to this function according to the document;
    the ids of such inherited conditions begin with ``FUNCTION/via/OTHER``. ``reworded``: the sentence differs from the
    sentence that the id was assigned to, and their meanings have not been compared yet; until then the predicate may be
    incorrect. ``part_of``: the error condition of an older revision that contains this one.
    """

    function: str = ""
    code: str = ""
    condition: Condition = Condition("other")
    inherited_from: str = ""
    reworded: bool = False
    part_of: str = ""


class Success(_Requirement, frozen=True, omit_defaults=True, tag="success"):
    """The behaviour of a successful call of ``function``. Errors that are not allowed are attributed to it too."""

    function: str = ""


class Effect(_Requirement, frozen=True, omit_defaults=True, tag="effect"):
    """A further requirement of the prose on ``function``, or on objects that the function has created.

    ``topic``: a short name that groups effects. ``text``: the requirement in our words, if no rule states it.
    """

    function: str = ""
    topic: str = ""
    text: str = ""


class Query(_Requirement, frozen=True, omit_defaults=True, tag="query"):
    """A ``param_name`` of a query function.

    ``type``: the element's C type. ``shape``: ``scalar``, ``array`` (of ``char``: bytes without a terminator) or
    ``string``. ``unit``: ``bits``, ``bytes``, ``pixels``, ``MHz`` or ``nanoseconds``, if the description begins with
    this word.
    """

    function: str = ""
    name: str = ""
    type: str = ""
    shape: str = "scalar"
    unit: str = ""
    deprecated_by: str = ""


class PartitionScheme(_Requirement, frozen=True, omit_defaults=True, tag="partition-scheme"):
    """A partition scheme.

    ``value_type``: the C type of the value after the name in the property list. ``list_end``: the enumerant that ends a
    list of values, or empty if a single value follows. ``choices``: the enumerants that are allowed as value, or empty.
    """

    function: str = ""
    name: str = ""
    value_type: str = ""
    list_end: str = ""
    choices: tuple[str, ...] = ()


class Property(_Requirement, frozen=True, omit_defaults=True, tag="property"):
    """A name that a property list of ``function`` may contain, with the C type of its value."""

    function: str = ""
    name: str = ""
    value_type: str = ""


class Limit(_Requirement, frozen=True, omit_defaults=True, tag="limit"):
    """A limit on a query's value.

    ``relation``: ``at-least`` and ``at-most`` (``value``, or the value of the query ``of``), ``power-of-two``,
    ``includes`` (all flags of ``values``), ``includes-one-of`` (the flags of one of the sets in ``values``, each joined
    by ``|``), ``true-if`` (if the value of the query ``of`` is true). ``unit``: ``bits``, ``bytes`` or empty.
    ``formula``: the minimum as Python arithmetic on query names, if it depends on another query. ``where``: the feature
    that the device must support for the limit to apply (``images``, ``pipes``, ...; ``not-custom``: any but a custom
    device). ``otherwise``: the required value for a device without this feature, or -1 if unspecified.
    ``custom_exempt``: the document exempts custom devices from all of its minimum capabilities.
    """

    function: str = ""
    name: str = ""
    relation: str = ""
    value: int = 0
    unit: str = ""
    of: str = ""
    values: tuple[str, ...] = ()
    formula: str = ""
    where: str = ""
    otherwise: int = -1
    custom_exempt: bool = False


class RequiredImageFormat(_Requirement, frozen=True, omit_defaults=True, tag="image-format"):
    """An image format that every device with image support must support.

    ``access``: ``read-or-write`` (the format must be in both lists: for reading and for writing) or ``read-and-write``
    (in one kernel).
    """

    function: str = ""
    order: str = ""
    data_type: str = ""
    channels: int = 0
    access: str = ""


class SharingFormat(_Requirement, frozen=True, omit_defaults=True, tag="sharing-format"):
    """The OpenCL image format (``order``, ``data_type``) that corresponds to ``external``, a format of another API."""

    function: str = ""
    external: str = ""
    order: str = ""
    data_type: str = ""


class CompatibleOrder(_Requirement, frozen=True, omit_defaults=True, tag="compatible-channel-order"):
    """An image of channel order ``order`` may be created from an image whose order is ``other``."""

    function: str = ""
    order: str = ""
    other: str = ""


class CommandType(_Requirement, frozen=True, omit_defaults=True, tag="event-command-type"):
    """The command type ``name`` of the events that ``function`` creates."""

    function: str = ""
    name: str = ""


class Flag(_Requirement, frozen=True, omit_defaults=True, tag="flag"):
    """A value of a type, alone or as a bit; ``excludes``: the names that it must not be combined with."""

    function: str = ""
    name: str = ""
    type: str = ""
    excludes: tuple[str, ...] = ()


class OptionalBehaviour(_Requirement, frozen=True, omit_defaults=True, tag="optional-behaviour"):
    """The behaviour of a function or query on a platform without the optional ``feature``.

    ``subject``: the function, query or name concerned. ``allowed_results``: error codes, values of a query (``0``,
    ``CL_FALSE``, names), or ``empty`` for an empty list or string.
    """

    function: str = ""
    feature: str = ""
    subject: str = ""
    allowed_results: tuple[str, ...] = ()


class HostPointerSize(_Requirement, frozen=True, omit_defaults=True, tag="host-pointer-size"):
    """The minimum size in bytes of the memory at ``host_ptr`` for an image type: the product of ``factors``."""

    function: str = ""
    name: str = ""
    factors: tuple[str, ...] = ()


class AlignmentRule(_Requirement, frozen=True, omit_defaults=True, tag="alignment-rule"):
    """The required alignment of an address, offset, pitch or size, which an error condition checks.

    ``subject``: the parameter, ``origin`` (of a buffer region) or ``sub-buffer`` (the offset at which it begins).
    ``relation``: ``multiple-of``, ``power-of-two`` or ``one-of`` (``values``). ``of``: for a multiple, a parameter, a
    device query (its value is in ``unit``), or ``page``. ``zero``: 0 is also allowed. ``below``: the factors of a
    product; only smaller values must follow the rule.
    """

    function: str = ""
    subject: str = ""
    relation: str = ""
    of: str = ""
    unit: str = ""
    values: tuple[int, ...] = ()
    zero: bool = False
    below: tuple[str, ...] = ()


class SizeRule(_Requirement, frozen=True, omit_defaults=True, tag="size-rule"):
    """The required or assumed size of a pitch or of memory for ``function``.

    ``subject``: the parameter, or the field of the structure that the function takes, in ``unit``. ``relation``: the
    subject is ``at-least``, ``at-most`` or a ``multiple-of`` the product of ``factors``; ``taken-as``: a given 0 stands
    for this product; ``zero``: the subject must be 0. ``factors``: parameters, fields, numbers, queries (their values
    are in ``of_unit``), or ``element-size``, the bytes of an image element; ``width`` and ``height`` are those of the
    region, in elements and rows. ``allows_zero``: 0 is also allowed. ``when``: the circumstances in which the rule
    applies, as listed in ``spec_tables.conditions.CIRCUMSTANCES``.
    """

    function: str = ""
    subject: str = ""
    relation: str = ""
    factors: tuple[str, ...] = ()
    unit: str = ""
    of_unit: str = ""
    allows_zero: bool = False
    when: tuple[str, ...] = ()


class StateTransition(_Requirement, frozen=True, omit_defaults=True, tag="state-transition"):
    """An ``object`` (its handle type) changes from state ``source`` to state ``target``.

    A state has the name of a query's value, or else the document's name. ``source`` is empty if the object is created
    in the target state. ``cause``: ``call`` (of ``function``), ``completion`` (of enqueued commands), ``enqueue`` (of
    any command), or ``progress`` (of a command). ``required_flag``: the flag that the object must have been created
    with.
    """

    function: str = ""
    object: str = ""
    source: str = ""
    target: str = ""
    cause: str = ""
    required_flag: str = ""


class AccessQualifier(_Requirement, frozen=True, omit_defaults=True, tag="access-qualifier"):
    """A format that ``function`` lists for the flag ``name`` is valid for image arguments with ``qualifier``."""

    function: str = ""
    qualifier: str = ""
    name: str = ""


class HandleTransference(_Requirement, frozen=True, omit_defaults=True, tag="handle-transference"):
    """The transference of a handle of type ``name``: ``reference_lines`` or ``copy`` of the underlying state."""

    function: str = ""
    name: str = ""
    transference: str = ""


class AllocationAccess(_Requirement, frozen=True, omit_defaults=True, tag="allocation-access"):
    """Whether ``accessor`` may access an ``allocation``, and whether the allocation may migrate to the accessor.

    ``accessible`` and ``migratable``: yes, no or optional. ``initial``: the initial location of the allocation.
    ``migratable`` may also be ``n/a``, if this location is that of the accessor.
    """

    function: str = ""
    allocation: str = ""
    initial: str = ""
    accessor: str = ""
    accessible: str = ""
    migratable: str = ""


class UsageRule(_Requirement, frozen=True, omit_defaults=True, tag="usage-rule"):
    """A restriction on applications: violating it is undefined behaviour, so such calls are never sent to a driver.

    ``topic`` and ``text``: as for an ``Effect``.
    """

    function: str = ""
    topic: str = ""
    text: str = ""


Requirement = Union[  # noqa: UP007 (msgspec reads it at run time)
    ErrorCondition,
    Success,
    Effect,
    Query,
    Limit,
    PartitionScheme,
    Property,
    Flag,
    RequiredImageFormat,
    SharingFormat,
    CompatibleOrder,
    CommandType,
    HostPointerSize,
    OptionalBehaviour,
    AlignmentRule,
    SizeRule,
    StateTransition,
    AccessQualifier,
    HandleTransference,
    AllocationAccess,
    UsageRule,
]
