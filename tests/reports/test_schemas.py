"""Every published schema matches the types of its documents, and no other schema is published."""

from __future__ import annotations

import pytest

from . import schemas


@pytest.mark.parametrize("name", schemas.TYPES)
def test_published_schema_matches_its_types(name: str) -> None:
    assert schemas.schema_path(name).read_text(encoding="utf-8") == schemas.generate_schema(name), (
        "python -m tests.reports.schemas"
    )


def test_only_schemas_that_types_define_are_published() -> None:
    assert {path.name for path in schemas.FOLDER.iterdir()} == {
        schemas.schema_path(name).name for name in schemas.TYPES
    }
