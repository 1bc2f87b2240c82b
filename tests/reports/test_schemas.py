"""Every published schema is the one of the types that the documents are written from, and none is left over."""

from __future__ import annotations

import pytest

from . import schemas


@pytest.mark.parametrize("name", schemas.TYPES)
def test_a_published_schema_is_the_one_of_its_types(name: str) -> None:
    assert schemas.file_of(name).read_text(encoding="utf-8") == schemas.current(name), "python -m tests.reports.schemas"


def test_no_other_schema_is_published() -> None:
    assert {path.name for path in schemas.FOLDER.iterdir()} == {schemas.file_of(name).name for name in schemas.TYPES}
