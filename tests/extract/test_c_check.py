"""The tables compared with C headers: installed ones where available, and deliberately incorrect ones."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.spec_tables import load
from clconform.spec_tables.loading import DATA
from clconform.spec_tables.requirements import Type
from clconform.tools.extract.c_check import HEADERS, compile_differences, generate_c_check, struct_layout

if TYPE_CHECKING:
    from pathlib import Path

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc) on this machine")


@needs_compiler
@pytest.mark.skipif(not HEADERS.exists(), reason="no OpenCL headers here (Debian: apt-get install opencl-c-headers)")
def test_tables_agree_with_installed_headers() -> None:
    source = generate_c_check(load())
    assert source.count("_Static_assert") > 1000
    explained = msgspec.json.decode((DATA / "explained.json").read_bytes(), type=dict[str, str])
    assert [what for what in compile_differences(source) if f"C headers: {what}" not in explained] == []


@needs_compiler
def test_c_check_reports_differing_values_sizes_and_types(tmp_path: Path) -> None:
    (tmp_path / "cl.h").write_text(
        """
        typedef int cl_int; typedef unsigned cl_uint; typedef struct { cl_uint origin; } cl_buffer_region;
        typedef struct _cl_device_id* cl_device_id;
        #define CL_INVALID_VALUE -31
        #define CL_INVALID_DEVICE -33
        cl_uint clRetainDevice(cl_device_id device);
        cl_int clReleaseDevice(cl_device_id device);
        """
    )
    found = compile_differences(generate_c_check(load(), tmp_path))
    assert {"CL_INVALID_VALUE", "sizeof cl_buffer_region", "clRetainDevice"} <= set(found)
    assert not {"CL_INVALID_DEVICE", "clReleaseDevice", "sizeof cl_int"} & set(found)


def test_computed_struct_layout_follows_the_rules_of_c() -> None:
    types = {
        "cl_uint": Type("cl_uint", "scalar", "uint32"),
        "size_t": Type("size_t", "scalar", "size_t"),
        "char": Type("char", "scalar", "char"),
    }
    entry = Type("t", "struct", fields=(("a", "cl_uint"), ("b", "size_t"), ("c", "char[5]"), ("d", "void*")))
    assert struct_layout(entry, types) == (32, [0, 8, 16, 24])
    assert struct_layout(Type("t", "struct", fields=(("a", "HANDLE"),)), types) is None
