"""The ``tables`` command: lists the requirements of the tables, filtered and counted."""

from __future__ import annotations

import dataclasses
from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

from clconform.calls import exit_codes
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Callback
from clconform.spec_tables.versions import read_version
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.spec_tables.loading import Tables
    from clconform.spec_tables.requirements import ApplicabilityCondition, Requirement

    Listed: TypeAlias = Requirement | Callback

_VERSIONED = ("platform-version", "device-version")


@dataclasses.dataclass(frozen=True, slots=True)
class RequirementFilters:
    """Selects requirements.

    An empty filter selects all. ``version``: select requirements that apply to a platform and a device of this version.
    ``extension``: select requirements in the document of the extension, or with the extension as an applicability
    condition.
    """

    pattern: str = "*"
    kind: str = ""
    function: str = ""
    document: str = ""
    version: str = ""
    extension: str = ""

    def admit(self, requirement: Listed) -> bool:
        """Return whether a requirement passes all filters."""
        return (
            fnmatchcase(id_of(requirement), self.pattern)
            and self.kind in ("", kind_of(requirement))
            and self.function in ("", requirement.function)
            and self.document in ("", requirement.document)
            and (not self.version or applies_to(requirement.applicability, self.version))
            and self.extension in ("", *extensions_of(requirement))
        )


def print_requirements(filters: RequirementFilters, *, as_json: bool, count_only: bool) -> int:
    """Print the matching requirements and their number by kind; CommandError if a filter has an unknown value."""
    requirements = list_entries(load())
    _check_known("--kind", filters.kind, {kind_of(requirement) for requirement in requirements})
    _check_known("--function", filters.function, {requirement.function for requirement in requirements} - {""})
    _check_known("--document", filters.document, {requirement.document for requirement in requirements})
    _check_known("--extension", filters.extension, {name for r in requirements for name in extensions_of(r)})
    if filters.version:
        try:
            read_version(filters.version)
        except ValueError:
            raise CommandError(f"--version {filters.version}: not a version; give one such as 1.2 or 3.0") from None
    found = [requirement for requirement in requirements if filters.admit(requirement)]
    if not found:
        raise CommandError(f"no requirement matches {filters.pattern!r} with these options; omit it to list all")
    counts = dict(sorted(Counter(kind_of(requirement) for requirement in found).items()))
    if as_json:
        print_text(
            _format_json(
                {"requirements": len(found), "of": len(requirements), "kinds": counts}
                if count_only
                else [_to_json_entry(r) for r in found]
            )
        )
        return exit_codes.AS_EXPECTED
    if count_only:
        for kind, count in counts.items():
            print_text(f"{count:6}  {kind}")
        print_text(f"{len(found)} of {len(requirements)} requirements")
        return exit_codes.AS_EXPECTED
    width = max(len(id_of(requirement)) for requirement in found)
    for requirement in found:
        where = f"{requirement.document} {requirement.section.number or requirement.section.title}"
        print_text(f"{id_of(requirement):<{width}}  {kind_of(requirement):<16}  {where}")
    print_text(
        f"{len(found)} of {len(requirements)} requirements: " + ", ".join(f"{n} {kind}" for kind, n in counts.items())
    )
    return exit_codes.AS_EXPECTED


def list_entries(tables: Tables) -> list[Listed]:
    """Return everything that the command can list: the requirements, and the callback types of functions."""
    return [*tables.requirements.values(), *tables.callbacks.values()]


def id_of(requirement: Listed) -> str:
    """Return the id of a requirement, or the name of a callback type."""
    return requirement.name if isinstance(requirement, Callback) else requirement.id


def kind_of(requirement: Listed) -> str:
    """Return the kind of a requirement as in result.json."""
    if isinstance(requirement, Callback):
        return "callback"
    return str(cast("Any", requirement).__struct_config__.tag)


def extensions_of(requirement: Listed) -> tuple[str, ...]:
    """Return the extensions that add a requirement."""
    named = {gate.name for gate in requirement.applicability if gate.subject == "extension"}
    return tuple(sorted(named | ({requirement.document} if requirement.document.startswith("cl_") else set())))


def applies_to(gates: Iterable[ApplicabilityCondition], version: str) -> bool:
    """Return whether the version conditions allow this version.

    Other applicability conditions are ignored.
    """
    mine = read_version(version)
    return all(
        (not gate.since or read_version(gate.since) <= mine) and (not gate.before or mine < read_version(gate.before))
        for gate in gates
        if gate.subject in _VERSIONED
    )


def _to_json_entry(requirement: Listed) -> object:
    """Return a requirement in JSON form.

    A callback type gets a kind and an id first.
    """
    if isinstance(requirement, Callback):
        return {"kind": kind_of(requirement), "id": id_of(requirement), **msgspec.to_builtins(requirement)}
    return requirement


def _format_json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode()


def _check_known(option: str, given: str, known: Iterable[str]) -> None:
    names = sorted(known)
    if given and given not in names:
        close = [name for name in names if given.lower() in name.lower()] or names
        shown = ", ".join(close[:12]) + (", ..." if len(close) > 12 else "")  # noqa: PLR2004 (as many as fit on a line)
        raise CommandError(f"{option} {given}: not in the tables; known: {shown}")
