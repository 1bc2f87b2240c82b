"""Generates the shim in C: the recording layer as a library that exports the functions of OpenCL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.recording.layer_source import LOOKUPS, QUERY_FUNCTIONS, LayerGenerator, encode_head
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

_NEWER_THAN_EXTENSION = {
    "clCreateEventFromGLsyncKHR": "1.1",
    "clCreateSubDevicesEXT": "1.1",
    "clRetainDeviceEXT": "1.1",
    "clReleaseDeviceEXT": "1.1",
    "clCreateFromGLTexture": "1.2",
    "clGetKernelSubGroupInfoKHR": "2.0",
}
"""Maps functions of extensions to the versions of their symbols in loaders, where these are not 1.0."""
_REQUIRED = (
    "clGetPlatformIDs",
    "clGetDeviceIDs",
    "clGetKernelWorkGroupInfo",
    *(each for each in QUERY_FUNCTIONS.values() if each != "clGetKernelArgInfo"),
)
"""Functions of OpenCL 1.0 that the layer itself calls."""
_MULTIARCH = (
    ("__x86_64__", "x86_64-linux-gnu"),
    ("__i386__", "i386-linux-gnu"),
    ("__aarch64__", "aarch64-linux-gnu"),
    ("__arm__", "arm-linux-gnueabihf"),
    ("__riscv", "riscv64-linux-gnu"),
)
"""Pairs of a compiler's macro for an architecture, and the name of Debian's folder for its libraries."""

_START_SOURCE = """
/* Starts the recording at the first call; a loader has a function that reports its name, and a driver has none. */
static void start_shim_recording(void) {
  void *(*look_up)(const char *) = (void *(*)(const char *))vendor_functions[NUMBER];
  in_vendor = 1;
  int is_loader = look_up && look_up("clGetICDLoaderInfoOCLICD");
  in_vendor = 0;
  if (is_loader)
    start_recording((const char *)head, sizeof head);
  else
    start_recording((const char *)direct_head, sizeof direct_head);
}
"""


def generate_shim(tables: Tables, tables_digest: str, pointer_bytes: int = DEFAULT_POINTER_BYTES) -> str:
    """Return the complete shim as one C file; the parameters are those of ``generate_layer``."""
    return "\n".join(_ShimGenerator(tables, tables_digest, pointer_bytes).source_parts())


def generate_symbol_versions(tables: Tables) -> str:
    """Return a script for the linker that gives the shim's symbols the versions that they have in loaders."""
    functions = _ShimGenerator(tables, "", DEFAULT_POINTER_BYTES).functions
    names: dict[str, list[str]] = {"1.0": ["clconform_shim"]}
    for each in functions:
        names.setdefault(_symbol_version(each), []).append(each.name)
    lines, earlier = [], ""
    for version in sorted({*names, "1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "3.0"}):
        listed = "".join(f" {name};" for name in names.get(version, ()))
        exported = f"global:{listed} " if listed else ""
        lines.append(f"OPENCL_{version} {{ {exported}{'' if earlier else 'local: *; '}}}{earlier};")
        earlier = f" OPENCL_{version}"
    return "\n".join(lines) + "\n"


def _symbol_version(function: Function) -> str:
    if function.name in _NEWER_THAN_EXTENSION:
        return _NEWER_THAN_EXTENSION[function.name]
    since = [each.since for each in function.applicability if each.subject == "platform-version" and each.since]
    return min(max(since, default="1.0"), "3.0")


class _ShimGenerator(LayerGenerator):
    """Generates the layer with exported functions instead of the loader's interface for layers."""

    around_driver = ("int outer = in_vendor; in_vendor = 1; ", " in_vendor = outer;")
    around_callback = ("int outer = in_vendor; in_vendor = 0; ", " in_vendor = outer;")

    def declarations(self) -> Iterator[str]:
        names = [each.name for each in self.functions]
        numbers = {name: number for number, name in enumerate(names)}
        yield "#define HAS_ARGUMENT_QUERIES(kernel) ((void)(kernel), 1)"
        for number, (macro, folder) in enumerate(_MULTIARCH):
            yield f"#{'el' if number else ''}if defined({macro})"
            yield f'#define MULTIARCH "{folder}"'
        yield "#endif"
        yield f"#define EXPORTS {len(names)}"
        yield "static const char *const export_names[EXPORTS] = {" + ", ".join(f'"{name}"' for name in names) + "};"
        yield "static void *vendor_functions[EXPORTS];"
        yield "static void *vendor_table[ENTRIES];"
        positions = ", ".join(str(numbers.get(name, -1)) for name in self.tables.dispatch)
        yield f"static const int table_exports[ENTRIES] = {{{positions}}};"
        yield f"static const int required_exports[] = {{{', '.join(str(numbers[name]) for name in _REQUIRED)}}};"
        yield "static void put_wrappers(uint32_t entries);"
        for each in self.functions:
            yield f"EXPORTED {self.result_type(each)} {each.name}({self.parameter_list(each)});"
        functions = ", ".join(f"(void *){name}" for name in names)
        yield f"static void *const exported_functions[EXPORTS] = {{{functions}}};"
        yield self.read_part("vendor_library.c")

    def entry_points(self) -> Iterator[str]:
        direct = msgspec.structs.replace(self.head, through_loader=False)
        yield f"static const unsigned char direct_head[] = {{{encode_head(direct)}}};"
        yield _START_SOURCE.replace("NUMBER", str([each.name for each in self.functions].index(LOOKUPS[0])))
        for number, each in enumerate(self.functions):
            yield from self._exported_function(number, each)

    def _exported_function(self, number: int, function: Function) -> Iterator[str]:
        """Yield a function that records a call of the program, and passes on a call of the vendor."""
        result = self.result_type(function)
        names = [f"a_{each.name}" for each in function.parameters]
        types = ", ".join(self.passed_type(each) for each in function.parameters) or "void"
        yield f"EXPORTED {result} {function.name}({self.parameter_list(function)}) {{"
        yield "  void *from = __builtin_return_address(0);"
        yield "  int is_recorded;"
        yield f"  void *real = find_vendor_function({number}, from, &is_recorded);"
        passed = f"(({result} (*)({types}))real)({', '.join(names)})"
        recorded = f"c_{function.name}({', '.join(['real', 'from', *names])})"
        if function.name in LOOKUPS:
            recorded = f"own_function(wrapped(a_func_name, {recorded}))"
        if result == "void":
            yield f"  if (is_recorded) {recorded}; else {passed};"
        else:
            yield f"  return is_recorded ? {recorded} : {passed};"
        yield "}"
