"""Arguments to which the source shows that each work-item of a kernel writes."""

from __future__ import annotations

import pytest

from clconform.oracles.model.kernel_writes import read_written_arguments


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("a[get_global_id(0)] = 7;", {0}),
        ("int i = get_global_id(0); b[i] += a[i]; a[i] = 0; if (i) b[0] = 1;", {0, 1}),
        ("a[b[0]] = n;", {0}),
        ("if (n) return; a[0] = 1;", set()),
        ("for (int i = 0; i < n; i++) a[i] = 1;", set()),
        ("n == 3 ? 0 : 1; a[0] = 1;", set()),
        ("a = b; a[0] = 1;", set()),
        ("a++; a[0] = 1;", set()),
        ("int i = a[0] == 1; b[i];", set()),
        ("a[0] == 1;", set()),
        ("\n#if X\na[0] = 1;\n#endif\nb[0] = 1;", set()),
        ("SET(a[0]); a[0] = 1;", set()),
        ("/* a[0] = 1; */ b[0] = 1;", {1}),
    ],
)
def test_written_arguments_of_a_body(body: str, written: set[int]) -> None:
    source = f"#define SET(x) return\nkernel void k(global int *a, global int *b, int n) {{ {body} }}"
    assert read_written_arguments(source, "").get("k", frozenset()) == written


def test_kernel_with_several_definitions_is_omitted() -> None:
    text = "kernel void k(global int *a) { a[0] = 1; }"
    assert read_written_arguments(f"{text}\nvoid k(global int *a) {{ }}", "") == {}
    assert read_written_arguments(f"#include <a.h>\n{text}", "") == {}
