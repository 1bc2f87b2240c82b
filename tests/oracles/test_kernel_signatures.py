"""Arguments of kernels that are read from OpenCL C, and what is not read."""

from __future__ import annotations

import pytest

from clconform.oracles.model.kernel_signatures import read_signatures
from clconform.oracles.model.parameters import ArgumentKind


def read_sizes(source: str, options: str = "") -> dict[str, list[tuple[str, int | None] | None]]:
    """Return the kind and the size of each argument of the kernels in a source."""
    return {
        name: [None if each is None else (each.kind.name, each.argument_size(8)) for each in arguments]
        for name, arguments in read_signatures(source, options).items()
    }


BUFFER, LOCAL, IMAGE = ("BUFFER", 8), ("LOCAL", None), ("IMAGE", 8)


def value(size: int) -> tuple[str, int]:
    return (ArgumentKind.VALUE.name, size)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("", []),
        ("void", []),
        ("global int *a, int b", [BUFFER, value(4)]),
        ("__global const float * restrict in, __constant uchar4 *c", [BUFFER, BUFFER]),
        ("const global struct s *a, __local uint *b", [BUFFER, LOCAL]),
        ("unsigned a, unsigned char b, long c, const half d", [value(4), value(1), value(8), value(2)]),
        ("float3 a, float4 b, double16 c, uchar2 d", [value(16), value(16), value(128), value(2)]),
        ("read_only image2d_t a, __write_only image3d_t b, sampler_t c", [IMAGE, IMAGE, ("SAMPLER", 8)]),
        ("read_only pipe int a, queue_t b", [("PIPE", 8), ("QUEUE", 8)]),
        ("other a, struct s b, size_t c, bool d, long long e", [None] * 5),
        ("int a[3], global int **b, int *c, private int *d, int * global e", [None] * 5),
        ("__attribute__((aligned(8))) int a, int b", [value(4), value(4)]),
    ],
)
def test_arguments_of_a_kernel(parameters: str, expected: list[tuple[str, int | None] | None]) -> None:
    found = read_sizes(f"__kernel void k({parameters}) {{ }}")
    if "__attribute__" in parameters:
        assert found["k"][1:] == expected[1:]
    else:
        assert found == {"k": expected}


def test_comments_strings_and_other_kernels_do_not_matter() -> None:
    source = (
        "// kernel void k(int a) {}\n/* kernel void k(global int *a) {}\n */\n"
        'constant char text[] = "kernel void k(void) {";\n'
        "kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void k(float a);\n"
        "kernel void k(float a) { }\nvoid kernel other(int a) { }\n"
    )
    assert read_sizes(source, "-DSIZE=64") == {"k": [value(4)]}


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("#include <x.h>\nkernel void k(int a) { }", ""),
        ("kernel void k(int a) { }", "-include x.h"),
        ("kernel void k(int a) { }", "-D int=3"),
        ("kernel void k(int a) { }", "-D int=long -D int=float"),
        ("kernel void k(int a) { }", "-Dkernel"),
        ("#ifdef A\n#define T float\n#else\n#define T double\n#endif\nkernel void k(T a) { }", ""),
        ("#define T float\n#undef T\nkernel void k(T a) { }", ""),
        ("#define T float\nkernel void k(T a) { }", "-DT=double"),
        ("#define T(a) float\nkernel void k(T(1) a) { }", ""),
        ("kernel void k(T a) { }\n#define T float", ""),
        ("#define T U\n#define U T\nkernel void k(T a) { }", ""),
        ("kernel void k(int a) { }", "-cl-std=CLC++"),
        ("kernel void k(int a) { }", "'"),
        ("#define a b, int c\nkernel void k(int a) { }", ""),
        ("#ifdef A\nkernel void k(int a) { }\n#endif", ""),
        ("kernel void k(int a\n#ifdef A\n, int b\n#endif\n) { }", ""),
        ("kernel void k(int a) { }\nkernel void k(float a, int b) { }", ""),
        ("#define K(name) kernel void name(int a) { }\nK(k)", ""),
        ("void kernel k(int a) { }", ""),
        ("kernel void k(int a, ...) { }", ""),
        ("kernel void k(int a", ""),
        ("kernel void k(int a?" + "?/\n) { }", ""),
    ],
)
def test_kernel_is_omitted_if_its_declaration_is_not_certain(source: str, options: str) -> None:
    assert read_signatures(source, options) == {}


def test_name_that_the_source_declares_is_no_built_in_type() -> None:
    assert read_sizes("typedef struct { int x; } float3;\nkernel void k(float3 a, float b) { }") == {
        "k": [None, value(4)]
    }


def test_macro_in_another_place_does_not_matter() -> None:
    source = "#define T 1\nkernel void j(global T *a) { }\n#ifdef A\n#endif\nkernel void k(global float *a) { T b; }"
    assert read_sizes(source, "-DA -I folder -w") == {"k": [BUFFER]}


@pytest.mark.parametrize(
    ("source", "options", "expected"),
    [
        ("#define T double\nkernel void k(global T *a, T b) { }", "", [BUFFER, value(8)]),
        ("kernel void k(T a) { }", "-DT=float4 -DN=3", [value(16)]),
        ("kernel void k(T a) { }", '-D "T=unsigned char"', [value(1)]),
        ("#define U V\n#define V int\nkernel void k(U a) { }", "", [value(4)]),
        ("#define GLOBAL global\n#define NONE\nkernel void k(GLOBAL int *NONE a) { }", "", [BUFFER]),
        ("typedef float real;\nkernel void k(global real *a, real b) { }", "", [BUFFER, value(4)]),
        ("typedef unsigned long word;\ntypedef word id;\nkernel void k(id a) { }", "", [value(8)]),
        ("#define T double\ntypedef T real;\nkernel void k(real a) { }", "", [value(8)]),
        ("typedef struct { float real; } other;\ntypedef float real;\nkernel void k(real a) { }", "", [None]),
        ("#if A\ntypedef float real;\n#else\ntypedef double real;\n#endif\nkernel void k(real a) { }", "", [None]),
        ("void f() { typedef float real; }\nkernel void k(real a) { }", "", [None]),
        ("typedef float *real;\nkernel void k(real a) { }", "", [None]),
    ],
)
def test_names_of_built_in_types_are_replaced(
    source: str, options: str, expected: list[tuple[str, int | None] | None]
) -> None:
    assert read_sizes(source, options) == {"k": expected}
