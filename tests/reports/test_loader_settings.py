"""Commands and C programs name the environment variables that the tested driver needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from clconform.reports.c_program import c_program
from clconform.reports.journal_reader import parse_journal
from clconform.reports.loader_settings import RUSTICL_VARIABLE, loader_settings
from clconform.reports.result_builder import assemble_result

from . import fabricated_journals

if TYPE_CHECKING:
    import pytest

TABLES = fabricated_journals.create_tables()
RUSTICL = "/usr/lib/libRusticlOpenCL.so.1"


def test_settings_name_the_library_for_both_loaders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RUSTICL_VARIABLE, raising=False)
    lines = fabricated_journals.encode_journal(fabricated_journals.journal_lines())
    result = assemble_result(parse_journal(lines, "j"), TABLES)
    assert result.platform is not None
    platform = replace(result.platform, access="loader", libraries=["/lib/x.so", "/lib/y.so"])
    assert loader_settings(platform) == {"OCL_ICD_VENDORS": "/lib/x.so", "OCL_ICD_FILENAMES": "/lib/x.so"}
    assert loader_settings(replace(platform, access="direct")) == {}
    assert loader_settings(replace(platform, libraries=[])) == {}
    assert loader_settings(None) == {}
    rusticl = replace(platform, libraries=[RUSTICL])
    assert loader_settings(rusticl)[RUSTICL_VARIABLE] == "llvmpipe"
    monkeypatch.setenv(RUSTICL_VARIABLE, "radeonsi")
    assert loader_settings(rusticl)[RUSTICL_VARIABLE] == "radeonsi"
    program = c_program(result.deviations[0], replace(result, platform=rusticl), TABLES)
    assert f"with RUSTICL_ENABLE=radeonsi OCL_ICD_VENDORS={RUSTICL}" in program
