"""Mutants that no call can kill, each with the reason; the command tells of those that a run notices all the same."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.selftest.mutation.mutants import Mutant


@dataclass(frozen=True)
class Explanation:
    """Why mutants of a place survive: those whose change begins so, or that are named so, on these records."""

    place: str
    change: str
    reason: str
    records: str = "*"

    def fits(self, mutant: Mutant) -> bool:
        """Tell whether this is about a mutant."""
        alike = mutant.change.startswith(self.change) if mutant.change else self.change == mutant.operator
        return alike and self.place == mutant.place and fnmatchcase(mutant.record, self.records)


UNSENT = "only what is undefined changes, or arguments of a shape that no call has"
ALIKE = "both say the same of every call"
UNREACHED = "the part that changes is not reached from this clause"
SAME_CODE = "where it holds, another clause of the same code may hold and refuse the call"
EITHER_CODE = "where it holds, a clause of another code does, too, and which of the two is told is open"
NO_CODE = "the function tells no code, and its failure may always be that memory has run out"
NO_SUCH_DEVICE = "no device that is simulated, or that we know, tells the two apart"
NO_SUCH_PLATFORM = "no platform that acts by the model tells the two apart"
CONTEXTS = "clCreateContext*"
MIGRATED = "clEnqueueMigrateMemObjects/CL_INVALID_MEM_OBJECT/1"

ONE_PLACE = "1 if call.function == 'clSharedMemAllocINTEL' else 0 ->"

EXPLAINED: tuple[Explanation, ...] = (
    # objects and plain arguments
    Explanation("valid_object", "thing is None or thing.references < 1 ->", UNSENT),
    Explanation("_elements", "value is None and listed ->", ALIKE, "clCreateContext/*"),
    Explanation("_elements", "value is None and listed ->", ALIKE, MIGRATED),
    Explanation("_null_or_zero", "call.arguments.get(name, 1) ->", ALIKE),
    Explanation("_user_data_without_callback", "{name for name in", ALIKE, CONTEXTS),
    Explanation("_has_failed", "event.tainted and (not event.complete) ->", NO_SUCH_PLATFORM),
    Explanation("_not_a_name", "others and call.function not in others ->", NO_SUCH_PLATFORM),
    Explanation("_rooms_too_short", "count < size ->", UNREACHED),
    Explanation("flags_not_valid", "known = 0 ->", ALIKE, "clCreateBuffer*"),
    Explanation("flags_not_valid", "usable = 0 ->", ALIKE, "clCreateBuffer*"),
    # lists of properties
    Explanation("read_list", "name if isinstance(name, int) else 0 ->", UNSENT, CONTEXTS),
    Explanation("value_not_valid", "value if isinstance(value, int) else 0 ->", ALIKE, CONTEXTS),
    Explanation("value_not_valid", "type_name == 'cl_uint' and", UNREACHED, CONTEXTS),
    Explanation("value_not_valid", "0 <= number < 1 << 32 ->", UNREACHED, CONTEXTS),
    Explanation("value_not_valid", "1 << 32 ->", UNREACHED, CONTEXTS),
    Explanation("devices_without_a_handle", "dropped", SAME_CODE),
    Explanation("devices_without_a_handle", "names_in(call.properties, model) or [] ->", SAME_CODE),
    Explanation("names_in", "rest.pop(0) ->", SAME_CODE, "*/CL_INVALID_PROPERTY/2"),
    Explanation("names_in", "rest[0] not in (0, None) ->", SAME_CODE, "*/CL_INVALID_PROPERTY/2"),
    Explanation("names_in", "[0] ->", SAME_CODE, "*/CL_INVALID_PROPERTY/2"),
    Explanation("names_in", "0 in rest ->", SAME_CODE, "*/CL_INVALID_PROPERTY/2"),
    Explanation("names_in", "end = 0 ->", SAME_CODE, "*/CL_INVALID_PROPERTY/2"),
    Explanation("names_in", "end + 1 ->", SAME_CODE, "*/CL_INVALID_PROPERTY/2"),
    # queries about NULL
    Explanation("_of_nothing", "call.arguments[first.name] is None and", NO_SUCH_PLATFORM),
    Explanation("_too_small_for_any", "query is None or", UNREACHED, "clGet*Info/*"),
    Explanation("_too_small_for_any", "call.param_value_size >=", EITHER_CODE),
    # queues
    Explanation("VENDORS", "7 << 29 ->", EITHER_CODE, "*/CL_INVALID_QUEUE_PROPERTIES/1"),
    Explanation("LARGEST_UINT", "1 << 32 ->", EITHER_CODE, "*/CL_INVALID_QUEUE_PROPERTIES/1"),
    Explanation("list_not_supported", "wrong is Answer.MUST or", EITHER_CODE),
    Explanation("bits_not_supported", "supported == 0", UNREACHED, "clCreateCommandQueue/*"),
    Explanation("bits_not_supported", "supported == 0", UNREACHED, "clSetCommandQueueProperty/*"),
    Explanation("_default_of_it_stays", "device.version < (2, 0) -> device.version <= (2, 0)", NO_SUCH_DEVICE),
    Explanation("_default_of_it_stays", "device.version < (2, 0) -> device.version < (2, 1)", NO_SUCH_DEVICE),
    Explanation("_default_of_it_stays", "device.number('CL_DEVICE_MAX_ON_DEVICE_QUEUES') > 0 ->", NO_SUCH_DEVICE),
    Explanation("no_queue_for_the_default", "reply is not Answer.NO or", ALIKE),
    # buffers and memory objects
    Explanation("is_aligned", "bits == 0 ->", NO_SUCH_DEVICE),
    Explanation("pitches", "not isinstance(row, int) or not isinstance(slices, int) ->", UNSENT),
    Explanation("_slices", "slices != 0 ->", SAME_CODE, "clEnqueueCopyBufferRect/*"),
    Explanation("shared_bytes", "[0, 0] ->", EITHER_CODE, "*/CL_MEM_COPY_OVERLAP/1"),
    Explanation("shared_bytes", "start < reached[1 - side] ->", EITHER_CODE, "*/CL_MEM_COPY_OVERLAP/1"),
    Explanation("_null_parameter", "dropped", SAME_CODE, "clEnqueueCopyBufferRect/CL_INVALID_VALUE/1"),
    Explanation("_region", "not isinstance(call.buffer_create_info, Data) or", UNSENT, "*/CL_INVALID_VALUE/5"),
    Explanation("LARGEST_WITHOUT_LONGS", "LARGEST_WITHOUT_LONGS = 64 ->", ALIKE),
    Explanation("queue_not_for_them", "owner is not None and owner.devices and", EITHER_CODE),
    # shared memory
    Explanation("nobody_shares_memory", "dropped", NO_CODE),
    Explanation("atomics_without_fine_grain", "dropped", NO_CODE),
    Explanation("flags_exclude_each_other", "dropped", NO_CODE),
    Explanation("not_supported", "dropped", NO_CODE),
    Explanation("unknown_flags", "dropped", NO_CODE),
    Explanation("unknown_flags", "elsewhere = 0 ->", ALIKE),
    Explanation("empty_or_too_large", "dropped", NO_CODE, "clSVMAlloc/*"),
    Explanation("alignment_not_possible", "dropped", NO_CODE),
    Explanation("beyond_the_allocation", "isinstance(size, int) and size ->", SAME_CODE),
    # sub-devices by the extension
    Explanation("style_unknown_or_not_supported", "request.scheme == '?' or", NO_SUCH_DEVICE),
    Explanation("cannot_be_partitioned_further", "len(parts(device, request, EXT, model)) <= 1 ->", UNREACHED),
    Explanation("cannot_be_partitioned_further", "units == 1 ->", NO_SUCH_DEVICE, "*EXT/*"),
    Explanation("names_out_of_range", "name < -1 -> name <= -1", ALIKE),
    # unified shared memory
    Explanation("placed_wrongly", "dropped", SAME_CODE),
    Explanation("placed_wrongly", f"{ONE_PLACE} 2", SAME_CODE, "clShared*"),
    Explanation("placed_wrongly", f"{ONE_PLACE} 2", UNREACHED, "cl[DH]*"),
    Explanation("placed_wrongly", f"{ONE_PLACE} 1", UNREACHED, "clShared*"),
    Explanation("placed_wrongly", f"{ONE_PLACE} 1", SAME_CODE, "cl[DH]*/CL_INVALID_PROPERTY/2"),
    Explanation("placed_wrongly", "read_list(call.properties) or () ->", SAME_CODE),
    Explanation("_out_of_reach", "foreign or", UNSENT),
    Explanation("devices_of", "not isinstance(context, Context) or", EITHER_CODE, "clDevice*"),
    Explanation(
        "devices_of", "not isinstance(context, Context) or", NO_SUCH_PLATFORM, "clShared*/CL_INVALID_OPERATION/1"
    ),
    Explanation("devices_of", "not isinstance(context, Context) or", ALIKE, "clShared*/CL_INVALID_BUFFER_SIZE/1"),
    # memory on the bus
    Explanation("not_mapped", "dropped", SAME_CODE),
    Explanation("not_mapped", "call.size > surface.memory.size or", UNSENT),
    Explanation("_places", "len(value.content) >= 2 * WORD ->", UNSENT),
    Explanation("_places", "2 * WORD ->", UNSENT),
    Explanation("_places", " for at in (0, WORD) ->", UNSENT),
    Explanation("WORD", "WORD = 8 ->", UNSENT, "clCreateBuffer/CL_INVALID_HOST_PTR/3"),
    Explanation("nothing_given_for_a_pointer", "call.num_mem_objects == 0 or", UNSENT),
    Explanation("is_said", "not apart and", UNSENT),
    Explanation("no_place_for_signals", "dropped", NO_SUCH_PLATFORM),
)


def explained(mutant: Mutant) -> str:
    """Return why a mutant cannot be killed, or an empty string where nobody has said so."""
    return next((each.reason for each in EXPLAINED if each.fits(mutant)), "")
