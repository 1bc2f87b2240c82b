"""Adds the definitions that only the registry contains, and compares its other definitions with the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.tools.extract.draft_creation import add_success
from clconform.tools.extract.source_differences import compare_prototypes

if TYPE_CHECKING:
    from clconform.spec_tables.requirements import Document, Function
    from clconform.tools.extract.document_contents import DocumentContents
    from clconform.tools.extract.xml_registry import XmlRegistry


def add_registry(source: Document, registry: XmlRegistry, into: DocumentContents) -> None:
    """Add the definitions that only the registry contains, and compare its other definitions with the documents."""
    into.documents.append(source)
    for name, function in registry.functions.items():
        known = into.functions.get(name)
        if known is None:
            into.functions[name] = function
            add_success(function, "", source.key, function.section, into)
        else:
            into.differences += compare_prototypes(known, function)
    into.differences += [
        f"{name}: a function of {function.document} that the registry lacks"
        for name, function in into.functions.items()
        if name not in registry.functions
    ]
    into.unparsed += registry.unread
    _keep_created_handles(registry, into)


def complete_applicability(known: Function, registry: XmlRegistry) -> Function:
    """Add the registry's versions and extensions that the document does not print above the prototype."""
    registered = registry.functions.get(known.name, known)
    stated = {condition.subject for condition in known.applicability}
    added = [condition for condition in registered.applicability if condition.subject not in stated]
    if not added:
        return known
    applicability = sorted((*known.applicability, *added), key=lambda condition: condition.subject == "extension")
    return msgspec.structs.replace(known, applicability=tuple(applicability))


def _keep_created_handles(registry: XmlRegistry, into: DocumentContents) -> None:
    """Correct the types that functions create: only handles are created.

    If the type of a function is not a handle, use the first output with a handle type.
    """
    for name, function in into.functions.items():
        kind = registry.types[function.creates].kind if function.creates in registry.types else ""
        if function.creates and kind != "handle":
            outs = [parameter.base for parameter in function.parameters if parameter.direction == "out"]
            handles = [base for base in outs if base in registry.types and registry.types[base].kind == "handle"]
            into.functions[name] = msgspec.structs.replace(function, creates=next(iter(handles), ""))
