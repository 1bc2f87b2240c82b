"""Writes a validation as one HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from clconform.reports.escaping import visible
from clconform.reports.operand_words import all_operands
from clconform.reports.wording import Names
from clconform.validation.findings import PARTIES, SERIOUS
from clconform.validation.telling import headline, numbered

if TYPE_CHECKING:
    from clconform.spec_tables import Tables
    from clconform.validation.findings import Validation


def page_of(validation: Validation, tables: Tables) -> str:
    """Return the page; it does not need other files."""
    environment = Environment(
        loader=PackageLoader("clconform.validation", "."), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["visible"] = visible
    names = Names(tables)
    parties = [
        (
            party,
            [
                (finding, numbered(finding, tables, names), all_operands(finding, tables, names))
                for finding in validation.findings
                if finding.party == party
            ],
        )
        for party in PARTIES
    ]
    return environment.get_template("page.html").render(
        validation=validation, headline=headline(validation), parties=parties, serious=SERIOUS
    )
