"""Turns the specification documents into tables: read, put together, compared with what is committed, written."""

from clconform.tools.extract.extraction import Extraction, extract
from clconform.tools.extract.files import adopt, check, render, write
from clconform.tools.extract.revisions import Changes, compare_folders, compare_revisions
from clconform.tools.extract.sources import ExtractError

__all__ = [
    "Changes",
    "ExtractError",
    "Extraction",
    "adopt",
    "check",
    "compare_folders",
    "compare_revisions",
    "extract",
    "render",
    "write",
]
