"""Turns the specification documents into tables: read, put together, compared with what is committed, written."""

from clconform.tools.extract.extraction import Extraction, ExtractError, check, extract, write

__all__ = ["ExtractError", "Extraction", "check", "extract", "write"]
