"""Writes a validation as one HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from clconform.reports.call_formatting import ValueNames
from clconform.reports.escaping import escape_unprintable
from clconform.reports.operand_text import all_operands
from clconform.validation.findings import PARTIES, SERIOUS_KINDS
from clconform.validation.printer import numbered_calls, validation_headline

if TYPE_CHECKING:
    from clconform.spec_tables import Tables
    from clconform.validation.findings import Validation


def render_page(validation: Validation, tables: Tables) -> str:
    """Return the page as HTML, in one file that needs no other files."""
    environment = Environment(
        loader=PackageLoader("clconform.validation", "."), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["visible"] = escape_unprintable
    names = ValueNames(tables)
    parties = [
        (
            party,
            [
                (finding, numbered_calls(finding, tables, names), all_operands(finding, tables, names))
                for finding in validation.findings
                if finding.party == party
            ],
        )
        for party in PARTIES
    ]
    return environment.get_template("page.html").render(
        validation=validation, headline=validation_headline(validation), parties=parties, serious=SERIOUS_KINDS
    )
