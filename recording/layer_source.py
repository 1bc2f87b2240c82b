"""Generates the loader layer in C: a wrapper for each function of the tables, from its prototype alone."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from clconform.harness.signatures import split_type
from clconform.harness.type_layout import Machine, TypeLayouts
from clconform.recording.file_layout import encode_file_head
from clconform.recording.pointer_extents import CONTIGUOUS, ExtentKind, find_extent
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.harness.type_layout import TypeLayout
    from clconform.recording.pointer_extents import PointerExtent
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Callback, Function, Parameter

FORMAT = 5
"""The version of the recording format."""
MAX_DRIVERS = 4
"""The maximum number of drivers whose implementations of one extension function are distinguished."""
_INTEGERS = {
    "b": "int8_t",
    "B": "uint8_t",
    "h": "int16_t",
    "H": "uint16_t",
    "i": "int32_t",
    "I": "uint32_t",
    "q": "int64_t",
    "Q": "uint64_t",
    "f": "float",
    "d": "double",
}
_VENDOR_SUFFIXES = ("KHR", "EXT", "INTEL", "AMD")
LOOKUPS = ("clGetExtensionFunctionAddress", "clGetExtensionFunctionAddressForPlatform")
"""Functions that return the address of a function for its name."""

QUERY_FUNCTIONS = {
    "AT_IMAGE_INFO": "clGetImageInfo",
    "AT_MEM_OBJECT_INFO": "clGetMemObjectInfo",
    "AT_KERNEL_INFO": "clGetKernelInfo",
    "AT_KERNEL_ARG_INFO": "clGetKernelArgInfo",
    "AT_PROGRAM_INFO": "clGetProgramInfo",
    "AT_DEVICE_INFO": "clGetDeviceInfo",
    "AT_PLATFORM_INFO": "clGetPlatformInfo",
}
"""Maps names of constants to the query functions whose positions in the dispatch table they have."""
ARGUMENT_QUERIES = ("ADDRESS_QUALIFIER", "ACCESS_QUALIFIER", "TYPE_QUALIFIER", "TYPE_NAME", "NAME")
"""Queries of each argument of a kernel, without the prefix of their names."""
WAITING_FUNCTIONS = ("clFinish", "clWaitForEvents", "clReleaseCommandQueue")
"""Functions before which watched host memory is checked, in addition to blocking calls."""
WRITING_FUNCTIONS = (
    "clEnqueueReadBufferRect",
    "clEnqueueReadImage",
    "clEnqueueNativeKernel",
    "clEnqueueCommandBufferKHR",
)
"""Functions whose commands may write to any host memory."""
POINTER_WRITE_PREFIXES = ("clEnqueueSVMMem", "clEnqueueMem")
"""Name prefixes of functions whose commands write ``size`` bytes to the address in one of ``POINTER_TARGETS``."""
POINTER_TARGETS = ("dst_ptr", "svm_ptr")
CREATE_BUFFER = ("clCreateBuffer", "clCreateBufferWithProperties")
"""Functions that create a buffer, perhaps on ``size`` bytes of the program's memory."""
HOST_READS = {
    "clEnqueueWriteBuffer": ("ptr", "one_piece(a_ptr, a_size)"),
    "clEnqueueWriteBufferRect": (
        "ptr",
        "rectangle(a_ptr, a_host_origin, a_region, a_host_row_pitch, a_host_slice_pitch)",
    ),
    "clEnqueueWriteImage": ("ptr", "texels(target, a_image, a_ptr, a_region, a_input_row_pitch, a_input_slice_pitch)"),
    "clEnqueueSVMMemcpy": ("src_ptr", "one_piece(a_src_ptr, a_size)"),
    "clEnqueueMemcpyINTEL": ("src_ptr", "one_piece(a_src_ptr, a_size)"),
}
"""Maps functions whose commands read host memory to the pointer parameter, and to a C expression for the bytes read."""


class Head(msgspec.Struct, frozen=True):
    """The head of a recording.

    ``functions``: the names of the functions, in the order of their numbers in records. ``pointer_bytes``: the size of
    a pointer, of size_t and of long in the program. ``through_loader``: a loader received the calls.
    """

    format: int
    tables: str
    functions: list[str]
    pointer_bytes: int = DEFAULT_POINTER_BYTES
    through_loader: bool = True


def encode_head(head: Head) -> str:
    """Return the bytes of a recording's head, as the values of an array in C."""
    return ",".join(map(str, encode_file_head(msgspec.json.encode(head))))


def machine_of_program(pointer_bytes: int) -> Machine:
    """Return the machine of a recorded program: a little-endian Linux."""
    return Machine("<", pointer_bytes, pointer_bytes, {})


def generate_layer(tables: Tables, tables_digest: str, pointer_bytes: int = DEFAULT_POINTER_BYTES) -> str:
    """Return the complete layer as one C file; it needs no OpenCL headers.

    ``pointer_bytes``: the size of a pointer on the machine of the programs.
    """
    return "\n".join(LayerGenerator(tables, tables_digest, pointer_bytes).source_parts())


class LayerGenerator:
    """Generates the source of the layer; ``generate_layer`` describes the parameters."""

    around_driver = around_callback = ("", "")
    """C statements before and after a call of the driver, and before and after a callback of the program."""

    def __init__(self, tables: Tables, digest: str, pointer_bytes: int) -> None:
        self.tables = tables
        self._machine = TypeLayouts(tables.types, tables.enumerants, machine_of_program(pointer_bytes))
        self.functions = [each for each in tables.functions.values() if self._is_passable(each)]
        self._numbers = {each.name: number for number, each in enumerate(self.functions)}
        self.head = Head(FORMAT, digest, [each.name for each in self.functions], pointer_bytes)

    def _is_passable(self, function: Function) -> bool:
        """Return whether the tables define how all parameters are passed."""
        return all(each.pointers or self.passed_type(each) for each in function.parameters)

    def passed_type(self, parameter: Parameter) -> str:
        """Return the C type in which a parameter is passed; empty for a type that the tables do not define."""
        if parameter.pointers or parameter.direction == "callback":
            return "void *"
        return _c_type(self._machine.layout(parameter.base)) or ""

    def source_parts(self) -> Iterator[str]:
        """Yield the parts of the source in their order."""
        for part in ("runtime.c", "live_stream.c", "call_stacks.c", "python_lines.c"):
            yield self.read_part(part)
        yield from self._query_constants()
        yield self.read_part("host_memory.c")
        yield self.read_part("unmapped_memory.c")
        yield f"#define ENTRIES {len(self.tables.dispatch)}"
        yield "static void *const *target;"
        yield "static void *ours[4096];"
        yield "static void open_platforms(void);"
        yield "static void *wrapped(const char *name, void *real);"
        yield "static void learn_kernel(void *kernel);"
        yield from self.declarations()
        yield "#define BITS(x) ({ uint64_t bits = 0; memcpy(&bits, &(x), sizeof (x)); bits; })"
        yield "#define OPEN(lists) if (!mine.opening && is_on() && (lists || !forked)) \\"
        yield "    pthread_once(&opened, open_platforms)"
        for callback in self.tables.callbacks.values():
            yield from self._callback_wrapper(callback)
        for function in self.functions:
            yield from self._call_function(function)
        yield from self._core_wrappers()
        yield from self._extension_wrappers()
        yield from self._opening_queries()
        yield from self._layer_entry()

    @staticmethod
    def read_part(part: str) -> str:
        """Return a C file of this package."""
        return (resources.files("clconform.recording") / part).read_text(encoding="utf-8")

    def _query_constants(self) -> Iterator[str]:
        """Yield constants for the queries of objects that the layer makes: positions of functions, and names."""
        for name, function in QUERY_FUNCTIONS.items():
            yield f"#define {name} {list(self.tables.dispatch).index(function)}"
        for name, value in (
            ("ELEMENT_SIZE", "CL_IMAGE_ELEMENT_SIZE"),
            ("TYPE_OF_MEM", "CL_MEM_TYPE"),
            ("LAYERS_OF_ROWS", "CL_MEM_OBJECT_IMAGE1D_ARRAY"),
            ("PROGRAM_OF_KERNEL", "CL_KERNEL_PROGRAM"),
            ("ARGUMENTS_OF_KERNEL", "CL_KERNEL_NUM_ARGS"),
            ("NAME_OF_KERNEL", "CL_KERNEL_FUNCTION_NAME"),
            ("REQUIRED_GROUP", "CL_KERNEL_COMPILE_WORK_GROUP_SIZE"),
            ("LARGEST_GROUP", "CL_KERNEL_WORK_GROUP_SIZE"),
            ("DEVICES_OF_PROGRAM", "CL_PROGRAM_DEVICES"),
            ("PLATFORM_OF_DEVICE", "CL_DEVICE_PLATFORM"),
            ("VERSION_OF_PLATFORM", "CL_PLATFORM_VERSION"),
            *((f"ARGUMENT_{each}", f"CL_KERNEL_ARG_{each}") for each in ARGUMENT_QUERIES),
        ):
            yield f"#define {name} 0x{self.tables.enumerants[value].value:x}"

    def result_type(self, function: Function) -> str:
        """Return the C type of a function's result."""
        layout = self._machine.layout(*split_type(function.returns))
        return _c_type(layout) or "void"

    def parameter_list(self, function: Function | Callback) -> str:
        """Return the parameters of a function in C, with their types."""
        return ", ".join(f"{self.passed_type(each)} a_{each.name}" for each in function.parameters) or "void"

    # callbacks

    def _callback_wrapper(self, callback: Callback) -> Iterator[str]:
        if not callback.parameters or callback.parameters[-1].name != "user_data":
            return
        types = ", ".join(self.passed_type(each) for each in callback.parameters)
        values = [f"a_{each.name}" for each in callback.parameters[:-1]]
        yield f"static void b_{callback.function}({self.parameter_list(callback)}) {{"
        if callback.function.startswith("clCreateContext"):
            yield "  if (mine.opening) return; /* about a query of the layer, which the program must not notice */"
        yield "  struct registration *made = a_user_data;"
        data = "made->user_data"
        if callback.function.startswith("clCreateContext"):
            yield "  void *user_data = a_user_data;"
            yield "  if (!(made = error_registration(&a_private_info, &user_data))) return;"
            data = "user_data"
        yield "  if (begin_callback(CALLED_BACK, made)) {"
        for each in callback.parameters[:-1]:
            yield from _record_callback_argument(each, callback)
        yield "    end_record();"
        yield "  }"
        before, after = self.around_callback
        yield f"  {before}((void (*)({types}))made->function)({', '.join([*values, data])});{after}"
        yield "  if (begin_callback(CALLBACK_ENDED, made)) end_record();"
        yield "}"

    # the common part of one function's wrappers

    def _call_function(self, function: Function) -> Iterator[str]:
        number, result = self._numbers[function.name], self.result_type(function)
        names = [f"a_{each.name}" for each in function.parameters]
        parameters = ", ".join(f"{self.passed_type(each)} a_{each.name}" for each in function.parameters)
        start = "void *real, void *from"
        yield f"static {result} c_{function.name}({start}{', ' if parameters else ''}{parameters}) {{"
        yield f"  OPEN({int(function.name == 'clGetPlatformIDs')});"
        yield from _memory_checks(function)
        yield from _mapping_checks(function)
        yield "  uint64_t sequence = 0;"
        yield f"  if (enter({number}, from)) {{"
        for each in function.parameters:
            yield from self._record_input(function, each)
        yield "    sequence = end_record();"
        yield "  }"
        yield from self._wrapped_callbacks(function)
        types = ", ".join(self.passed_type(each) for each in function.parameters) or "void"
        made = f"(({result} (*)({types}))real)({', '.join(names)})"
        before, after = self.around_driver
        yield f"  {before}{made};{after}" if result == "void" else f"  {before}{result} result = {made};{after}"
        yield f"  if (leave({number}, sequence, {'0' if result == 'void' else 'BITS(result)'})) {{"
        yield f"    int fine = {_success_expression(function, result)};"
        yield "    (void)fine;"
        for each in function.parameters:
            yield from self._record_output(function, each)
        yield "    end_record();"
        yield from _memory_watches(function)
        yield "  }"
        yield from self._known_areas(function, result)
        yield from _kernel_queries(function)
        if result != "void":
            yield "  return result;"
        yield "}"

    def _known_areas(self, function: Function, result: str) -> Iterator[str]:
        """Yield C code that notes a new memory object, with the memory of the program that a buffer uses."""
        if function.returns.strip() != "cl_mem" or result == "void":
            return
        area = "NULL, 0"
        if function.name in CREATE_BUFFER:
            use = self.tables.enumerants["CL_MEM_USE_HOST_PTR"].value
            area = f"a_flags & {use} ? a_host_ptr : NULL, a_size"
        yield f"  if (sequence && result) know_area((const void *)result, {area});"

    def _record_input(self, function: Function, parameter: Parameter) -> Iterator[str]:
        name, place = f"a_{parameter.name}", find_extent(function, parameter, self._machine)
        yield f"    put(BITS({name}));"
        if place.kind in (ExtentKind.VALUE, ExtentKind.CALLBACK, ExtentKind.ADDRESS) or place.is_output:
            return
        if place.kind is ExtentKind.TEXT:
            yield f"    put_text({name});"
        elif place.kind is ExtentKind.TEXTS:
            lengths = "a_lengths" if any(each.name == "lengths" for each in function.parameters) else "NULL"
            yield f"    put_texts({_c_expression(place.counter)}, {name}, {lengths});"
        elif place.kind is ExtentKind.BLOBS:
            yield f"    put_blobs({_c_expression(place.counter)}, {name}, a_lengths);"
        elif place.kind is ExtentKind.PAIRS:
            yield f"    put_bytes({name}, pairs({name}, {place.size}));"
        elif place.kind is ExtentKind.PARTITION:
            yield f"    put_bytes({name}, partition({name}));"
        else:
            careful = "put_carefully" if parameter.name in ("fill_color", "buffer_create_info") else "put_bytes"
            yield f"    {careful}({name}, (uint64_t){_c_expression(place.counter)} * {place.size});"

    def _wrapped_callbacks(self, function: Function) -> Iterator[str]:
        for each in function.parameters:
            known = self.tables.callbacks.get(f"{function.name}/{each.name}")
            if each.direction != "callback" or known is None or not known.parameters:
                continue
            if known.parameters[-1].name == "user_data":
                yield f"  if (sequence && a_{each.name}) {{"
                yield f"    void *made = registration(a_{each.name}, a_user_data, sequence);"
                if function.name.startswith("clCreateContext"):
                    yield "    if (made && !know_error_registration(made)) made = NULL;"
                yield f"    if (made) a_{each.name} = (void *)b_{function.name}, a_user_data = made;"
                yield "  }"

    def _record_output(self, function: Function, parameter: Parameter) -> Iterator[str]:
        name, place = f"a_{parameter.name}", find_extent(function, parameter, self._machine)
        if not place.is_output:
            return
        count = f"(uint64_t){_c_expression(place.counter)}"
        if place.size_output:
            count = (
                f"least({count}, a_{place.size_output} ? (uint64_t)*({self._size_type(function, place)} "
                f"*)a_{place.size_output} : {count})"
            )
        when = "fine"
        if parameter.name in ("errcode_ret", "binary_status"):
            when = "1"
        elif parameter.name == "ptr":
            when = "fine && a_blocking_read"
        yield f"    put_bytes({when} ? {name} : NULL, {count} * {place.size});"

    def _size_type(self, function: Function, place: PointerExtent) -> str:
        told = next(each for each in function.parameters if each.name == place.size_output)
        return _c_type(self._machine.layout(told.base)) or "uint32_t"

    # the functions that the loader and the program call

    def _core_wrappers(self) -> Iterator[str]:
        for position, name in enumerate(self.tables.dispatch):
            function = self.tables.functions.get(name)
            if function is not None and name in self._numbers:
                yield from self._wrapper(function, f"w_{name}", f"target[{position}]")

    def _wrapper(self, function: Function, name: str, real: str) -> Iterator[str]:
        result, given = self.result_type(function), "".join(f", a_{each.name}" for each in function.parameters)
        yield f"static {result} {name}({self.parameter_list(function)}) {{"
        call = f"c_{function.name}({real}, __builtin_return_address(0){given})"
        if function.name in LOOKUPS:
            yield f"  return wrapped(a_func_name, {call});"
        else:
            yield f"  {'' if result == 'void' else 'return '}{call};"
        yield "}"

    def _extension_wrappers(self) -> Iterator[str]:
        others = [
            each
            for each in self.functions
            if each.name.endswith(_VENDOR_SUFFIXES) or each.name not in self.tables.dispatch
        ]
        yield f"static void *real_extensions[{len(others)}][{MAX_DRIVERS}];"
        for number, function in enumerate(others):
            for slot in range(MAX_DRIVERS):
                yield from self._wrapper(function, f"x_{function.name}_{slot}", f"real_extensions[{number}][{slot}]")
        yield f"static const char *const extension_names[{len(others)}] = {{"
        yield ", ".join(f'"{each.name}"' for each in others)
        yield "};"
        yield f"static void *const extension_wrappers[{len(others)}][{MAX_DRIVERS}] = {{"
        for each in others:
            yield "  {" + ", ".join(f"(void *)x_{each.name}_{slot}" for slot in range(MAX_DRIVERS)) + "},"
        yield "};"
        yield _WRAPPED_SOURCE.replace("COUNT", str(len(others))).replace("SLOTS", str(MAX_DRIVERS))

    def _opening_queries(self) -> Iterator[str]:
        for function, name in (("clGetPlatformInfo", "platform"), ("clGetDeviceInfo", "device")):
            known = [each for each in self.tables.queries_of(function) if each.name in self.tables.enumerants]
            first = sorted(known, key=lambda each: "EXTENSIONS_WITH_VERSION" not in each.name)
            numbers = ", ".join(f"0x{self.tables.enumerants[each.name].value:x}" for each in first)
            yield f"static const uint32_t {name}_queries[] = {{{numbers}}};"
        yield _OPENING_SOURCE
        yield _KERNEL_SOURCE

    def _layer_entry(self) -> Iterator[str]:
        yield f"static const unsigned char head[] = {{{encode_head(self.head)}}};"
        yield "static void put_wrappers(uint32_t entries) {"
        for position, name in enumerate(self.tables.dispatch):
            if name in self._numbers:
                yield f"  if (entries > {position} && target[{position}]) ours[{position}] = (void *)w_{name};"
        yield "}"
        yield from self.entry_points()

    def declarations(self) -> Iterator[str]:
        """Yield the declarations that the functions of this form of the layer use."""
        yield "#define HAS_ARGUMENT_QUERIES(kernel) ((*(void ***)(kernel))[AT_KERNEL_ARG_INFO])"

    def entry_points(self) -> Iterator[str]:
        """Yield the functions that the library exports."""
        yield _LAYER_ENTRY_SOURCE


def _record_callback_argument(parameter: Parameter, callback: Callback) -> Iterator[str]:
    """Yield code that records an argument of a callback: a value, a text, or a counted list of addresses."""
    name = f"a_{parameter.name}"
    if parameter.pointers > 1:
        count = next(f"a_{each.name}" for each in callback.parameters if each.name.startswith("num_"))
        yield f"    put_bytes({name}, (uint64_t){count} * sizeof(void *));"
    elif parameter.base == "char" and parameter.pointers == 1:
        yield f"    put_text({name});"
    else:
        yield f"    put(BITS({name}));"


def _memory_checks(function: Function) -> Iterator[str]:
    """Yield code that checks watched host memory before a call, or stops watching memory that may change."""
    names = {each.name for each in function.parameters}
    blocking = next((f"a_{name}" for name in names if name.startswith("blocking")), "")
    if function.name in WAITING_FUNCTIONS or blocking:
        yield f"  if ({blocking or 1}) look_again();"
    written = next(
        (f"a_{name}" for name in POINTER_TARGETS if name in names and function.name.startswith(POINTER_WRITE_PREFIXES)),
        "",
    )
    if function.name == "clEnqueueReadBuffer" or written:
        yield f"  give_up({written or 'a_ptr'}, a_size);"
    elif function.name in WRITING_FUNCTIONS:
        yield "  give_up(NULL, 0);"


def _mapping_checks(function: Function) -> Iterator[str]:
    """Yield C code that checks before a call whether the host memory that it uses is mapped."""
    if function.name in CONTIGUOUS:
        yield "  check_memory(NULL, (uint64_t)(uintptr_t)a_ptr, a_size);"
    if function.name.startswith("clEnqueue"):
        for each in function.parameters:
            if each.base == "cl_mem" and not each.pointers:
                yield f"  check_area((const void *)a_{each.name});"


def _memory_watches(function: Function) -> Iterator[str]:
    """Yield C code that starts or stops watching host memory at the end of a successful call.

    Commands that read host memory start it, clFinish stops it.
    """
    if function.name in HOST_READS:
        pointer, rows = HOST_READS[function.name]
        blocks = next(f"a_{each.name}" for each in function.parameters if each.name.startswith("blocking"))
        yield f"    if (fine && !{blocks} && is_watched(a_{pointer}, sequence))"
        yield f"      watch({rows}, a_command_queue, sequence);"
    elif function.name == "clFinish":
        yield "    if (fine) waited(a_command_queue);"


def _kernel_queries(function: Function) -> Iterator[str]:
    """Yield C code that queries the declarations of kernels after the call that created them."""
    if function.name == "clCreateKernel":
        yield "  if (sequence && result) learn_kernel(result);"
    elif function.name == "clCreateKernelsInProgram":
        yield "  if (sequence && !result && a_kernels && a_num_kernels_ret)"
        yield "    for (uint32_t each = 0; each < a_num_kernels && each < *(uint32_t *)a_num_kernels_ret; each++)"
        yield "      learn_kernel(((void **)a_kernels)[each]);"


def _c_expression(count: str) -> str:
    return count if count.isdecimal() else f"a_{count}"


def _success_expression(function: Function, result: str) -> str:
    """Return a C expression for whether the call succeeded, so that its outputs are recorded."""
    if function.error_by == "return":
        return "result == 0"
    return "1" if result == "void" or function.error_by == "none" else "result != 0"


_WRAPPED_SOURCE = """
/* Returns what the program is to call for an extension's function: ours, if it is known and a place is left. */
static void *wrapped(const char *name, void *real) {
  if (!real || !name || !atomic_load(&recording.on)) return real;
  for (int each = 0; each < COUNT; each++) {
    if (strcmp(name, extension_names[each])) continue;
    for (int slot = 0; slot < SLOTS; slot++) {
      void *expected = NULL;
      if (__atomic_load_n(&real_extensions[each][slot], __ATOMIC_ACQUIRE) == real ||
          __atomic_compare_exchange_n(&real_extensions[each][slot], &expected, real, 0, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE) ||
          expected == real)
        return extension_wrappers[each][slot];
    }
  }
  return real;
}
"""

_OPENING_SOURCE = """
typedef int32_t (*info)(void *, uint32_t, size_t, void *, void *);
static void query_all(info ask, void *thing, const uint32_t *names, size_t count) {
  for (size_t each = 0; each < count; each++) {
    size_t size = 0;
    if (ask(thing, names[each], 0, NULL, &size) || !size || size > 1 << 20) continue;
    void *value = malloc(size);
    if (value) ask(thing, names[each], size, value, &size);
    free(value);
  }
}

/* Asks once what the judge must know of platforms and devices. */
static void open_platforms(void) {
  mine.opening = 1;
  uint32_t count = 0;
  void *platforms[64];
  if (!w_clGetPlatformIDs(0, NULL, &count) && count) {
    if (count > 64) count = 64;
    if (!w_clGetPlatformIDs(count, platforms, NULL)) {
      for (uint32_t each = 0; each < count; each++) {
        uint32_t number = 0;
        void *devices[256];
        query_all(w_clGetPlatformInfo, platforms[each], platform_queries, sizeof platform_queries / 4);
        if (w_clGetDeviceIDs(platforms[each], 0xffffffff, 256, devices, &number)) continue;
        for (uint32_t one = 0; one < number && one < 256; one++)
          query_all(w_clGetDeviceInfo, devices[one], device_queries, sizeof device_queries / 4);
      }
    }
  }
  mine.opening = 0;
}
"""

_KERNEL_SOURCE = """
#define CALL(position) ((info)target[position])
static int platform_has_argument_queries(void *device) {
  void *platform = NULL;
  char version[256] = "";
  unsigned major = 0, minor = 0;
  if (CALL(AT_DEVICE_INFO)(device, PLATFORM_OF_DEVICE, sizeof platform, &platform, NULL)) return 0;
  if (CALL(AT_PLATFORM_INFO)(platform, VERSION_OF_PLATFORM, sizeof version, version, NULL)) return 0;
  return sscanf(version, "OpenCL %u.%u", &major, &minor) == 2 && (major > 1 || minor >= 2);
}

/* Queries the declaration of an argument; returns 0 if the driver does not have it. */
static int query_argument(void *kernel, uint32_t index) {
  uint32_t number = 0;
  uint64_t flags = 0;
  char text[1024];
  size_t size = 0;
  if (w_clGetKernelArgInfo(kernel, index, ARGUMENT_ADDRESS_QUALIFIER, sizeof number, &number, &size)) return 0;
  w_clGetKernelArgInfo(kernel, index, ARGUMENT_ACCESS_QUALIFIER, sizeof number, &number, &size);
  w_clGetKernelArgInfo(kernel, index, ARGUMENT_TYPE_QUALIFIER, sizeof flags, &flags, &size);
  w_clGetKernelArgInfo(kernel, index, ARGUMENT_TYPE_NAME, sizeof text, text, &size);
  w_clGetKernelArgInfo(kernel, index, ARGUMENT_NAME, sizeof text, text, &size);
  return 1;
}

/* Queries what the judge must know of a new kernel. Nothing is retained, and errors have no effect. */
static void learn_kernel(void *kernel) {
  void *program = NULL, *devices[64];
  char name[1024];
  uint32_t count = 0;
  size_t size = 0;
  if (!is_on() || mine.opening || mine.busy) return;
  mine.opening = 1;
  int before = errno;
  w_clGetKernelInfo(kernel, NAME_OF_KERNEL, sizeof name, name, &size);
  if (w_clGetKernelInfo(kernel, ARGUMENTS_OF_KERNEL, sizeof count, &count, &size)) count = 0;
  size = 0;
  if (CALL(AT_KERNEL_INFO)(kernel, PROGRAM_OF_KERNEL, sizeof program, &program, NULL) || !program ||
      CALL(AT_PROGRAM_INFO)(program, DEVICES_OF_PROGRAM, sizeof devices, devices, &size))
    size = 0;
  for (size_t each = 0; each < size / sizeof *devices && each < 64; each++) {
    size_t group[3] = {0, 0, 0}, largest = 0, bytes = 0;
    if (w_clGetKernelWorkGroupInfo(kernel, devices[each], REQUIRED_GROUP, sizeof group, group, &bytes)) continue;
    w_clGetKernelWorkGroupInfo(kernel, devices[each], LARGEST_GROUP, sizeof largest, &largest, &bytes);
  }
  int known = size && ours[AT_KERNEL_ARG_INFO] && platform_has_argument_queries(devices[0]) &&
              HAS_ARGUMENT_QUERIES(kernel);
  for (uint32_t each = 0; known && each < count && each < 256; each++) known = query_argument(kernel, each);
  errno = before;
  mine.opening = 0;
}
"""

_LAYER_ENTRY_SOURCE = """
#define LAYER_API_VERSION 0x4240
#define LAYER_NAME 0x4241
EXPORTED int32_t clGetLayerInfo(uint32_t name, size_t size, void *value, size_t *size_ret) {
  static const char title[] = "clconform recording";
  uint32_t version = 100;
  const void *answer = name == LAYER_API_VERSION ? (const void *)&version : title;
  size_t bytes = name == LAYER_API_VERSION ? sizeof version : sizeof title;
  if (name != LAYER_API_VERSION && name != LAYER_NAME) return -30;
  if (value && size < bytes) return -30;
  if (value) memcpy(value, answer, bytes);
  if (size_ret) *size_ret = bytes;
  return 0;
}

EXPORTED int32_t clInitLayer(uint32_t entries, void *const *next, uint32_t *entries_ret, void *const **table) {
  if (!next || !table || !entries_ret) return -30;
  if (entries > sizeof ours / sizeof *ours) entries = sizeof ours / sizeof *ours;
  target = next;
  memcpy(ours, next, entries * sizeof *ours);
  start_recording((const char *)head, sizeof head);
  put_wrappers(entries);
  *table = ours;
  *entries_ret = entries;
  return 0;
}

EXPORTED int32_t clInitLayerWithProperties(uint32_t entries, void *const *next, uint32_t *entries_ret,
                                           void *const **table, const void *properties) {
  (void)properties;
  return clInitLayer(entries, next, entries_ret, table);
}

EXPORTED int32_t clDeinitLayer(void) { return 0; }
"""


def _c_type(layout: TypeLayout | None) -> str | None:
    """Return the C type of an element that is passed by value; None for other types."""
    if layout is None or not layout.is_scalar:
        return None
    return "void *" if layout.is_pointer else _INTEGERS[layout.letters]
