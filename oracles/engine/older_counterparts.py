"""Relates the requirements of a set of tables to those of the default tables, for which most rules are declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables import revision_ids
from clconform.spec_tables.loading import load_default
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from clconform.spec_tables import Tables


class OlderCounterparts:
    """The counterparts of the requirements of ``tables`` in ``older``, the default tables, and in former extensions.

    ``is_newer``: the tables are not the default tables; otherwise each requirement is its own counterpart.
    ``extension_sentences``: maps the sentences of core functions to the equal sentences of their former extension.
    """

    def __init__(self, tables: Tables) -> None:
        default = load_default()
        self.tables = tables
        self.is_newer = tables.documents != default.documents
        self.older = default if self.is_newer else tables
        self.extension_sentences = revision_ids.find_extension_sentences(tables) if self.is_newer else {}

    def rule_name(self, name: str) -> str:
        """Return the name under which rules for a function or query are declared: its name, or that in an extension."""
        return revision_ids.extension_name_of(name, self.tables) or name if self.is_newer else name

    def extension_clause(self, clause: ErrorCondition) -> ErrorCondition | None:
        """Return the clause of an extension function that a clause of a core function replaces, or None."""
        return revision_ids.extension_condition_of(clause, self.tables) if self.is_newer else None

    def older_clause(self, requirement: str) -> ErrorCondition | None:
        """Return the older clause of which a requirement is a part, or None."""
        clause = self.tables.requirements.get(requirement)
        whole = self.older.requirements.get(clause.part_of) if isinstance(clause, ErrorCondition) else None
        return whole if isinstance(whole, ErrorCondition) else None

    def with_older_condition(self, clause: ErrorCondition) -> ErrorCondition:
        """Return a clause, with the condition of the older tables if its later wording is not recognised."""
        return revision_ids.with_default_condition(clause) if self.is_newer else clause
