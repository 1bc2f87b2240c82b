"""The TOML files of the findings match their schemas, which are generated from the types."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import jsonschema
import msgspec
import pytest

from . import schemas

if TYPE_CHECKING:
    from pathlib import Path

PATHS = sorted(schemas.DATA.rglob("*.toml"))


def read_schema(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(schemas.schema_path(name).read_text(encoding="utf-8")))


def find_schema_name(path: Path) -> str:
    """Return the name of the only schema whose pattern matches a file."""
    (name,) = (name for name, files in schemas.FILES.items() if path in schemas.DATA.glob(files.pattern))
    return name


@pytest.mark.parametrize("name", schemas.FILES)
def test_schema_equals_the_one_generated_from_its_type(name: str) -> None:
    assert schemas.schema_path(name).read_text(encoding="utf-8") == schemas.generate_schema(name), (
        "python -m tests.findings.schemas"
    )


def test_folder_contains_only_schemas_of_the_listed_files() -> None:
    assert {path.name for path in schemas.FOLDER.iterdir()} == {
        schemas.schema_path(each).name for each in schemas.FILES
    }


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_file_matches_its_schema_and_its_type(path: Path) -> None:
    name = find_schema_name(path)
    read_schema(name).validate(tomllib.loads(path.read_text(encoding="utf-8")))
    assert isinstance(msgspec.toml.decode(path.read_bytes(), type=schemas.FILES[name].type), msgspec.Struct)


@pytest.mark.parametrize("name", schemas.FILES)
def test_unknown_fields_are_rejected(name: str) -> None:
    path = next(path for path in PATHS if find_schema_name(path) == name)
    changed = tomllib.loads(path.read_text(encoding="utf-8")) | {"nothing-of-the-kind": 1}
    assert not read_schema(name).is_valid(changed)
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert(changed, schemas.FILES[name].type)
