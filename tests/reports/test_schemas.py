"""Every published schema matches the types of its documents, and no other schema is published."""

from __future__ import annotations

import pytest

from . import schemas


@pytest.mark.parametrize("name", schemas.TYPES)
def test_a_published_schema_is_the_one_of_its_types(name: str) -> None:
    assert schemas.file_of(name).read_text(encoding="utf-8") == schemas.current(name), "python -m tests.reports.schemas"


def test_no_other_schema_is_published() -> None:
    assert {path.name for path in schemas.FOLDER.iterdir()} == {schemas.file_of(name).name for name in schemas.TYPES}
