"""Error conditions of updating recorded kernels (section 5.17.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import DispatchConfigs, Items
from clconform.oracles.chapters.command_buffers.clauses.enqueuing import simultaneous
from clconform.oracles.chapters.command_buffers.clauses.recording import NO_MORE_GROUPS
from clconform.oracles.chapters.command_buffers.updates import (
    ARRAYS,
    command_of,
    configs_in,
    dimensions_of,
    groups_in,
    launched,
    recorded_of,
)
from clconform.oracles.chapters.execution.ranges import range_of
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import CommandBuffer, MutableCommand
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.recurring.objects import gravest, valid_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.calls.values import DispatchConfig
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/2")
def immutable(call: Call, model: Model) -> Reply:
    """command_buffer was not created with CL_COMMAND_BUFFER_MUTABLE_KHR."""
    buffer = model.given(CommandBuffer, call.command_buffer)
    if not buffer.queues:
        raise UnknownError("the command-buffer's flags")
    return not buffer.flags & model.value("CL_COMMAND_BUFFER_MUTABLE_KHR")


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/3")
def unknown_types(call: Call, model: Model) -> Reply:
    """An element of config_types is not CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR."""
    known = model.value("CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR")
    return any(each != known for each in (call.config_types.values if isinstance(call.config_types, Items) else ()))


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/4")
def no_config(call: Call, _model: Model) -> Reply:
    """An element of configs is NULL."""
    return isinstance(call.configs, DispatchConfigs) and None in call.configs.values


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_MUTABLE_COMMAND_KHR/1")
def no_command_of_it(call: Call, model: Model) -> Reply:
    """command of an element of configs is NULL or is not a command of command_buffer."""
    buffer = model.given(CommandBuffer, call.command_buffer)

    def not_its_own(config: DispatchConfig) -> Reply:
        reply = valid_object(config.command, MutableCommand.type, model)
        return reply if reply is not Answer.NO else command_of(config, model).command_buffer is not buffer

    return gravest(map(not_its_own, configs_in(call)))


def _of_any(call: Call, model: Model, holds: Callable[[DispatchConfig, MutableCommand], Reply]) -> Reply:
    """Return whether a condition holds for an update in the call.

    Updates without a known kernel command are skipped; other error conditions cover them.
    """
    known = [(each, model.known(each.command)) for each in configs_in(call)]
    return gravest(holds(each, command) for each, command in known if isinstance(command, MutableCommand))


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/3")
def another_uniformity(call: Call, model: Model) -> Reply:
    """The new sizes of an update change uniform work-groups to non-uniform ones, or the reverse."""

    def changes(config: DispatchConfig, command: MutableCommand) -> Reply:
        if config.global_work_size is None and config.local_work_size is None:
            return Answer.NO
        recorded = recorded_of(config, model)
        if command.dimensions != dimensions_of(config, command.dimensions):
            raise UnknownError("the sizes of another number of dimensions")
        before, after = range_of(recorded.call), range_of(launched(config, recorded))
        if before.local is None or after.local is None:
            return Answer.NO if after.local is None or after.uniform else May("uniformity-of-a-chosen-size")
        return before.uniform is not after.uniform

    return _of_any(call, model, changes)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/4")
def another_dimension(call: Call, model: Model) -> Reply:
    """work_dim of an element of configs differs from the recorded work_dim."""
    return _of_any(call, model, _another_dimension)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/10")
def another_dimension_but_none(call: Call, model: Model) -> Reply:
    """work_dim of an element of configs is neither 0 nor the recorded work_dim."""

    def differs(config: DispatchConfig, command: MutableCommand) -> Reply:
        reply = _another_dimension(config, command)
        return reply if config.work_dim or reply is Answer.UNDEFINED else Answer.NO

    return _of_any(call, model, differs)


def _another_dimension(config: DispatchConfig, command: MutableCommand) -> Reply:
    dimensions = dimensions_of(config, command.dimensions)
    given = [sizes for name in ARRAYS if (sizes := getattr(config, name)) is not None]
    if any(len(sizes) < dimensions for sizes in given):
        return Answer.UNDEFINED  # the driver would read past its end
    return config.work_dim != command.dimensions


def _unless(field: str, call: Call, model: Model, given: Callable[[DispatchConfig], bool]) -> Reply:
    """Return whether an update sets a field that was not declared as updatable at recording."""

    def forbidden(config: DispatchConfig, command: MutableCommand) -> Reply:
        if not given(config):
            return Answer.NO
        if command.fields is None:
            raise UnknownError("what may be updated")
        return not command.fields & model.value(f"CL_MUTABLE_DISPATCH_{field}_KHR")

    return _of_any(call, model, forbidden)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/5")
def fixed_offset(call: Call, model: Model) -> Reply:
    """global_work_offset of an update is not NULL, and the command lacks CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR."""
    return _unless("GLOBAL_OFFSET", call, model, lambda each: each.global_work_offset is not None)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/6")
def fixed_global_size(call: Call, model: Model) -> Reply:
    """global_work_size of an update is not NULL, and the command lacks CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR."""
    return _unless("GLOBAL_SIZE", call, model, lambda each: each.global_work_size is not None)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/7")
def fixed_local_size(call: Call, model: Model) -> Reply:
    """local_work_size of an update is not NULL, and the command lacks CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR."""
    return _unless("LOCAL_SIZE", call, model, lambda each: each.local_work_size is not None)


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/8")
def fixed_arguments(call: Call, model: Model) -> Reply:
    """num_args or num_svm_args of an update is not 0, and the command lacks CL_MUTABLE_DISPATCH_ARGUMENTS_KHR."""
    return _unless("ARGUMENTS", call, model, lambda each: bool(each.num_args or each.num_svm_args))


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/9")
def fixed_infos(call: Call, model: Model) -> Reply:
    """num_exec_infos of an update is not 0, and the command lacks CL_MUTABLE_DISPATCH_EXEC_INFO_KHR."""
    return _unless("EXEC_INFO", call, model, lambda each: each.num_exec_infos != 0)


def _disagree(call: Call, count: str, listed: str) -> Reply:
    def wrong(config: DispatchConfig) -> Reply:
        number, elements = getattr(config, count), getattr(config, listed)
        if elements is not None and number > len(elements):
            return Answer.UNDEFINED  # the driver would read past its end
        return bool((number == 0) != (elements is None))

    return gravest(map(wrong, configs_in(call)))


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/5")
def arguments_and_their_number(call: Call, _model: Model) -> Reply:
    """num_args of an update is 0 and arg_list is not NULL, or the reverse."""
    return _disagree(call, "num_args", "arg_list")


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/6")
def pointers_and_their_number(call: Call, _model: Model) -> Reply:
    """num_svm_args of an update is 0 and arg_svm_list is not NULL, or the reverse."""
    return _disagree(call, "num_svm_args", "arg_svm_list")


@rules.clause("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/7")
def infos_and_their_number(call: Call, _model: Model) -> Reply:
    """num_exec_infos of an update is 0 and exec_info_list is not NULL, or the reverse."""
    return _disagree(call, "num_exec_infos", "exec_info_list")


@rules.clause("clUpdateMutableCommandsKHR/usage/1")
def updated_while_pending(call: Call, model: Model) -> bool:
    """command_buffer may be pending, and was not created with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR."""
    buffer = model.known(call.command_buffer)
    return (
        isinstance(buffer, CommandBuffer)
        and (bool(buffer.running) or buffer.unclear)
        and not simultaneous(buffer, model)
    )


@rules.clause("clUpdateMutableCommandsKHR/usage/2")
def more_groups_than_asserted(call: Call, model: Model) -> Reply:
    """An update results in more work-groups than were recorded, against an assertion.

    The command or its command-buffer was created with CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR.
    """
    bit = model.value(NO_MORE_GROUPS)

    def more(config: DispatchConfig, command: MutableCommand) -> Reply:
        buffer = command.command_buffer
        if not (command.asserts | (buffer.asserts if buffer is not None else 0)) & bit:
            return Answer.NO
        if dimensions_of(config, command.dimensions) != command.dimensions:
            return Answer.NO
        recorded = recorded_of(config, model)
        after = launched(config, recorded)
        if after.local_work_size is None:
            raise UnknownError("the size of the groups")
        return groups_in(after) > command.groups

    return _of_any(call, model, more)
