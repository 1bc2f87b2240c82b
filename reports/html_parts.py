"""Contains the common parts of the HTML pages.

Each page is one file, makes no requests, and runs only the project's script. The content security policy of a page
admits its script and its style by their digests. The templates escape values, and every text passes ``escaping`` first.
The data is one block: JSON, compressed by deflate, in base64.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import zlib
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from clconform.reports.escaping import escape_unprintable
from clconform.reports.status_policy import STATUSES, TESTED_STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.reports.run_result import StatusGroup

PACKING_LEVEL = 6
"""The level of the compression of a page's data; higher ones take longer and save little."""
CONFIDENCE_TEXTS = {
    "literal": "The document states this literally.",
    "inferred": "It follows from the document.",
    "interpretation": "It is based on one of the listed interpretations.",
}


def render_page(
    template: str, styles: Sequence[str], scripts: Sequence[str], data: object, values: Mapping[str, Any]
) -> str:
    """Return a page as HTML, from a template, its styles, its scripts and its data."""
    environment = _environment()
    style, script = (
        "\n".join(_source(environment, name) for name in names) for names in (styles, ["common.js", *scripts])
    )
    own = {
        "style": Markup(style),  # noqa: S704 (our own file)
        "style_hash": _digest(style),
        "script": Markup(script),  # noqa: S704 (our own file)
        "script_hash": _digest(script),
        "data": _pack(data),
    }
    return environment.get_template(template).render({**values, **own})


@functools.cache
def _environment() -> Environment:
    environment = Environment(loader=PackageLoader("clconform.reports"), autoescape=True, undefined=StrictUndefined)
    environment.filters["visible"] = escape_unprintable
    return environment


def _source(environment: Environment, name: str) -> str:
    loader = environment.loader
    assert loader is not None  # noqa: S101 (the environment has a loader)
    return loader.get_source(environment, name)[0]


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _pack(value: object) -> str:
    """Return a value as compressed JSON in base64, as ``common.js`` reads it."""
    text = json.dumps(value, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), PACKING_LEVEL)).decode("ascii")


def format_duration(seconds: float) -> str:
    """Return a duration as text, such as ``4.2 s`` or ``3 min 5 s``."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def stacked_bar(statuses: Mapping[str, int], order: Sequence[str] = STATUSES) -> dict[str, Any]:
    """Return the template's values for a stacked bar of counts by status: its parts in percent, and its description."""
    total = sum(statuses.values())
    parts = []
    x = 0.0
    for status in order:
        count = statuses.get(status, 0)
        if count:
            width = 100 * count / total
            parts.append({"status": status, "x": f"{x:.3f}", "width": f"{width:.3f}"})
            x += width
    description = ", ".join(f"{statuses[status]} {status}" for status in order if statuses.get(status))
    return {"parts": parts, "description": description}


def labelled_bar(group: StatusGroup) -> dict[str, Any]:
    """Return the template's values for a labelled bar that shows a group of requirements."""
    tested = sum(count for status, count in group.statuses.items() if status in TESTED_STATUSES)
    name, title = escape_unprintable(group.name), escape_unprintable(group.title)
    return {
        "name": name,
        "title": title,
        "requirements": group.requirements,
        "tested": tested,
        **stacked_bar(group.statuses),
    }


class TextTable:
    """The texts in the data of a page, each stored once in a list and identified by its index."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._known: dict[str, int] = {}

    def index_of(self, text: str) -> int:
        """Return the index of a text; add the text, made safe for display, if it is new."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._places.setdefault(escape_unprintable(text), len(self._places))
        return found

    @property
    def all(self) -> list[str]:
        """The texts in the order of their indices."""
        return list(self._places)
