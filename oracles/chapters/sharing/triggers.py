"""Sharing with other interfaces (Direct3D, DX9, EGL, OpenGL): what takes objects of theirs cannot be tested here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.sharing.conditions import conditions
from clconform.oracles.engine.rules import Rules
from clconform.spec_tables.records import ErrorClause

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

rules = Rules()

INTERFACES = {
    "cl_khr_d3d10_sharing": "Direct3D 10",
    "cl_khr_d3d11_sharing": "Direct3D 11",
    "cl_khr_dx9_media_sharing": "DX9 media surfaces",
    "cl_khr_egl_image": "EGL",
    "cl_khr_egl_event": "EGL",
    "cl_khr_gl_sharing": "OpenGL",
    "cl_khr_gl_event": "OpenGL",
}
"""Extension to the interface whose objects it shares."""


def interface_of(clause: ErrorClause, tables: Tables) -> str:
    """Return the interface whose objects a clause is about, or an empty string where it is about none's."""
    names = {gate.name for gate in (*clause.gates, *tables.functions[clause.function].gates)}
    return next((INTERFACES[name] for name in sorted(names) if name in INTERFACES), "")


@rules.completion
def declare(rules: Rules, tables: Tables) -> None:
    """Declare every clause of these extensions that is one of a kind untestable: it is about the other's objects."""
    for record in tables.records.values():
        if (
            not isinstance(record, ErrorClause)
            or record.condition.kind != "other"
            or record.id in rules.predicates.known
        ):
            continue
        interface = interface_of(record, tables)
        if interface:
            general = f"Objects of {interface} that are passed, or objects created from them, are not valid here."
            words = conditions().get(record.id, general)
            rules.untestable(record.id, words, f"it needs objects of {interface}, which this suite does not create")
