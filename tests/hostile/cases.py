"""The table of hostile drivers: for each, the tests to run and the allowed ends of the run."""

from __future__ import annotations

from dataclasses import dataclass, field

from clconform.harness.slow_calls import MAX_WAIT_SECONDS
from clconform.spec_tables import load

NONE, UNUSABLE, INCONCLUSIVE, INCOMPLETE = "none", "unusable", "inconclusive", "incomplete"
"""Ends without a deviation: all tests conform; the driver cannot be tested; the driver reports a lack of resources; the
run is incomplete."""
REFERENCES = "lifetime.references::test_reference_count_follows_retain_and_release"
CONTEXT = (f"{REFERENCES}[clRetainContext/success[a context with its platform]]",)
REFUSED = ("suites/errors", "--requirement=clRetainContext/*")
CONTEXTS = ("lifetime.references", "--requirement=clRetainContext/success")
RELEASES = ("lifetime.references", "--requirement=clReleaseContext/success")
TRANSFERS = ("data.transfers", "--requirement=clEnqueueWriteBuffer/success")
CREATION_ERRORS = ("errors.error_conditions", "--requirement=clCreateContext/success")
READS = ("errors.error_conditions", "--requirement=clEnqueueReadBuffer/success")
COPIES = ("errors.error_conditions", "--requirement=clEnqueueCopyBuffer/success")
WRITES = ("errors.error_conditions", "--requirement=clEnqueueWriteBuffer/success")
HOST_THREADS = ("threads.host_threads",)
EMPTY_BUFFERS = ("errors.error_conditions", "--requirement=clCreateBuffer/CL_INVALID_BUFFER_SIZE/1")
CALLBACKS = ("notifications.event_callbacks", "--requirement=clSetEventCallback/effect/2")
PLATFORMS = ("queries.values", "--requirement=CL_PLATFORM_*")
DEVICES = ("queries.values", "--requirement=CL_DEVICE_MAX_*")
PARTITIONS = ("suites/chapters/partition", "--requirement=clCreateSubDevices/*")
JOINT_TESTS = (CONTEXT, CONTEXTS, RELEASES, CREATION_ERRORS, READS, WRITES, CALLBACKS, PLATFORMS, DEVICES, PARTITIONS)
"""The tests that can share one run. TRANSFERS and HOST_THREADS are excluded: in a run with them, the requirements of
these tests would need functions that the base driver lacks."""

QUICK_SECONDS, HANGING_SECONDS, LOADING_SECONDS, LONG_WAIT_SECONDS = 90.0, 100.0, 150.0, 140.0
"""Time limits of a run in seconds on a busy machine: an ordinary run, one with hangs, one with a hang at the start, and
one with hangs in functions that wait."""
WORKING_SECONDS = HANGING_SECONDS + 2 * MAX_WAIT_SECONDS
"""The time limit of a run in which a call works until its last deadline, and does so again when it is repeated."""
DEADLINE_SCALES = {HANGING_SECONDS: 0.4, LOADING_SECONDS: 0.25, LONG_WAIT_SECONDS: 0.2, WORKING_SECONDS: 0.2}
"""Maps the time limit of a run with hangs to the factor for the deadlines of the driver's calls."""
HELD_UP = HANGING_SECONDS + 3 * MAX_WAIT_SECONDS
"""The time limit of a run in which the kernel delays one call three times: ``vfork`` waits for the child."""


@dataclass(frozen=True)
class HostileCase:
    """A hostile driver, the tests to run on it, and the allowed ends of the run.

    ``behaviour``: the value of HOSTILE. ``ends``: the allowed ends: verdicts of the report, or constants like ``NONE``.
    ``functions``: functions to which deviations may be attributed, ``confirmed_functions``: to which confirmed
    deviations may be attributed; empty for any. ``tests``: suites and options that
    select the tests. ``time_limit``: in seconds. ``variables``: further environment variables. ``direct``: without
    a loader.
    """

    behaviour: str
    ends: tuple[str, ...]
    functions: tuple[str, ...] = ()
    tests: tuple[str, ...] = CONTEXT
    time_limit: float = QUICK_SECONDS
    variables: dict[str, str] = field(default_factory=dict)
    direct: bool = True
    confirmed_functions: tuple[str, ...] = ()

    @property
    def deadline_scale(self) -> float:
        """Return the factor for the deadlines of the driver's calls."""
        return DEADLINE_SCALES.get(self.time_limit, 1.0)

    @property
    def name(self) -> str:
        """Return the unique name of the case, built from its behaviour, variables and access."""
        with_what = ",".join(f"{name.removeprefix('HOSTILE_')}={value}" for name, value in self.variables.items())
        return " ".join(filter(None, (self.behaviour, with_what, "" if self.direct else "through a loader")))


RETAIN = ("clRetainContext",)
WAIT = ("clWaitForEvents",)
INFO = ("clGetContextInfo",)
START = ("clGetPlatformInfo", "clGetDeviceInfo", "clGetDeviceIDs")
CRASHES, HANGS, DEVIATES, FLAKY = ("crashes",), ("hangs",), ("deviates",), ("flaky",)
CRASH_OR_HANG = ("crashes", "hangs")
NO_DEVIATION = (NONE,)
ANY_END = ("crashes", "hangs", "deviates", "flaky", NONE, INCOMPLETE)
"""For a driver whose effects vary with the order in which its processes run: the result must be consistent."""
DEVIATION_VERDICTS = ("crashes", "hangs", "deviates")


def _create_cases(
    names: str, ends: tuple[str, ...], functions: tuple[str, ...] = (), **others: object
) -> list[HostileCase]:
    return [HostileCase(name, ends, functions, **others) for name in names.split()]  # type: ignore[arg-type]


def _query_variables(query: str, **others: str) -> dict[str, str]:
    return {"HOSTILE_QUERY": str(load().enumerants[query].value), **{f"HOSTILE_{k}": v for k, v in others.items()}}


BY_SIGNALS = [
    *_create_cases(
        "segv bus fpe ill trap sys aborts kills_itself terminates_itself interrupts_itself hangs_up_itself"
        " kills_its_group realtime_signal overflows_the_stack frees_twice jumps_nowhere spends_its_processor_time"
        " handles_its_crash",
        CRASHES,
        RETAIN,
    ),
    HostileCase("segv@clRetainContext#3", ("crashes", "flaky"), RETAIN),
    HostileCase("segv@clReleaseContext", CRASHES, ("clReleaseContext",), RELEASES),
    HostileCase("kills_itself@clCreateContext", CRASHES, ("clCreateContext", "clCreateContextFromType")),
    HostileCase("segv", CRASHES, RETAIN, direct=False),
    *_create_cases("exits_0 exits_7 exits_at_once exits_quickly executes_true", CRASHES, RETAIN),
    HostileCase("executes_sleep", CRASH_OR_HANG, RETAIN, time_limit=HANGING_SECONDS),
    HostileCase("crashes_sometimes", ("crashes", "flaky", NONE), RETAIN, CONTEXTS),
    HostileCase("aborts", CRASHES, RETAIN, CONTEXTS, variables={"HOSTILE_DEVICES": "2"}),
    HostileCase("accepts_null_and_crashes_later", ("deviates", "crashes", "flaky"), RETAIN, REFUSED),
    HostileCase(
        "accepts_null_and_hangs_later", ("deviates", "hangs", "flaky"), RETAIN, REFUSED, time_limit=HANGING_SECONDS
    ),
    HostileCase("makes_an_empty_buffer_that_crashes", ("deviates",), ("clCreateBuffer",), EMPTY_BUFFERS),
    HostileCase("write_crashes_late", CRASHES, ("clEnqueueWriteBuffer",), TRANSFERS),
    HostileCase("writes_crash_together", ("crashes", "flaky", INCOMPLETE, NONE), ("clEnqueueWriteBuffer",), TRANSFERS),
    HostileCase(
        "finish_leaves_a_crash",
        ("crashes", "flaky", NONE),
        tests=(*TRANSFERS, "--requirement=clFinish/success"),
        confirmed_functions=("clFinish",),  # the crash may also end a call of the next example, which then is flaky
    ),
]
AT_EXIT = [
    *_create_cases("crashes_on_exit hangs_on_exit", NO_DEVIATION),
    *_create_cases("thread_crashes", CRASHES, RETAIN),
    *_create_cases(
        "thread_crashes_late thread_aborts_late thread_exits_late thread_kills_late threads_crash_together",
        ("crashes", "flaky", INCOMPLETE),
        tests=CONTEXTS,
    ),
]
AT_THE_START = [
    HostileCase("segv@load", (UNUSABLE, "crashes")),
    HostileCase("segv@clIcdGetPlatformIDsKHR", ("crashes", UNUSABLE), ("clGetPlatformIDs", "clIcdGetPlatformIDsKHR")),
    HostileCase("segv@clGetPlatformInfo", CRASHES, START),
    HostileCase("exits_0@clGetPlatformInfo", CRASHES, START),
    HostileCase("kills_itself@clGetPlatformInfo", CRASHES, START),
    HostileCase("segv@clGetPlatformInfo#1", CRASHES, START),
    HostileCase("segv@clGetDeviceIDs", CRASHES, START),
    HostileCase("segv@clGetDeviceInfo", CRASHES, START),
    HostileCase("aborts@clGetDeviceInfo#1", CRASHES, START),
    HostileCase("segv@clGetDeviceInfo#40", CRASHES, START),
    HostileCase("pauses@load", (UNUSABLE, "hangs"), time_limit=LOADING_SECONDS),
    HostileCase("pauses@clIcdGetPlatformIDsKHR", ("hangs", UNUSABLE), time_limit=LOADING_SECONDS),
    HostileCase("pauses@clGetPlatformInfo", HANGS, START, time_limit=LOADING_SECONDS),
    HostileCase("pauses@clGetDeviceInfo", HANGS, START, time_limit=LOADING_SECONDS),
    HostileCase("closes_and_pauses@clGetPlatformInfo", HANGS, START, time_limit=LOADING_SECONDS),
    HostileCase("writes_a_byte_to_each@clGetPlatformInfo", NO_DEVIATION, time_limit=LOADING_SECONDS),
    HostileCase("writes_messages@clGetDeviceInfo", NO_DEVIATION, time_limit=LOADING_SECONDS),
    HostileCase("leaves_a_session@load", NO_DEVIATION),
    HostileCase("exits_beside_a_child@clGetPlatformInfo", CRASHES, START),
    *_create_cases(
        "no_platforms platforms_not_found platform_null platform_nowhere platform_without_a_table"
        " platform_with_another_table no_devices devices_null",
        (UNUSABLE, *DEVIATION_VERDICTS),
    ),
    *_create_cases(
        "four_billion_platforms platform_twice four_billion_devices", NO_DEVIATION, time_limit=HANGING_SECONDS
    ),
    HostileCase("ten_thousand_devices", NO_DEVIATION, time_limit=WORKING_SECONDS),
    *_create_cases("device_twice devices_change", NO_DEVIATION),
    HostileCase("devices_nowhere", CRASHES, START),
    HostileCase("device_is_the_platform", DEVIATES, ("clCreateContext",)),
]
HANGING_DRIVERS = [
    *_create_cases(
        "pauses locks_itself_out blocks_all_signals ignores_all_signals stops_itself stops_its_group"
        " waits_for_itself sends_bytes_slowly",
        HANGS,
        RETAIN,
        time_limit=HANGING_SECONDS,
    ),
    HostileCase("spins", HANGS, RETAIN, time_limit=WORKING_SECONDS),
    *_create_cases("works_long works_long_in_a_thread works_long_in_a_child", NO_DEVIATION, time_limit=WORKING_SECONDS),
    HostileCase("sleeps_long", HANGS, RETAIN, time_limit=HANGING_SECONDS),
    HostileCase("waits_for_its_child", HANGS, RETAIN, time_limit=HELD_UP),
    HostileCase("closes_and_pauses", HANGS, RETAIN, time_limit=HANGING_SECONDS),
    HostileCase("ends_its_thread", CRASH_OR_HANG, RETAIN, time_limit=HANGING_SECONDS),
    HostileCase("is_slow", NO_DEVIATION),
    HostileCase("is_slow_once@clRetainContext#1", NO_DEVIATION),
    HostileCase("thread_spins", NO_DEVIATION),
    HostileCase("starts_200_threads", NO_DEVIATION),
]
CHILDREN = [
    *_create_cases(
        "leaves_a_child leaves_a_session leaves_57_sessions leaves_a_daemon leaves_a_chain"
        " leaves_a_child_without_environment spawns_sleep has_the_shell_sleep leaves_the_dead multiplies"
        " adopts_orphans",
        NO_DEVIATION,
    ),
    *_create_cases("crashes_beside_a_child exits_beside_a_child", CRASHES, RETAIN),
    HostileCase("hangs_beside_children", HANGS, RETAIN, time_limit=HANGING_SECONDS),
    *_create_cases("goes_on_as_its_child goes_on_as_a_daemon", (*CRASH_OR_HANG, "flaky"), time_limit=HANGING_SECONDS),
    HostileCase("comes_back_twice", ANY_END, time_limit=HANGING_SECONDS),
    HostileCase("child_kills_it", CRASHES, RETAIN),
    HostileCase("child_kills_it_late", ("crashes", "flaky", INCOMPLETE), tests=CONTEXTS),
    HostileCase("child_writes_to_its_descriptors", NO_DEVIATION, time_limit=HANGING_SECONDS),
]
DESCRIPTORS = [
    *_create_cases(
        "closes_all closes_the_high_ones puts_null_over_all connects_them puts_a_full_pipe_over_all",
        NO_DEVIATION,
        time_limit=HANGING_SECONDS,
    ),
    HostileCase(
        "thread_closes_all_late",
        (*CRASH_OR_HANG, "flaky", INCOMPLETE, NONE),
        tests=CONTEXTS,
        time_limit=HANGING_SECONDS,
    ),
    *_create_cases("closes_the_standard_ones closes_what_it_gave_away", NO_DEVIATION),
    *_create_cases(
        "writes_a_byte_to_each writes_random_bytes writes_zeros writes_messages writes_nested_messages",
        NO_DEVIATION,
        time_limit=HANGING_SECONDS,
    ),
    *_create_cases("writes_a_byte_and_pauses writes_lengths", HANGS, RETAIN, time_limit=HANGING_SECONDS),
    HostileCase("floods_all", HANGS, RETAIN, time_limit=WORKING_SECONDS),
    *_create_cases("reads_all thread_reads_all shuts_down_sockets", NO_DEVIATION, time_limit=HANGING_SECONDS),
    *_create_cases("blocks_none", (*CRASH_OR_HANG, NONE), time_limit=HANGING_SECONDS),
    *_create_cases("moves_and_truncates floods_the_output", NO_DEVIATION),
    *_create_cases("opens_all opens_thousands", (NONE, "crashes", INCOMPLETE)),
    *_create_cases("prints_commands", CRASHES, RETAIN),
]
ENVIRONMENT = [
    *_create_cases(
        "goes_elsewhere goes_where_nothing_is clears_its_environment takes_all_bits ignores_signals blocks_signals"
        " uses_one_processor outlives_its_parent hides_from_debuggers is_nice speaks_another_language renames_itself"
        " rounds_upwards changes_malloc locks_its_memory litters is_interrupted_often allows_no_processes",
        NO_DEVIATION,
    ),
    *_create_cases("changes_its_root gives_up_its_rights allows_no_descriptors", (NONE, "crashes", INCOMPLETE)),
    *_create_cases("allows_no_memory allows_no_files", (NONE, "crashes", "deviates", INCOMPLETE)),
    *_create_cases("allows_no_calls", CRASHES),
    HostileCase("falls_over_its_cache", ("deviates", "flaky"), ("clRetainContext",), CONTEXTS),
    *_create_cases("sets_an_alarm allows_one_second", ("crashes", "flaky", INCOMPLETE, NONE), tests=CONTEXTS),
    *_create_cases("traps_floating_point", ("crashes", NONE)),
]
MEMORY = [
    *_create_cases("copies_spoil_their_source copies_spoil_their_target", ("deviates", NONE), tests=COPIES),
    *_create_cases(
        "takes_all_memory maps_60000_times", (NONE, "crashes", "deviates", INCOMPLETE), time_limit=HANGING_SECONDS
    ),
    HostileCase("leaks", NO_DEVIATION),
    *_create_cases("writes_1_beyond writes_64_beyond writes_1_before", DEVIATES, INFO),
    HostileCase("writes_4096_beyond", ("deviates", "crashes"), INFO),
    HostileCase("writes_megabytes_beyond", CRASHES, INFO),
    *_create_cases("writes_after_return writes_for_ever", ("deviates", "crashes", "flaky", INCOMPLETE, NONE)),
    HostileCase("writes_into_its_inputs", (NONE, "deviates"), ("clCreateContext",)),
    *_create_cases("writes_into_the_source keeps_the_source", (NONE, "deviates"), tests=TRANSFERS),
    HostileCase("reads_too_much", DEVIATES, ("clEnqueueReadBuffer",), READS),
    HostileCase(
        "write_spoils_the_heap", (NONE, *CRASH_OR_HANG), ("clEnqueueWriteBuffer", "clRetainContext"), TRANSFERS
    ),
    HostileCase("reads_nothing", DEVIATES, ("clEnqueueReadBuffer",), TRANSFERS),
    HostileCase("reads_late", ("deviates", "crashes", "flaky", NONE), tests=READS),
    *_create_cases(
        "scribbles_over_the_heap unmaps_the_heap", (*CRASH_OR_HANG, "flaky", NONE), time_limit=HANGING_SECONDS
    ),
]
SIZES = "size_2_to_40 size_2_to_63 size_max size_0 size_7 size_16_mib size_written_late size_never_written"
VALUES = "nothing_written only_sizes_written random_codes positive_codes lowest_code all_bits_set all_bits_clear"
ANSWERS = [
    *_create_cases(f"{SIZES} {VALUES} highest_bits_set random_values", ("deviates", "flaky"), INFO),
    *_create_cases("no_resources no_host_memory", (INCONCLUSIVE, INCOMPLETE)),
    HostileCase("lies_sometimes", ("deviates", "flaky", NONE), tests=CONTEXTS),
    HostileCase("forgets_to_retain", DEVIATION_VERDICTS),
    *[
        HostileCase(f"{how}@clGetPlatformInfo", (UNUSABLE, "deviates", "flaky"), tests=PLATFORMS)
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
        HostileCase(f"{how}@clGetDeviceInfo", ("deviates", "flaky"), tests=DEVICES, variables=_query_variables(query))
        for query in ("CL_DEVICE_MAX_COMPUTE_UNITS", "CL_DEVICE_PARTITION_PROPERTIES", "CL_DEVICE_VERSION")
        for how in ("size_2_to_63", "size_7", "nothing_written", "random_codes")
    ],
    *[
        HostileCase(f"{how}@clGetDeviceInfo", ends, tests=PARTITIONS, variables=_query_variables(query))
        for query in ("CL_DEVICE_MAX_COMPUTE_UNITS", "CL_DEVICE_PARTITION_PROPERTIES", "CL_DEVICE_EXTENSIONS")
        for how, ends in (
            ("size_written_late", (NONE, "crashes", "deviates", "flaky")),
            ("all_bits_set", NO_DEVIATION),
            ("random_values", (NONE, "deviates", "flaky")),
        )
    ],
    *[
        HostileCase(
            how,
            ("deviates", "flaky"),
            ("clGetPlatformInfo",),
            PLATFORMS,
            variables=_query_variables("CL_PLATFORM_NAME"),
        )
        for how in ("unterminated", "not_utf_8", "only_nuls", "terminal_commands", "text_changes")
    ],
    *[
        HostileCase(how, (NONE, "deviates"), ("clGetPlatformInfo",), PLATFORMS, variables=_query_variables(query))
        for how in ("megabyte", "sixteen_megabytes")
        for query in ("CL_PLATFORM_NAME", "CL_PLATFORM_EXTENSIONS")
    ],
    *[
        HostileCase(
            "another_text",
            (UNUSABLE, "deviates"),
            tests=PLATFORMS,
            variables=_query_variables("CL_PLATFORM_VERSION", TEXT=text),
        )
        for text in ("", "OpenCL", "OpenCL 1", "OpenCL 1.2", "OpenCL -1.2 x", "OpenCL 4294967296.0 x", "OpenCL 1.2é\t")
    ],
    HostileCase(
        "another_text",
        DEVIATES,
        ("clGetPlatformInfo",),
        PLATFORMS,
        variables=_query_variables("CL_PLATFORM_VERSION", TEXT="OpenCL 99.99 x"),
    ),
    *[
        HostileCase(
            "another_number",
            NO_DEVIATION,
            tests=asked,
            variables=_query_variables("CL_DEVICE_MAX_COMPUTE_UNITS", NUMBER=number),
        )
        for asked, number in ((PARTITIONS, "0xffffffff"), (PARTITIONS, "0"), (DEVICES, "0x80000000"))
    ],
    *[
        HostileCase(
            "another_number",
            ends,
            ("clGetDeviceInfo",),
            DEVICES,
            variables=_query_variables(query, NUMBER=number),
        )
        for query, number, ends in (
            ("CL_DEVICE_TYPE", "0xffffffffffffffff", NO_DEVIATION),
            ("CL_DEVICE_TYPE", "0", NO_DEVIATION),
            ("CL_DEVICE_PLATFORM", "0x1234", DEVIATES),
            ("CL_DEVICE_PARENT_DEVICE", "0x1234", DEVIATES),
            ("CL_DEVICE_AVAILABLE", "2", DEVIATES),
            ("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS", "0xffffffff", DEVIATES),
            ("CL_DEVICE_MAX_MEM_ALLOC_SIZE", "0xffffffffffffffff", NO_DEVIATION),
            ("CL_DEVICE_PARTITION_MAX_SUB_DEVICES", "0xffffffff", DEVIATES),
        )
    ],
    *_create_cases("no_limits highest_limits", DEVIATES, tests=DEVICES),
    *_create_cases(
        "context_null context_and_an_error context_and_no_error_written", DEVIATES, time_limit=HANGING_SECONDS
    ),
    *_create_cases("context_nowhere context_is_the_device", DEVIATION_VERDICTS, time_limit=HANGING_SECONDS),
    HostileCase("context_again", (*DEVIATION_VERDICTS, "flaky"), tests=CONTEXTS, time_limit=HANGING_SECONDS),
    HostileCase("context_without_a_table", (NONE, *DEVIATION_VERDICTS)),
    HostileCase("context_without_a_table", DEVIATION_VERDICTS, direct=False),
]
CALLBACK_DRIVERS = [
    *_create_cases("never_calls_back", DEVIATES, tests=CALLBACKS, time_limit=HANGING_SECONDS),
    *_create_cases(
        "calls_back_twice calls_back_at_once calls_back_with_garbage calls_back_in_50_threads",
        ("deviates", "flaky"),
        tests=CALLBACKS,
        time_limit=HANGING_SECONDS,
    ),
    *_create_cases(
        "calls_back_in_a_thread calls_back_after_release calls_back_in_a_signal_handler calls_back_for_ever"
        " calls_back_100000_times calls_back_and_ends_the_thread calls_back_on_another_stack",
        ("crashes", "hangs", "deviates", "flaky"),
        tests=CALLBACKS,
        time_limit=HANGING_SECONDS,
    ),
    *_create_cases(
        "complains_of_nothing complains_of_unmapped_memory complains_of_a_huge_size complains_without_end",
        NO_DEVIATION,
        tests=CREATION_ERRORS,
    ),
    HostileCase("complains_to_others", DEVIATES, ("clCreateContext", "clCreateContextFromType"), CREATION_ERRORS),
]
WAITING = [
    *_create_cases(
        "wait_returns_at_once wait_returns_after_10_ms second_wait_returns_at_once", DEVIATES, WAIT, tests=HOST_THREADS
    ),
    HostileCase("wait_gives_up", DEVIATES, WAIT, HOST_THREADS),
    HostileCase("finish_returns_at_once", DEVIATES, ("clFinish",), HOST_THREADS),
    HostileCase("read_returns_at_once", DEVIATES, ("clEnqueueReadBuffer",), HOST_THREADS),
    HostileCase("wait_hides_failures", DEVIATES, WAIT, HOST_THREADS),
    HostileCase("wait_answers_at_random", ("deviates", "flaky"), WAIT, HOST_THREADS),
    HostileCase("wait_returns_late", NO_DEVIATION, tests=HOST_THREADS),
    *_create_cases(
        "wait_never_returns second_wait_never_returns second_wait_ends_its_thread",
        HANGS,
        WAIT,
        tests=(*HOST_THREADS, "--requirement=clWaitForEvents/*"),
        time_limit=LONG_WAIT_SECONDS,
    ),
    HostileCase(
        "finish_never_returns", HANGS, ("clFinish",), (*HOST_THREADS, "--requirement=clFinish/*"), LONG_WAIT_SECONDS
    ),
    HostileCase("setting_never_returns", HANGS, ("clSetUserEventStatus",), HOST_THREADS, LONG_WAIT_SECONDS),
    *_create_cases(
        "second_wait_crashes second_wait_exits second_wait_overflows", (*CRASHES, "flaky"), WAIT, tests=HOST_THREADS
    ),
    HostileCase("second_wait_kills", (*CRASHES, INCOMPLETE), WAIT, HOST_THREADS),
    HostileCase("woken_wait_crashes", ("crashes", "flaky"), (*WAIT, "clSetUserEventStatus"), HOST_THREADS),
]
FIRST_WRITE = ("data.transfers", "--requirement=clEnqueueWriteBuffer/success")
WORKER = [
    *_create_cases(
        "overwrites_the_worker clears_the_worker unmaps_the_worker protects_the_worker removes_the_code_of_the_worker"
        " overwrites_the_messages unmaps_the_messages protects_the_messages jumps_into_an_earlier_call"
        " throws_an_exception unwinds_all_frames exhausts_the_stack",
        CRASH_OR_HANG,
        RETAIN,
        time_limit=HANGING_SECONDS,
    ),
    HostileCase("handles_faults_for_ever", HANGS, RETAIN, time_limit=WORKING_SECONDS),
    HostileCase(
        "thread_overwrites_the_messages",
        (*CRASH_OR_HANG, "flaky", INCOMPLETE),
        tests=CONTEXTS,
        time_limit=HANGING_SECONDS,
    ),
    *_create_cases(
        "overwrites_the_arguments child_overwrites_the_arguments", (*CRASH_OR_HANG, "deviates", "flaky", NONE)
    ),
    *_create_cases(
        "child_overwrites_the_messages ignores_faults_and_children is_idle_on_the_last_processor forgets_its_parent",
        NO_DEVIATION,
    ),
    *_create_cases("unmasks_floating_point sets_the_direction reuses_all_descriptors", (NONE, "crashes")),
    HostileCase("allows_no_maps", (NONE, "crashes", INCOMPLETE)),
    HostileCase("allows_no_maps@clCreateContext", CRASHES, tests=FIRST_WRITE),
    *_create_cases(
        "calls_back_from_ten_threads calls_others_back",
        ("deviates", "crashes", "flaky"),
        tests=CALLBACKS,
        time_limit=HANGING_SECONDS,
    ),
    *_create_cases("child_calls_back", NO_DEVIATION, tests=CALLBACKS, time_limit=HANGING_SECONDS),
]
LIMITS = [
    *_create_cases(
        "allows_little_more_memory allows_little_more_data allows_a_short_stack allows_no_locked_memory"
        " allows_no_signals allows_nothing",
        (NONE, "crashes", INCOMPLETE),
    ),
    *_create_cases(
        "allows_no_memory@clGetDeviceIDs allows_little_more_memory@clGetDeviceInfo allows_nothing@clCreateContext",
        CRASHES,
        tests=FIRST_WRITE,
    ),
    *_create_cases("allows_no_memory@load allows_nothing@load", ("crashes", UNUSABLE)),
    *_create_cases(
        "counts_in_another_language flushes_small_numbers calculates_in_single_precision changes_the_environment"
        " handles_all_signals uses_a_signal_stack_that_ends closes_the_standard_streams closes_a_range",
        (NONE, "crashes"),
    ),
    HostileCase("profiles_itself", ("crashes", "flaky", INCOMPLETE, NONE), tests=CONTEXTS),
]
MALICE = [
    HostileCase("kills_its_reaper", NO_DEVIATION),
    HostileCase("kills_its_reaper_and_sleeps", CRASHES, RETAIN),
    HostileCase("stops_its_reaper", NO_DEVIATION),
    *_create_cases(
        "stops_its_reaper_and_crashes stops_the_template_and_crashes kills_the_template_and_crashes"
        " traces_its_reaper_and_crashes ends_its_main_thread becomes_a_zombie_of_a_stopped_reaper",
        CRASHES,
        RETAIN,
    ),
    HostileCase("stops_its_reaper_and_sleeps", HANGS, RETAIN, time_limit=HANGING_SECONDS),
    HostileCase("traces_the_session", (*CRASH_OR_HANG, "flaky", INCOMPLETE), RETAIN, time_limit=LOADING_SECONDS),
    HostileCase(
        "traces_the_session_and_returns", (*CRASH_OR_HANG, "flaky", INCOMPLETE, NONE), time_limit=LOADING_SECONDS
    ),
]
FILE_ATTACKS = (
    *("removes_the_results", "moves_the_results", "links_the_results", "puts_a_file_over_the_results"),
    *("removes_the_journal", "truncates_the_journal", "cuts_the_journal", "overwrites_the_journal"),
    *("appends_to_the_journal", "replaces_the_journal"),
)
"""Drivers that attack the files of the run; ``test_results_folder.py`` runs them."""
LOSSES = [
    HostileCase("loses_its_resources", (*FLAKY, "deviates", INCONCLUSIVE, INCOMPLETE), RETAIN),
    HostileCase("loses_its_server", (*FLAKY, "deviates", INCOMPLETE), (*RETAIN, *INFO)),
    *_create_cases("loses_its_device_in_a_crash starts_no_more", CRASHES, RETAIN),
    HostileCase("crashes_with_a_loss", ("crashes", "flaky", INCOMPLETE), RETAIN, CONTEXTS),
    HostileCase("excludes_other_processes", (INCOMPLETE,), tests=CONTEXTS),
    HostileCase("starves", (INCOMPLETE,), tests=CONTEXTS, variables={"HOSTILE_FAILING": "clCreateContext"}),
    HostileCase("never_creates_a_context", DEVIATES, ("clCreateContext", "clRetainContext"), CREATION_ERRORS),
]
"""Drivers that lose their device in one process only; ``test_device_loss.py`` has those that lose it for ever."""
FAMILIES = {
    "signals": BY_SIGNALS,
    "the way out": AT_EXIT,
    "the start": AT_THE_START,
    "hangs": HANGING_DRIVERS,
    "children": CHILDREN,
    "descriptors": DESCRIPTORS,
    "environment": ENVIRONMENT,
    "memory": MEMORY,
    "answers": ANSWERS,
    "callbacks": CALLBACK_DRIVERS,
    "host threads": WAITING,
    "losses": LOSSES,
    "the worker": WORKER,
    "limits": LIMITS,
    "malice": MALICE,
}
CASES = [case for family in FAMILIES.values() for case in family]
