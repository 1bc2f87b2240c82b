"""Error conditions of updating recorded kernels (section 5.17.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import DispatchConfigs, ElementList
from clconform.oracles.chapters.command_buffers.command_updates import (
    SIZE_PARAMETERS,
    command_of,
    count_groups,
    dimensions_of,
    listed_configs,
    recorded_of,
    updated_enqueue,
)
from clconform.oracles.chapters.command_buffers.error_conditions.enqueuing import allows_simultaneous_use
from clconform.oracles.chapters.command_buffers.error_conditions.recording import NO_ADDITIONAL_GROUPS
from clconform.oracles.chapters.execution.nd_range import read_range
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.engine.predicate_result import NO, UNDEFINED, PredicateResult, may, must_if, strongest_result
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffer_state import CommandBuffer, MutableCommand
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import DispatchConfig
    from clconform.oracles.chapters.execution.nd_range import NDRange
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/2")
def is_immutable(call: Call, model: Model) -> PredicateResult:
    """command_buffer was not created with CL_COMMAND_BUFFER_MUTABLE_KHR."""
    buffer = model.require(CommandBuffer, call.command_buffer)
    if not buffer.queues:
        raise UnknownFactError("the command-buffer's flags")
    return must_if(not buffer.flags & model.constant_value("CL_COMMAND_BUFFER_MUTABLE_KHR"))


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/3")
def has_unknown_config_type(call: Call, model: Model) -> PredicateResult:
    """An element of config_types is not CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR."""
    known = model.constant_value("CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR")
    return must_if(
        any(each != known for each in (call.config_types.values if isinstance(call.config_types, ElementList) else ()))
    )


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/4")
def has_null_config(call: Call, _model: Model) -> PredicateResult:
    """An element of configs is NULL."""
    return must_if(isinstance(call.configs, DispatchConfigs) and None in call.configs.values)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_MUTABLE_COMMAND_KHR/1")
def has_foreign_command(call: Call, model: Model) -> PredicateResult:
    """The command in an element of configs is NULL or does not belong to command_buffer."""
    buffer = model.require(CommandBuffer, call.command_buffer)
    return strongest_result(_is_foreign_command(each, buffer, model) for each in listed_configs(call))


def _is_foreign_command(config: DispatchConfig, buffer: CommandBuffer, model: Model) -> PredicateResult:
    """Return whether the command in an element of configs is not a command of a command-buffer."""
    reply = is_invalid_object(config.command, MutableCommand.type, model)
    return reply if reply is not NO else must_if(command_of(config, model).command_buffer is not buffer)


@rules.alternatives_of("clUpdateMutableCommandsKHR/CL_INVALID_MUTABLE_COMMAND_KHR/1")
def find_foreign_commands(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: a command in configs is NULL, or does not belong to command_buffer."""
    buffer = model.require(CommandBuffer, call.command_buffer)
    foreign = [each.command for each in listed_configs(call) if _is_foreign_command(each, buffer, model).is_must]
    if None in foreign:
        yield "the command in an element of configs is NULL"
    if any(command is not None for command in foreign):
        yield "the command in an element of configs does not belong to command_buffer"


def _holds_for_any(
    call: Call, model: Model, holds: Callable[[DispatchConfig, MutableCommand], PredicateResult]
) -> PredicateResult:
    """Return whether a condition holds for an element of configs.

    Elements without a known command are skipped, because other error conditions cover them.
    """
    known = [(each, model.find(each.command)) for each in listed_configs(call)]
    return strongest_result(holds(each, command) for each, command in known if isinstance(command, MutableCommand))


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/3")
def changes_uniformity(call: Call, model: Model) -> PredicateResult:
    """An element of configs has sizes that change uniform work-groups to non-uniform ones, or the reverse.

    The error is optional if the kernel was recorded without local_work_size.
    """

    def changes(config: DispatchConfig, command: MutableCommand) -> PredicateResult:
        if config.global_work_size is None and config.local_work_size is None:
            return NO
        before, after = _updated_range(config, command, model)
        if before.local is None or after.local is None:
            return NO if after.local is None or after.uniform else may("uniformity-of-implementation-chosen-size")
        return must_if(before.uniform is not after.uniform)

    return _holds_for_any(call, model, changes)


def _updated_range(config: DispatchConfig, command: MutableCommand, model: Model) -> tuple[NDRange, NDRange]:
    """Return the range of a recorded command, and its range after an update."""
    recorded = recorded_of(config, model)
    if command.dimensions != dimensions_of(config, command.dimensions):
        raise UnknownFactError("the sizes of another number of dimensions")
    return read_range(recorded.call), read_range(updated_enqueue(config, recorded))


@rules.alternatives_of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/3")
def find_uniformity_changes(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: uniform work-groups become non-uniform, or the reverse."""
    known = [(each, model.find(each.command)) for each in listed_configs(call)]
    ranges = [_updated_range(each, command, model) for each, command in known if isinstance(command, MutableCommand)]
    changes = {(before.uniform, after.uniform) for before, after in ranges if before.local and after.local}
    if (True, False) in changes:
        yield "an element of configs changes uniform work-groups to non-uniform ones"
    if (False, True) in changes:
        yield "an element of configs changes non-uniform work-groups to uniform ones"


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/4")
def changes_dimensions(call: Call, model: Model) -> PredicateResult:
    """work_dim of an element of configs differs from the recorded work_dim."""
    return _holds_for_any(call, model, _has_other_dimensions)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/10")
def changes_dimensions_unless_zero(call: Call, model: Model) -> PredicateResult:
    """work_dim of an element of configs is neither 0 nor the recorded work_dim."""

    def differs(config: DispatchConfig, command: MutableCommand) -> PredicateResult:
        reply = _has_other_dimensions(config, command)
        return reply if config.work_dim or reply is UNDEFINED else NO

    return _holds_for_any(call, model, differs)


def _has_other_dimensions(config: DispatchConfig, command: MutableCommand) -> PredicateResult:
    dimensions = dimensions_of(config, command.dimensions)
    given = [sizes for name in SIZE_PARAMETERS if (sizes := getattr(config, name)) is not None]
    if any(len(sizes) < dimensions for sizes in given):
        return UNDEFINED  # the driver would read past the end of the array
    return must_if(config.work_dim != command.dimensions)


def _sets_fixed_field(field: str, call: Call, model: Model, given: Callable[[DispatchConfig], bool]) -> PredicateResult:
    """Return whether an element of configs sets a field that is not in the updatable fields of its command."""

    def forbidden(config: DispatchConfig, command: MutableCommand) -> PredicateResult:
        if not given(config):
            return NO
        if command.updatable_fields is None:
            raise UnknownFactError("what may be updated")
        return must_if(not command.updatable_fields & model.constant_value(f"CL_MUTABLE_DISPATCH_{field}_KHR"))

    return _holds_for_any(call, model, forbidden)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/5")
def sets_fixed_offset(call: Call, model: Model) -> PredicateResult:
    """global_work_offset in an element of configs is not NULL, and this field of the command is not updatable.

    The updatable fields of the command do not contain CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR.
    """
    return _sets_fixed_field("GLOBAL_OFFSET", call, model, lambda each: each.global_work_offset is not None)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/6")
def sets_fixed_global_size(call: Call, model: Model) -> PredicateResult:
    """global_work_size in an element of configs is not NULL, and this field of the command is not updatable.

    The updatable fields of the command do not contain CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR.
    """
    return _sets_fixed_field("GLOBAL_SIZE", call, model, lambda each: each.global_work_size is not None)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/7")
def sets_fixed_local_size(call: Call, model: Model) -> PredicateResult:
    """local_work_size in an element of configs is not NULL, and this field of the command is not updatable.

    The updatable fields of the command do not contain CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR.
    """
    return _sets_fixed_field("LOCAL_SIZE", call, model, lambda each: each.local_work_size is not None)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/8")
def sets_fixed_arguments(call: Call, model: Model) -> PredicateResult:
    """num_args or num_svm_args in an element of configs is not 0, and the arguments of the command are not updatable.

    The updatable fields of the command do not contain CL_MUTABLE_DISPATCH_ARGUMENTS_KHR.
    """
    return _sets_fixed_field("ARGUMENTS", call, model, lambda each: bool(each.num_args or each.num_svm_args))


@rules.alternatives_of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/8")
def find_fixed_arguments(call: Call, model: Model) -> Iterator[str]:
    """Yield each of num_args and num_svm_args that is not 0 for a command whose arguments are not updatable."""
    given: dict[str, Callable[[DispatchConfig], bool]] = {
        "num_args": lambda each: each.num_args != 0,
        "num_svm_args": lambda each: each.num_svm_args != 0,
    }
    for name, is_given in given.items():
        if _sets_fixed_field("ARGUMENTS", call, model, is_given).is_must:
            yield f"{name} in an element of configs is not 0"


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/9")
def sets_fixed_infos(call: Call, model: Model) -> PredicateResult:
    """num_exec_infos in an element of configs is not 0, and the execution infos of the command are not updatable.

    The updatable fields of the command do not contain CL_MUTABLE_DISPATCH_EXEC_INFO_KHR.
    """
    return _sets_fixed_field("EXEC_INFO", call, model, lambda each: each.num_exec_infos != 0)


def _do_count_and_list_disagree(call: Call, count: str, listed: str) -> PredicateResult:
    def wrong(config: DispatchConfig) -> PredicateResult:
        number, elements = getattr(config, count), getattr(config, listed)
        if elements is not None and number > len(elements):
            return UNDEFINED  # the driver would read past the end of the array
        return must_if(bool((number == 0) != (elements is None)))

    return strongest_result(map(wrong, listed_configs(call)))


def _find_disagreements(call: Call, count: str, listed: str) -> Iterator[str]:
    """Yield a text for each contradiction between the count and the list in an element of configs."""
    given = [(getattr(config, count), getattr(config, listed)) for config in listed_configs(call)]
    if any(number == 0 and elements is not None for number, elements in given):
        yield f"in an element of configs, {count} is 0 and {listed} is not NULL"
    if any(number != 0 and elements is None for number, elements in given):
        yield f"in an element of configs, {count} is not 0 and {listed} is NULL"


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/5")
def do_arguments_and_count_disagree(call: Call, _model: Model) -> PredicateResult:
    """In an element of configs, num_args is 0 and arg_list is not NULL, or the reverse."""
    return _do_count_and_list_disagree(call, "num_args", "arg_list")


@rules.alternatives_of("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/5")
def find_argument_disagreements(call: Call, _model: Model) -> Iterator[str]:
    """Yield how num_args and arg_list in an element of configs contradict each other."""
    return _find_disagreements(call, "num_args", "arg_list")


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/6")
def do_pointers_and_count_disagree(call: Call, _model: Model) -> PredicateResult:
    """In an element of configs, num_svm_args is 0 and arg_svm_list is not NULL, or the reverse."""
    return _do_count_and_list_disagree(call, "num_svm_args", "arg_svm_list")


@rules.alternatives_of("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/6")
def find_pointer_disagreements(call: Call, _model: Model) -> Iterator[str]:
    """Yield how num_svm_args and arg_svm_list in an element of configs contradict each other."""
    return _find_disagreements(call, "num_svm_args", "arg_svm_list")


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/7")
def do_infos_and_count_disagree(call: Call, _model: Model) -> PredicateResult:
    """In an element of configs, num_exec_infos is 0 and exec_info_list is not NULL, or the reverse."""
    return _do_count_and_list_disagree(call, "num_exec_infos", "exec_info_list")


@rules.alternatives_of("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/7")
def find_info_disagreements(call: Call, _model: Model) -> Iterator[str]:
    """Yield how num_exec_infos and exec_info_list in an element of configs contradict each other."""
    return _find_disagreements(call, "num_exec_infos", "exec_info_list")


@rules.clause("clUpdateMutableCommandsKHR/usage/1")
def may_be_pending(call: Call, model: Model) -> PredicateResult:
    """The rule is violated if command_buffer may be pending.

    This applies only if command_buffer was not created with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR.
    """
    buffer = model.find(call.command_buffer)
    return must_if(
        isinstance(buffer, CommandBuffer)
        and (bool(buffer.running_instances) or buffer.is_unknown)
        and not allows_simultaneous_use(buffer, model)
    )


@rules.clause("clUpdateMutableCommandsKHR/usage/2")
def adds_groups_against_assertion(call: Call, model: Model) -> PredicateResult:
    """The rule is violated if an element of configs adds work-groups to a command, although an assertion forbids that.

    The command or its command-buffer was created with CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR.
    """
    bit = model.constant_value(NO_ADDITIONAL_GROUPS)

    def more(config: DispatchConfig, command: MutableCommand) -> PredicateResult:
        buffer = command.command_buffer
        if not (command.asserts | (buffer.asserts if buffer is not None else 0)) & bit:
            return NO
        if dimensions_of(config, command.dimensions) != command.dimensions:
            return NO
        recorded = recorded_of(config, model)
        after = updated_enqueue(config, recorded)
        if after.local_work_size is None:
            raise UnknownFactError("the size of the groups")
        return must_if(count_groups(after) > command.group_count)

    return _holds_for_any(call, model, more)
