"""Layouts, types and prototypes from the tables, which the processes of drivers on one kind of machine share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness.decoding import QueryTypes
from clconform.harness.type_layout import TypeLayouts
from clconform.spec_tables.lookups import TableLookups

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from clconform.harness.prototypes import Prototype
    from clconform.harness.type_layout import Machine
    from clconform.spec_tables import Tables


class ProcessTypes:
    """The layouts of types, the types of the values of queries, and the prototypes that were needed so far.

    ``signatures``: maps the signatures that the worker has to their numbers. ``for_processes`` caches the instances.
    """

    _instances: dict[Hashable, ProcessTypes] = {}  # noqa: RUF012 (one for each set of tables, and each kind of worker)

    def __init__(self, tables: Tables, machine: Machine, signatures: Mapping[str, int]) -> None:
        self.tables, self.signatures = tables, signatures
        self.layouts = TypeLayouts(tables.types, tables.enumerants, machine)
        self.query_types = QueryTypes(tables, self.layouts)
        self.prototypes: dict[str, Prototype] = {}

    @classmethod
    def for_processes(cls, tables: Tables, machine: Machine, signatures: Mapping[str, int]) -> ProcessTypes:
        """Return the types of processes with this machine and these signatures."""
        structures = tuple((name, size, *offsets) for name, (size, offsets) in machine.structures.items())
        key = (TableLookups.for_tables(tables), *machine[:-1], structures, tuple(signatures))
        found = cls._instances.get(key)
        if found is None:
            found = cls._instances[key] = cls(tables, machine, signatures)
        return found
