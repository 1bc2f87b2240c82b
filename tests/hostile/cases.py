"""The table of hostile drivers: each with its tests and the expected ends of the run."""

from __future__ import annotations

from dataclasses import dataclass, field

from clconform.harness.held_up import LONGEST_SECONDS
from clconform.spec_tables import load

NONE, UNUSABLE, INCONCLUSIVE, INCOMPLETE = "none", "unusable", "inconclusive", "incomplete"
"""Ends without a deviation: all tests conform; the driver cannot be tested; the driver reports too few resources; items
are inconclusive without a deviation."""
CONTEXT = ("lifetime.references::test_references[clRetainContext/success[a context with its platform]]",)
REFUSED = ("suites/errors", "--record=clRetainContext/*")
CONTEXTS = ("lifetime.references", "--record=clRetainContext/success")
RELEASES = ("lifetime.references", "--record=clReleaseContext/success")
TRANSFERS = ("data.transfers", "--record=clEnqueueWriteBuffer/success")
COMPLAINTS = ("errors.clauses", "--record=clCreateContext/success")
READS = ("errors.clauses", "--record=clEnqueueReadBuffer/success")
COPIES = ("errors.clauses", "--record=clEnqueueCopyBuffer/success")
WRITES = ("errors.clauses", "--record=clEnqueueWriteBuffer/success")
LANES = ("threads.lanes",)
CALLBACKS = ("notifications.event_callbacks", "--record=clSetEventCallback/effect/2")
PLATFORMS = ("queries.answers", "--record=CL_PLATFORM_*")
DEVICES = ("queries.answers", "--record=CL_DEVICE_MAX_*")
PARTS = ("suites/chapters/partition", "--record=clCreateSubDevices/*")
TOGETHER = (CONTEXT, CONTEXTS, RELEASES, COMPLAINTS, READS, WRITES, CALLBACKS, PLATFORMS, DEVICES, PARTS)
"""The tests that can share one run. TRANSFERS and LANES are excluded, because with them the requirements of others
would need functions that the base driver lacks."""

QUICK, HANGING, LOADING, WAITING_LONG = 90.0, 100.0, 150.0, 140.0
"""Time limits of a run in seconds on a busy machine: an ordinary run, one with hangs, one with a hang at the start, and
one with hangs in functions that wait."""
SCALES = {HANGING: 0.4, LOADING: 0.25, WAITING_LONG: 0.2}
"""Scales of the driver's deadlines in runs with hangs, by their time limit."""
HELD_UP = HANGING + 3 * LONGEST_SECONDS
"""The bound of a run in which the kernel delays one call three times: ``vfork`` waits for the child."""


@dataclass(frozen=True)
class Case:
    """One driver and its expected ends.

    ``how``: the value of HOSTILE. ``ends``: the allowed ends: verdicts of the report, or the words above.
    ``functions``: functions to which deviations may be attributed; empty for any. ``asked``: suites and options that
    select the tests. ``seconds``: the time limit. ``variables``: further environment variables. ``direct``: without a
    loader.
    """

    how: str
    ends: tuple[str, ...]
    functions: tuple[str, ...] = ()
    asked: tuple[str, ...] = CONTEXT
    seconds: float = QUICK
    variables: dict[str, str] = field(default_factory=dict)
    direct: bool = True

    @property
    def deadline_scale(self) -> float:
        """Return the scale of the driver's deadlines."""
        return SCALES.get(self.seconds, 1.0)

    @property
    def name(self) -> str:
        """Return the unique name of the case."""
        with_what = ",".join(f"{name.removeprefix('HOSTILE_')}={value}" for name, value in self.variables.items())
        return " ".join(filter(None, (self.how, with_what, "" if self.direct else "through a loader")))


RETAIN = ("clRetainContext",)
WAIT = ("clWaitForEvents",)
INFO = ("clGetContextInfo",)
START = ("clGetPlatformInfo", "clGetDeviceInfo", "clGetDeviceIDs")
CRASHES, HANGS, DEVIATES, FLAKY = ("crashes",), ("hangs",), ("deviates",), ("flaky",)
LOST = ("crashes", "hangs")
HARMLESS = (NONE,)
ANY = ("crashes", "hangs", "deviates", "flaky", NONE, INCOMPLETE)
"""For drivers that harm their own process with varying effects: the run must end with a consistent result."""
BLAMED = ("crashes", "hangs", "deviates")


def _each(names: str, ends: tuple[str, ...], functions: tuple[str, ...] = (), **others: object) -> list[Case]:
    return [Case(name, ends, functions, **others) for name in names.split()]  # type: ignore[arg-type]


def _about(query: str, **others: str) -> dict[str, str]:
    return {"HOSTILE_QUERY": str(load().enumerants[query].value), **{f"HOSTILE_{k}": v for k, v in others.items()}}


BY_SIGNALS = [
    *_each(
        "segv bus fpe ill trap sys aborts kills_itself terminates_itself interrupts_itself hangs_up_itself"
        " kills_its_group realtime_signal overflows_the_stack frees_twice jumps_nowhere spends_its_processor_time"
        " handles_its_crash",
        CRASHES,
        RETAIN,
    ),
    Case("segv@clRetainContext#3", ("crashes", "flaky"), RETAIN),
    Case("segv@clReleaseContext", CRASHES, ("clReleaseContext",), RELEASES),
    Case("kills_itself@clCreateContext", CRASHES, ("clCreateContext", "clCreateContextFromType")),
    Case("segv", CRASHES, RETAIN, direct=False),
    *_each("exits_0 exits_7 exits_at_once exits_quickly executes_true", CRASHES, RETAIN),
    Case("executes_sleep", LOST, RETAIN, seconds=HANGING),
    Case("crashes_sometimes", ("crashes", "flaky", NONE), RETAIN, CONTEXTS),
    Case("aborts", CRASHES, RETAIN, CONTEXTS, variables={"HOSTILE_DEVICES": "2"}),
    Case("accepts_null_and_crashes_later", ("deviates", "crashes", "flaky"), RETAIN, REFUSED),
    Case("accepts_null_and_hangs_later", ("deviates", "hangs", "flaky"), RETAIN, REFUSED, seconds=HANGING),
    Case("makes_an_empty_buffer_that_crashes", ("deviates", "crashes", "flaky"), ("clCreateBuffer",), TRANSFERS),
    Case("write_crashes_late", CRASHES, ("clEnqueueWriteBuffer",), TRANSFERS),
    Case("writes_crash_together", ANY, ("clEnqueueWriteBuffer",), TRANSFERS),
    Case("finish_leaves_a_crash", ("crashes", "flaky", NONE), ("clFinish",), (*TRANSFERS, "--record=clFinish/success")),
]
ON_THE_WAY_OUT = [
    *_each("crashes_on_exit hangs_on_exit", HARMLESS),
    *_each("thread_crashes", CRASHES, RETAIN),
    *_each(
        "thread_crashes_late thread_aborts_late thread_exits_late thread_kills_late threads_crash_together",
        ("crashes", "flaky", INCOMPLETE),
        asked=CONTEXTS,
    ),
]
AT_THE_START = [
    Case("segv@load", (UNUSABLE, "crashes")),
    Case("segv@clIcdGetPlatformIDsKHR", ("crashes", UNUSABLE), ("clGetPlatformIDs", "clIcdGetPlatformIDsKHR")),
    Case("segv@clGetPlatformInfo", CRASHES, START),
    Case("exits_0@clGetPlatformInfo", CRASHES, START),
    Case("kills_itself@clGetPlatformInfo", CRASHES, START),
    Case("segv@clGetPlatformInfo#1", CRASHES, START),
    Case("segv@clGetDeviceIDs", CRASHES, START),
    Case("segv@clGetDeviceInfo", CRASHES, START),
    Case("aborts@clGetDeviceInfo#1", CRASHES, START),
    Case("segv@clGetDeviceInfo#40", CRASHES, START),
    Case("pauses@load", (UNUSABLE, "hangs"), seconds=LOADING),
    Case("pauses@clIcdGetPlatformIDsKHR", ("hangs", UNUSABLE), seconds=LOADING),
    Case("pauses@clGetPlatformInfo", HANGS, START, seconds=LOADING),
    Case("pauses@clGetDeviceInfo", HANGS, START, seconds=LOADING),
    Case("closes_and_pauses@clGetPlatformInfo", HANGS, START, seconds=LOADING),
    Case("writes_a_byte_to_each@clGetPlatformInfo", HARMLESS, seconds=LOADING),
    Case("writes_messages@clGetDeviceInfo", HARMLESS, seconds=LOADING),
    Case("leaves_a_session@load", HARMLESS),
    Case("exits_beside_a_child@clGetPlatformInfo", CRASHES, START),
    *_each(
        "no_platforms platforms_not_found platform_null platform_nowhere platform_without_a_table"
        " platform_with_another_table no_devices devices_null",
        (UNUSABLE, *BLAMED),
    ),
    *_each("four_billion_platforms platform_twice four_billion_devices ten_thousand_devices", ANY, seconds=HANGING),
    *_each("devices_nowhere device_twice device_is_the_platform devices_change", (UNUSABLE, *ANY)),
]
HANGING_DRIVERS = [
    *_each(
        "pauses spins locks_itself_out blocks_all_signals ignores_all_signals stops_itself stops_its_group"
        " waits_for_itself sends_bytes_slowly",
        HANGS,
        RETAIN,
        seconds=HANGING,
    ),
    Case("waits_for_its_child", HANGS, RETAIN, seconds=HELD_UP),
    Case("closes_and_pauses", HANGS, RETAIN, seconds=HANGING),
    Case("ends_its_thread", LOST, RETAIN, seconds=HANGING),
    Case("is_slow", HARMLESS),
    Case("is_slow_once@clRetainContext#1", HARMLESS),
    Case("thread_spins", HARMLESS),
    Case("starts_200_threads", HARMLESS),
]
CHILDREN = [
    *_each(
        "leaves_a_child leaves_a_session leaves_57_sessions leaves_a_daemon leaves_a_chain"
        " leaves_a_child_without_environment spawns_sleep has_the_shell_sleep leaves_the_dead multiplies"
        " adopts_orphans",
        HARMLESS,
    ),
    *_each("crashes_beside_a_child exits_beside_a_child", CRASHES, RETAIN),
    Case("hangs_beside_children", HANGS, RETAIN, seconds=HANGING),
    *_each("goes_on_as_its_child goes_on_as_a_daemon", (*LOST, "flaky"), seconds=HANGING),
    Case("comes_back_twice", ANY, seconds=HANGING),
    Case("child_kills_it", CRASHES, RETAIN),
    Case("child_kills_it_late", ("crashes", "flaky", INCOMPLETE), asked=CONTEXTS),
    Case("child_writes_to_its_descriptors", HARMLESS, seconds=HANGING),
]
DESCRIPTORS = [
    *_each(
        "closes_all closes_the_high_ones puts_null_over_all connects_them puts_a_full_pipe_over_all",
        HARMLESS,
        seconds=HANGING,
    ),
    Case("thread_closes_all_late", (*LOST, "flaky", INCOMPLETE, NONE), asked=CONTEXTS, seconds=HANGING),
    *_each("closes_the_standard_ones closes_what_it_gave_away", HARMLESS),
    *_each(
        "writes_a_byte_to_each writes_random_bytes writes_zeros writes_messages writes_nested_messages",
        HARMLESS,
        seconds=HANGING,
    ),
    *_each("writes_a_byte_and_pauses writes_lengths floods_all", HANGS, RETAIN, seconds=HANGING),
    *_each("reads_all thread_reads_all shuts_down_sockets", HARMLESS, seconds=HANGING),
    *_each("blocks_none", (*LOST, NONE), seconds=HANGING),
    *_each("moves_and_truncates floods_the_output", HARMLESS),
    *_each("opens_all opens_thousands", (NONE, "crashes", INCOMPLETE)),
    *_each("prints_commands", CRASHES, RETAIN),
]
ENVIRONMENT = [
    *_each(
        "goes_elsewhere goes_where_nothing_is clears_its_environment takes_all_bits ignores_signals blocks_signals"
        " uses_one_processor outlives_its_parent hides_from_debuggers is_nice speaks_another_language renames_itself"
        " rounds_upwards changes_malloc locks_its_memory litters is_interrupted_often allows_no_processes",
        HARMLESS,
    ),
    *_each("changes_its_root gives_up_its_rights allows_no_descriptors", (NONE, "crashes", INCOMPLETE)),
    *_each("allows_no_memory allows_no_files", (NONE, "crashes", "deviates", INCOMPLETE)),
    *_each("allows_no_calls", CRASHES),
    Case("falls_over_its_cache", ("deviates", "flaky"), ("clRetainContext",), CONTEXTS),
    *_each("sets_an_alarm allows_one_second", ("crashes", "flaky", INCOMPLETE, NONE), asked=CONTEXTS),
    *_each("traps_floating_point", ("crashes", NONE)),
]
MEMORY = [
    *_each("copies_spoil_their_source copies_spoil_their_target", ("deviates", NONE), asked=COPIES),
    *_each("takes_all_memory maps_60000_times", (NONE, "crashes", "deviates", INCOMPLETE), seconds=HANGING),
    Case("leaks", HARMLESS),
    *_each("writes_1_beyond writes_64_beyond writes_1_before", DEVIATES, INFO),
    Case("writes_4096_beyond", ("deviates", "crashes"), INFO),
    Case("writes_megabytes_beyond", CRASHES, INFO),
    *_each("writes_after_return writes_for_ever", ANY),
    Case("writes_into_its_inputs", (NONE, "deviates"), ("clCreateContext",)),
    *_each("writes_into_the_source keeps_the_source", (NONE, "deviates"), asked=TRANSFERS),
    Case("reads_too_much", DEVIATES, ("clEnqueueReadBuffer",), READS),
    Case("write_spoils_the_heap", (NONE, *LOST), ("clEnqueueWriteBuffer", "clRetainContext"), TRANSFERS),
    Case("reads_nothing", DEVIATES, ("clEnqueueReadBuffer",), TRANSFERS),
    Case("reads_late", ANY, asked=READS),
    *_each("scribbles_over_the_heap unmaps_the_heap protects_python", (*LOST, "flaky"), seconds=HANGING),
]
SIZES = "size_2_to_40 size_2_to_63 size_max size_0 size_7 size_16_mib size_written_late size_never_written"
VALUES = "nothing_written only_sizes_written random_codes positive_codes lowest_code all_bits_set all_bits_clear"
ANSWERS = [
    *_each(f"{SIZES} {VALUES} highest_bits_set random_values", ("deviates", "flaky"), INFO),
    *_each("no_resources no_host_memory", (INCONCLUSIVE, INCOMPLETE)),
    Case("lies_sometimes", ("deviates", "flaky", NONE), asked=CONTEXTS),
    Case("forgets_to_retain", BLAMED),
    *[
        Case(f"{how}@clGetPlatformInfo", (UNUSABLE, "deviates", "flaky"), asked=PLATFORMS)
        for how in [
            "size_2_to_40",
            "size_max",
            "size_0",
            "size_written_late",
            "nothing_written",
            "random_codes",
            "all_bits_set",
        ]
    ],
    *[
        Case(f"{how}@clGetDeviceInfo", ("deviates", "flaky"), asked=DEVICES, variables=_about(query))
        for query in ("CL_DEVICE_MAX_COMPUTE_UNITS", "CL_DEVICE_PARTITION_PROPERTIES", "CL_DEVICE_VERSION")
        for how in ("size_2_to_63", "size_7", "nothing_written", "random_codes")
    ],
    *[
        Case(f"{how}@clGetDeviceInfo", ANY, asked=PARTS, variables=_about(query))
        for query in ("CL_DEVICE_MAX_COMPUTE_UNITS", "CL_DEVICE_PARTITION_PROPERTIES", "CL_DEVICE_EXTENSIONS")
        for how in ("size_written_late", "all_bits_set", "random_values")
    ],
    *[
        Case(how, ("deviates", "flaky"), ("clGetPlatformInfo",), PLATFORMS, variables=_about("CL_PLATFORM_NAME"))
        for how in ("unterminated", "not_utf_8", "only_nuls", "terminal_commands", "text_changes")
    ],
    *[
        Case(how, (NONE, "deviates"), ("clGetPlatformInfo",), PLATFORMS, variables=_about(query))
        for how in ("megabyte", "sixteen_megabytes")
        for query in ("CL_PLATFORM_NAME", "CL_PLATFORM_EXTENSIONS")
    ],
    *[
        Case(
            "another_text", (UNUSABLE, "deviates"), asked=PLATFORMS, variables=_about("CL_PLATFORM_VERSION", TEXT=text)
        )
        for text in ("", "OpenCL", "OpenCL 1", "OpenCL 1.2", "OpenCL -1.2 x", "OpenCL 4294967296.0 x", "OpenCL 1.2é\t")
    ],
    Case("another_text", ANY, asked=PLATFORMS, variables=_about("CL_PLATFORM_VERSION", TEXT="OpenCL 99.99 x")),
    *[
        Case("another_number", ANY, asked=asked, variables=_about("CL_DEVICE_MAX_COMPUTE_UNITS", NUMBER=number))
        for asked, number in ((PARTS, "0xffffffff"), (PARTS, "0"), (DEVICES, "0x80000000"))
    ],
    *[
        Case("another_number", (UNUSABLE, *ANY), asked=DEVICES, variables=_about(query, NUMBER=number))
        for query, number in (
            ("CL_DEVICE_TYPE", "0xffffffffffffffff"),
            ("CL_DEVICE_TYPE", "0"),
            ("CL_DEVICE_PLATFORM", "0x1234"),
            ("CL_DEVICE_PARENT_DEVICE", "0x1234"),
            ("CL_DEVICE_AVAILABLE", "2"),
            ("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS", "0xffffffff"),
            ("CL_DEVICE_MAX_MEM_ALLOC_SIZE", "0xffffffffffffffff"),
            ("CL_DEVICE_PARTITION_MAX_SUB_DEVICES", "0xffffffff"),
        )
    ],
    *_each("no_limits highest_limits", DEVIATES, asked=DEVICES),
    *_each("context_null context_and_an_error context_and_no_error_written", DEVIATES, seconds=HANGING),
    *_each("context_nowhere context_is_the_device", BLAMED, seconds=HANGING),
    Case("context_again", (*BLAMED, "flaky"), asked=CONTEXTS, seconds=HANGING),
    Case("context_without_a_table", (NONE, *BLAMED)),
    Case("context_without_a_table", BLAMED, direct=False),
]
CALLED_BACK = [
    *_each("never_calls_back", DEVIATES, asked=CALLBACKS, seconds=HANGING),
    *_each(
        "calls_back_twice calls_back_at_once calls_back_with_garbage calls_back_in_50_threads",
        ("deviates", "flaky"),
        asked=CALLBACKS,
        seconds=HANGING,
    ),
    *_each(
        "calls_back_in_a_thread calls_back_after_release calls_back_in_a_signal_handler calls_back_for_ever"
        " calls_back_100000_times calls_back_and_ends_the_thread calls_back_on_another_stack",
        ANY,
        asked=CALLBACKS,
        seconds=HANGING,
    ),
    *_each(
        "complains_of_nothing complains_of_unmapped_memory complains_of_a_huge_size complains_without_end"
        " complains_to_others",
        ANY,
        asked=COMPLAINTS,
    ),
]
WAITING = [
    *_each("wait_returns_at_once wait_returns_after_10_ms second_wait_returns_at_once", DEVIATES, WAIT, asked=LANES),
    Case("wait_gives_up", DEVIATES, WAIT, LANES),
    Case("finish_returns_at_once", DEVIATES, ("clFinish",), LANES),
    Case("read_returns_at_once", DEVIATES, ("clEnqueueReadBuffer",), LANES),
    Case("wait_hides_failures", DEVIATES, WAIT, LANES),
    Case("wait_answers_at_random", ("deviates", "flaky"), WAIT, LANES),
    Case("wait_returns_late", HARMLESS, asked=LANES),
    *_each(
        "wait_never_returns second_wait_never_returns second_wait_ends_its_thread",
        HANGS,
        WAIT,
        asked=(*LANES, "--record=clWaitForEvents/*"),
        seconds=WAITING_LONG,
    ),
    Case("finish_never_returns", HANGS, ("clFinish",), (*LANES, "--record=clFinish/*"), WAITING_LONG),
    Case("setting_never_returns", HANGS, ("clSetUserEventStatus",), LANES, WAITING_LONG),
    *_each("second_wait_crashes second_wait_exits second_wait_overflows", (*CRASHES, "flaky"), WAIT, asked=LANES),
    Case("second_wait_kills", (*CRASHES, INCOMPLETE), WAIT, LANES),
    Case("woken_wait_crashes", ("crashes", "flaky"), (*WAIT, "clSetUserEventStatus"), LANES),
]
FAMILIES = {
    "signals": BY_SIGNALS,
    "the way out": ON_THE_WAY_OUT,
    "the start": AT_THE_START,
    "hangs": HANGING_DRIVERS,
    "children": CHILDREN,
    "descriptors": DESCRIPTORS,
    "environment": ENVIRONMENT,
    "memory": MEMORY,
    "answers": ANSWERS,
    "callbacks": CALLED_BACK,
    "host threads": WAITING,
}
CASES = [case for family in FAMILIES.values() for case in family]
