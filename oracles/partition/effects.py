"""What the prose of both documents says of partitions, and which calls put each of its sentences to the test."""

from __future__ import annotations

from collections.abc import Callable

from clconform.calls.values import Handle, Room
from clconform.oracles.model import Context, Device
from clconform.oracles.partition.schemes import CORE, EXT, ORDER, Dialect, Request, parts, read_request, supports
from clconform.oracles.queries import query_of
from clconform.oracles.rules import Asked, situation, untestable

INFO = "clGetDeviceInfo"
UNITS = "CL_DEVICE_MAX_COMPUTE_UNITS"


def subject(asked: Asked) -> Device | None:
    """Return the device that a call is about, if it is one."""
    found = asked.model.known(next(iter(asked.call.arguments.values())))
    return found if isinstance(found, Device) else None


def answered(query: str, when: Callable[[Device], bool]) -> Callable[[Asked], bool]:
    """Return the situation that a query of this name is answered, on a device of that kind."""

    def holds(asked: Asked) -> bool:
        device, record = subject(asked), query_of(asked.call, asked.model)
        if device is None or record is None or record.name != query or "param_value" not in asked.seen:
            return bool(device and record and record.name == query and asked.call.param_value_size_ret and _empty(asked))
        return asked.code == "CL_SUCCESS" and when(device)

    return holds


def _empty(asked: Asked) -> bool:
    return asked.code == "CL_SUCCESS" and asked.seen.get("param_value_size_ret") == [0]


def root(device: Device) -> bool:
    """Tell whether a device is a root device."""
    return device.root


def part(device: Device) -> bool:
    """Tell whether a device is a sub-device."""
    return not device.root


def by_next(dialect: Dialect) -> Callable[[Device], bool]:
    """Return the test for sub-devices that were made along the next partitionable domain."""

    def resolved(device: Device) -> bool:
        partition = device.partition
        return partition is not None and partition.function == dialect.function and partition.resolved

    return resolved


def by_scheme(scheme: str) -> Callable[[Device], bool]:
    """Return the test for sub-devices that a scheme has made."""
    return lambda device: device.partition is not None and device.partition.scheme == scheme


def requested(
    dialect: Dialect, when: Callable[[Asked, Request, Device], bool], *, success: bool = True
) -> Callable[[Asked], bool]:
    """Return the situation that a partition is asked for in a certain way, and made (or refused)."""

    def holds(asked: Asked) -> bool:
        device = subject(asked)
        if device is None or (asked.code == "CL_SUCCESS") is not success:
            return False
        return when(asked, read_request(asked.call.properties, dialect, asked.model), device)

    return holds


def _domain(asked: Asked, request: Request, dialect: Dialect, name: str) -> bool:
    return request.scheme == dialect.by_domain and request.values[:1] == (asked.model.value(name),)


def _units(device: Device) -> int:
    return device.number(UNITS)


def _of_dialect(dialect: Dialect, suffix: str) -> None:  # noqa: PLR0914 (one name a record would be a table of names)
    """Declare the situations that both documents share, each under its own names."""
    make, success = dialect.function, f"{dialect.function}/success"
    out, room, count = "out_devices", "num_entries" if suffix else "num_devices", "num_devices" if suffix else "num_devices_ret"
    parent, style = f"CL_DEVICE_PARENT_DEVICE{suffix}", dialect_style(suffix)
    references = f"CL_DEVICE_REFERENCE_COUNT{suffix}"

    def query(number: int, name: str, words: str, when: Callable[[Device], bool]) -> None:
        situation(f"{name}/effect/{number}", INFO, words, name, holds=answered(name, when))

    def made(record: str, words: str, when: Callable[[Asked, Request, Device], bool], *parents: str) -> None:
        situation(record, make, words, success, *parents, holds=requested(dialect, when))

    query(1, parent, "a sub-device names the device that was partitioned", part)
    query(2, parent, "a root device has no parent", root)
    query(1, dialect.supported, "the list names schemes that the device supports", lambda _device: True)
    query(2, dialect.supported, "nothing but known schemes is in the list", lambda _device: True)
    query(1, dialect.supported_domains, "the answer names domains that the device supports", lambda _device: True)
    query(1, style, "a sub-device repeats the list that made it", lambda device: part(device) and not by_next(dialect)(device))
    query(1, references, "a sub-device counts its references", part)
    query(2, references, "a root device has one reference", root)
    made(f"{make}/effect/{4 if not suffix else 5}", "the new sub-devices are written", lambda asked, *_: out in asked.seen)
    made(
        f"{make}/effect/{5 if not suffix else 6}",
        "without a place for the devices only their number is told",
        lambda asked, *_: asked.call.arguments[out] is None,
    )
    made(f"{make}/effect/{6 if not suffix else 8}", "the number of parts is told", lambda asked, *_: count in asked.seen)
    made(
        f"{make}/effect/{7 if not suffix else 9}",
        "the number need not be asked for",
        lambda asked, *_: asked.call.arguments[count] is None and asked.call.arguments[room] > 0,
    )
    made(
        f"{make}/effect/{2 if not suffix else 10}",
        "a zero ends the list",
        lambda _asked, request, _device: bool(request.scheme) and not request.rest,
    )
    situation(
        f"{make}/effect/{8 if not suffix else 1}",
        INFO,
        "sub-devices do not share compute units: together they never have more than the parent",
        UNITS,
        holds=answered(UNITS, lambda device: bool(device.partition and device.partition.function == make)),
    )
    _of_schemes(dialect, suffix)
    _of_domains(dialect)
    situation(
        f"{dialect.retain}/effect/1",
        INFO,
        "retaining a sub-device adds a reference",
        references,
        holds=answered(references, lambda device: part(device) and device.retained > 0),
    )
    situation(
        f"{dialect.release}/effect/1",
        INFO,
        "releasing a sub-device takes a reference away",
        references,
        holds=answered(references, lambda device: part(device) and device.released > 0),
    )


def dialect_style(suffix: str) -> str:
    """Return the query that repeats the list of a partition."""
    return "CL_DEVICE_PARTITION_STYLE_EXT" if suffix else "CL_DEVICE_PARTITION_TYPE"


def _of_schemes(dialect: Dialect, suffix: str) -> None:
    make, success = dialect.function, f"{dialect.function}/success"

    def made(record: str, words: str, when: Callable[[Asked, Request, Device], bool], *parents: str) -> None:
        situation(record, make, words, success, *parents, holds=requested(dialect, when))

    equally, counts = dialect.equally, dialect.by_counts
    made(
        f"{equally}/effect/1",
        "as many parts as can be made",
        lambda _asked, request, device: request.scheme == equally and request.values[0] > 0 and _units(device) % request.values[0] == 0,
        equally,
    )
    made(
        f"{equally}/effect/2",
        "units left over stay unused",
        lambda _asked, request, device: request.scheme == equally and request.values[0] > 0 and _units(device) % request.values[0] != 0,
        equally,
    )
    made(f"{counts}/effect/1", "a list of counts with an end of its own", lambda _asked, request, _device: request.scheme == counts, counts)
    made(
        f"{counts}/effect/2",
        "one part for each count",
        lambda _asked, request, _device: request.scheme == counts and len(request.values) > 1,
        counts,
    )
    made(
        f"{equally}/effect/3" if suffix else f"{make}/effect/11",
        "the document's example: 16 units by 8",
        lambda _asked, request, device: request.scheme == equally and request.values == (8,) and _units(device) == 16,  # noqa: PLR2004 (the example)
        equally,
    )
    example = (2, 2) if suffix else (3, 1)
    made(
        f"{counts}/effect/3" if suffix else f"{make}/effect/12",
        f"the document's example: 4 units by {example}",
        lambda _asked, request, device: request.scheme == counts and request.values == example and _units(device) == 4,  # noqa: PLR2004 (the example)
        counts,
    )


def _of_domains(dialect: Dialect) -> None:
    make, success, scheme = dialect.function, f"{dialect.function}/success", dialect.by_domain
    style = dialect_style("EXT" if dialect is EXT else "")
    situation(
        f"{scheme}/effect/1",
        INFO,
        "the units of a part share a domain: together the parts never have more than the parent",
        UNITS,
        holds=answered(UNITS, by_scheme(scheme)),
    )
    situation(
        f"{scheme}/effect/2",
        make,
        "domains come from the list",
        *(record for record in ("clCreateSubDevices/CL_INVALID_VALUE/1", scheme, success)),
        holds=lambda asked: _any_domain(asked, dialect),
    )
    for number, level in enumerate(ORDER, start=3):
        name = dialect.domains[level]
        situation(
            f"{scheme}/effect/{number}",
            make,
            f"the parts share {level}",
            success,
            scheme,
            holds=requested(dialect, lambda asked, request, _device, name=name: _domain(asked, request, dialect, name)),  # type: ignore[misc]
        )
    situation(
        f"{scheme}/effect/8",
        make,
        "the device is divided along the next domain that divides it",
        success,
        scheme,
        holds=requested(dialect, lambda asked, request, _device: _domain(asked, request, dialect, dialect.next_domain)),
    )
    situation(
        f"{scheme}/effect/9",
        INFO,
        "the levels are tried from the outermost to the innermost",
        style,
        holds=answered(style, by_next(dialect)),
    )
    example = f"{scheme}/effect/10" if dialect is EXT else f"{make}/effect/13"
    situation(
        example,
        make,
        "the document's example: along the outermost level",
        success,
        scheme,
        holds=requested(dialect, lambda asked, request, _device: _domain(asked, request, dialect, dialect.next_domain)),
    )


def _any_domain(asked: Asked, dialect: Dialect) -> bool:
    device = subject(asked)
    request = read_request(asked.call.properties, dialect, asked.model)
    return device is not None and request.scheme == dialect.by_domain and supports(device, request, dialect)


_of_dialect(CORE, "")
_of_dialect(EXT, "_EXT")


def _core_only() -> None:
    make = CORE.function
    most = "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"
    situation(f"{UNITS}/limit/1", INFO, "there is at least one", UNITS, holds=answered(UNITS, lambda _device: True))
    situation(
        f"{most}/effect/1",
        make,
        "no partition makes more sub-devices",
        most,
        "clCreateSubDevices/success",
        holds=requested(CORE, lambda asked, *_: "num_devices_ret" in asked.seen),
    )
    situation(f"{most}/limit/1", INFO, "not above the compute units", most, holds=answered(most, lambda _device: True))
    situation(
        "CL_DEVICE_PARTITION_PROPERTIES/effect/3",
        INFO,
        "a device that cannot be partitioned lists a zero",
        "CL_DEVICE_PARTITION_PROPERTIES",
        holds=lambda asked: answered("CL_DEVICE_PARTITION_PROPERTIES", lambda _device: True)(asked)
        and asked.seen.get("param_value") == [0],
    )
    situation(
        "CL_DEVICE_PARTITION_AFFINITY_DOMAIN/effect/2",
        INFO,
        "a device without affinity domains answers zero",
        "CL_DEVICE_PARTITION_AFFINITY_DOMAIN",
        holds=lambda asked: answered("CL_DEVICE_PARTITION_AFFINITY_DOMAIN", lambda _device: True)(asked)
        and asked.seen.get("param_value") == [0],
    )
    style = dialect_style("")
    situation(
        f"{style}/effect/2", INFO, "the next domain is answered with the actual one", style, holds=answered(style, by_next(CORE))
    )
    situation(
        f"{style}/effect/3", INFO, "a domain of the list", style, holds=answered(style, by_scheme(CORE.by_domain))
    )
    situation(f"{style}/effect/4", INFO, "a root device repeats nothing, or a zero", style, holds=answered(style, root))
    situation(
        f"{make}/effect/1",
        make,
        "a scheme's name is followed by its value",
        f"{make}/success",
        holds=requested(CORE, lambda _asked, request, _device: bool(request.values)),
    )
    situation(
        f"{make}/effect/3",
        make,
        "one scheme at a time",
        f"{make}/CL_INVALID_VALUE/1",
        holds=lambda asked: bool(read_request(asked.call.properties, CORE, asked.model).rest) and subject(asked) is not None,
    )
    situation(
        f"{make}/effect/9",
        "clCreateCommandQueue",
        "a sub-device can be used as its parent can",
        "clCreateCommandQueue/success",
        holds=lambda asked: asked.code == "CL_SUCCESS" and _on_part(asked, CORE),
    )
    for function, number in (("clRetainDevice", 2), ("clReleaseDevice", 2)):
        situation(
            f"{function}/effect/{number}",
            INFO,
            "a root device's count stays as it is",
            "CL_DEVICE_REFERENCE_COUNT",
            holds=answered(
                "CL_DEVICE_REFERENCE_COUNT",
                lambda device, retains=function == "clRetainDevice": root(device)  # type: ignore[misc]
                and bool(device.retained if retains else device.released),
            ),
        )
    untestable(
        f"{make}/effect/10", "commands run on the sub-device only", "the host cannot see which compute units ran a command"
    )
    untestable(
        "clReleaseDevice/effect/3",
        "a device goes with its last reference and the last object that uses it, and not before",
        "using a device that may be gone is undefined; only a handle that comes back too early can show it",
    )


def _on_part(asked: Asked, dialect: Dialect) -> bool:
    device = asked.model.known(asked.call.arguments.get("device"))
    return isinstance(device, Device) and bool(device.partition) and device.partition.function == dialect.function  # type: ignore[union-attr]


def _in_ancestors_context(asked: Asked) -> bool:
    context, device = asked.model.known(asked.call.context), asked.model.known(asked.call.device)
    if not isinstance(context, Context) or not isinstance(device, Device):
        return False
    return device not in context.devices and any(ancestor in context.devices for ancestor in device.ancestors)


_core_only()


def _ext_only() -> None:
    make, success = EXT.function, f"{EXT.function}/success"
    names, styles, domains = EXT.by_names, dialect_style("_EXT"), EXT.supported_domains

    def made(record: str, words: str, when: Callable[[Asked, Request, Device], bool]) -> None:
        situation(record, make, words, success, names, holds=requested(EXT, when))

    situation(
        f"{make}/effect/2",
        "clCreateCommandQueue",
        "a sub-device can be used as the root device can",
        "clCreateCommandQueue/success",
        holds=lambda asked: asked.code == "CL_SUCCESS" and _on_part(asked, EXT),
    )
    situation(
        f"{make}/effect/3",
        "clCreateCommandQueue",
        "a sub-device can be used in its ancestors' contexts",
        "clCreateCommandQueue/success",
        "clCreateCommandQueue/CL_INVALID_DEVICE/1",
        holds=_in_ancestors_context,
    )
    untestable(f"{make}/effect/4", "commands run on the sub-device only", "the host cannot see which units ran a command")
    untestable(f"{make}/effect/11", "one scheme at a time", "no error is given for it, so every answer is allowed")
    untestable("clReleaseDeviceEXT/effect/2", "the device goes with its last reference", "using a device that may be gone is undefined")
    made(f"{make}/effect/7", "where there is little room, as many as fit", lambda asked, request, device: (
        isinstance(asked.call.out_devices, Room) and asked.call.num_entries < len(parts(device, request, EXT, asked.model))
    ))  # fmt: skip
    made(f"{names}/effect/1", "a list of names with an end of its own", lambda _asked, request, _device: request.scheme == names)
    made(f"{names}/effect/2", "names count from zero", lambda _asked, request, _device: request.scheme == names and 0 in request.values)
    made(f"{names}/effect/3", "one sub-device at a time", lambda _asked, request, _device: request.scheme == names)
    made(
        f"{names}/effect/4",
        "the document's example: units 0, 1 and 3",
        lambda _asked, request, _device: request.scheme == names and request.values == (0, 1, 3),
    )
    types = EXT.supported
    situation(f"{types}/effect/3", INFO, "at least one style", types, holds=answered(types, lambda _device: True))
    untestable(f"{types}/effect/4", "a style need not work in every case", "a permission: nothing could violate it")
    situation(f"{domains}/effect/2", INFO, "domains of the list only", domains, holds=answered(domains, lambda _device: True))
    situation(
        f"{domains}/effect/3",
        INFO,
        "an empty list where there is none",
        domains,
        holds=lambda asked: answered(domains, lambda _device: True)(asked) and _empty(asked),
    )
    situation(f"{styles}/effect/2", INFO, "the list's end for a root device", styles, holds=answered(styles, root))
    situation(f"{styles}/effect/3", INFO, "the next domain is answered with the actual one", styles, holds=answered(styles, by_next(EXT)))
    situation(f"{styles}/effect/4", INFO, "the size tells the length", f"{INFO}/success", holds=answered(styles, lambda _device: True))


_ext_only()


def _of_other_functions() -> None:
    """Declare what cl_ext_device_fission says of functions that are not its own."""

    def told(record: str) -> str:
        return f"cl_ext_device_fission:{record}"

    def lives(asked: Asked) -> bool:
        return any(isinstance(thing, Device) and not thing.root for thing in asked.model.things.values())

    def context_of(asked: Asked) -> Context | None:
        thing = asked.model.known(asked.call.arguments.get("context"))
        return thing if isinstance(thing, Context) else None

    def lists(asked: Asked, when: Callable[[Context], bool]) -> bool:
        context, record = context_of(asked), query_of(asked.call, asked.model)
        listed = record is not None and record.name == "CL_CONTEXT_DEVICES" and "param_value" in asked.seen
        return listed and context is not None and asked.code == "CL_SUCCESS" and when(context)

    def attached_part(context: Context) -> bool:
        return any(not device.root and device.references < 1 for device in context.devices)

    situation(told("clGetDeviceIDs/1"), "clGetDeviceIDs", "root devices only", "clGetDeviceIDs/success",
              holds=lambda asked: asked.code == "CL_SUCCESS" and lives(asked) and "devices" in asked.seen)  # fmt: skip
    for number in (2, 3):
        untestable(told(f"clGetDeviceIDs/{number}"), "root devices share no units", "no query tells which units a device has")
    situation(told("clGetDeviceInfo/1"), INFO, "a sub-device tells its own compute units", UNITS, holds=answered(UNITS, part))
    untestable(told("clGetDeviceInfo/2"), "devices that share binaries have one vendor", "a recommendation: nothing could violate it")
    untestable(told("clGetDeviceInfo/3"), "other answers may differ from the parent's", "a permission: nothing could violate it")
    situation(told("references/1"), "clGetContextInfo", "a device lives as long as what uses it", "clGetContextInfo/success",
              "CL_CONTEXT_NUM_DEVICES", holds=lambda asked: bool((context := context_of(asked)) and attached_part(context)))  # fmt: skip
    situation(told("clCreateContext/1"), "clGetContextInfo", "a context holds the devices it was given", "CL_CONTEXT_DEVICES",
              holds=lambda asked: lists(asked, lambda context: bool(context.devices)))  # fmt: skip
    situation(told("clCreateContext/2"), "clGetContextInfo", "and none of their sub-devices", "CL_CONTEXT_DEVICES",
              holds=lambda asked: lives(asked) and lists(asked, lambda context: any(device.root for device in context.devices)))  # fmt: skip
    for number in (1, 2):
        situation(told(f"clCreateContextFromType/{number}"), "clGetContextInfo", "root devices only", "CL_CONTEXT_DEVICES",
                  holds=lambda asked: lives(asked) and lists(asked, lambda context: not context.devices))  # fmt: skip
    for number in (1, 2):
        situation(told(f"clGetContextInfo/{number}"), "clGetContextInfo", "only the devices that were given", "CL_CONTEXT_DEVICES",
                  holds=lambda asked: lives(asked) and lists(asked, lambda context: bool(context.devices)))  # fmt: skip
    situation(told("clCreateCommandQueue/1"), "clCreateCommandQueue", "a queue wants a device of the context or a descendant",
              "clCreateCommandQueue/CL_INVALID_DEVICE/1", "clCreateCommandQueue/success",
              holds=lambda asked: isinstance(asked.call.device, Handle) and isinstance(asked.call.context, Handle))  # fmt: skip
    untestable(told("clCreateCommandQueue/2"), "work runs on the sub-device", "an attempt only, and the host cannot see it")
    situation(told("clGetCommandQueueInfo/1"), "clGetCommandQueueInfo", "a queue names its sub-device", "CL_QUEUE_DEVICE",
              holds=_queue_of_part)  # fmt: skip
    situation(told("clCreateProgramWithBinary/1"), "clCreateProgramWithBinary", "a program wants devices of the context or descendants",
              "clCreateProgramWithBinary/CL_INVALID_DEVICE/1", "clCreateProgramWithBinary/success",
              holds=lambda asked: asked.call.device_list is not None)  # fmt: skip
    situation(told("clBuildProgram/1"), "clBuildProgram", "a build wants devices of the context or descendants",
              "clBuildProgram/CL_INVALID_DEVICE/1", "clBuildProgram/success",
              holds=lambda asked: asked.call.device_list is not None)  # fmt: skip
    untestable(told("clBuildProgram/2"), "a program is built for each device that runs it", "a duty of the application")
    situation(told("clBuildProgram/3"), "clBuildProgram", "a program from a binary is built for its own devices only",
              "clBuildProgram/CL_INVALID_DEVICE/1",
              holds=lambda asked: asked.call.device_list is not None and _from_binary(asked))  # fmt: skip
    situation(told("clGetProgramInfo/1"), "clGetProgramInfo", "the context's devices and those built for", "CL_PROGRAM_DEVICES",
              holds=lambda asked: not _from_binary(asked) and _asks(asked, "CL_PROGRAM_DEVICES"))  # fmt: skip
    situation(told("clGetProgramInfo/2"), "clGetProgramInfo", "the program's devices and those built for", "CL_PROGRAM_DEVICES",
              holds=lambda asked: _from_binary(asked) and _asks(asked, "CL_PROGRAM_DEVICES"))  # fmt: skip
    situation(told("clGetProgramInfo/3"), "clGetProgramInfo", "one size of a binary for each device", "CL_PROGRAM_BINARY_SIZES",
              holds=lambda asked: _asks(asked, "CL_PROGRAM_BINARY_SIZES"))  # fmt: skip


def _asks(asked: Asked, name: str) -> bool:
    record = query_of(asked.call, asked.model)
    return record is not None and record.name == name and "param_value" in asked.seen and asked.code == "CL_SUCCESS"


def _from_binary(asked: Asked) -> bool:
    program = asked.model.known(asked.call.program)
    return bool(program and getattr(program, "binary", False))


def _queue_of_part(asked: Asked) -> bool:
    queue = asked.model.known(asked.call.command_queue)
    device = getattr(queue, "device", None)
    return isinstance(device, Device) and not device.root and _asks(asked, "CL_QUEUE_DEVICE")


_of_other_functions()
