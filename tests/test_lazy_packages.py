"""Packages whose names are imported on first use, so that a command loads only the modules that it needs."""

from __future__ import annotations

import gc
import importlib
import subprocess
import sys

import pytest

from clconform.harness.gc_tuning import create_permanent_objects

PACKAGES = ("clconform.harness", "clconform.reports")
SLOW_LIBRARIES = ("jinja2", "pytest", "rich")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_listed_name_of_a_lazy_package_can_be_imported(package: str) -> None:
    module = importlib.import_module(package)
    assert all(getattr(module, name) is not None for name in module.__all__)
    assert set(module._MODULES) == set(module.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        module.no_such_name  # noqa: B018 (the access raises)


@pytest.mark.parametrize("imported", [*PACKAGES, "clconform.tools.cli", "clconform.tools.validate"])
def test_validate_and_its_packages_do_not_load_libraries_for_reports(imported: str) -> None:
    code = f"import sys, {imported}; print([name for name in {SLOW_LIBRARIES} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_collector_is_off_while_permanent_objects_are_created() -> None:
    frozen = gc.get_freeze_count()
    with create_permanent_objects():
        assert not gc.isenabled()
        kept = [[] for _ in range(100)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= frozen + len(kept)
    gc.unfreeze()
