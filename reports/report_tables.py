"""Defines the part of the tables that reports read, so that a test can pass its own requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.spec_tables.requirements import Callback, Document, Enumerant, Function, Requirement, Type


class ReportTables(Protocol):
    """The part of ``Tables`` in ``spec_tables`` that reports read."""

    @property
    def requirements(self) -> Mapping[str, Requirement]:
        """Maps ids to requirements."""

    @property
    def functions(self) -> Mapping[str, Function]:
        """Maps names to functions."""

    @property
    def callbacks(self) -> Mapping[str, Callback]:
        """Maps FUNCTION/PARAMETER to the type of the callback."""

    @property
    def types(self) -> Mapping[str, Type]:
        """Maps names to C types."""

    @property
    def enumerants(self) -> Mapping[str, Enumerant]:
        """Maps names to named values."""

    @property
    def documents(self) -> Mapping[str, Document]:
        """Maps keys to source documents."""

    @property
    def dispatch(self) -> Sequence[str]:
        """The functions in the dispatch table of a driver, in order."""
