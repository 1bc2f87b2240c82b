"""The part of the tables that the reports need, so that a test can pass its own requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.spec_tables.requirements import Callback, Document, Enumerant, Function, Requirement, Type


class ReportTables(Protocol):
    """The part of ``spec_tables.Tables`` that reports read."""

    @property
    def requirements(self) -> Mapping[str, Requirement]:
        """Every requirement by id."""

    @property
    def functions(self) -> Mapping[str, Function]:
        """Every function by name."""

    @property
    def callbacks(self) -> Mapping[str, Callback]:
        """The types of callbacks by FUNCTION/PARAMETER."""

    @property
    def types(self) -> Mapping[str, Type]:
        """Every C type by name."""

    @property
    def enumerants(self) -> Mapping[str, Enumerant]:
        """Every named value by name."""

    @property
    def documents(self) -> Mapping[str, Document]:
        """Every source by its key."""

    @property
    def dispatch(self) -> Sequence[str]:
        """The functions of a driver's dispatch table, in order."""
