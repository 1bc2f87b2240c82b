"""Coverage points for the effects and the optional behaviour of pipes (section 5.4 and appendix H)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.pipes.packets import PACKET_TAG
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Pipe
from clconform.oracles.queries.features import lacks_feature

if TYPE_CHECKING:
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

CREATE, INFO, OBJECT_INFO, READ = "clCreatePipe", "clGetPipeInfo", "clGetMemObjectInfo", "clEnqueueReadBuffer"
rules.uses_interpretation("pipe-flags", "clCreatePipe/effect/1")


@rules.completion
def _declare_effects(rules: Rules, _tables: Tables) -> None:
    def default_flags(asked: CompletedCall) -> bool:
        pipe = asked.model.find(asked.call.memobj)
        flags = asked.call.param_name == asked.model.constant_value("CL_MEM_FLAGS")
        return flags and isinstance(pipe, Pipe) and 0 in (pipe.reportable_flags or ())

    words = "Checked on queries of CL_MEM_FLAGS of a pipe that was created with flags 0."
    rules.coverage_point("clCreatePipe/effect/1", OBJECT_INFO, words, "CL_MEM_FLAGS", holds=default_flags)
    words = (
        "A kernel writes packets to a pipe, and a later kernel copies the packets to a buffer. Checked on reads of the "
        "buffer: the packets are in the original order."
    )
    rules.coverage_point(
        "clCreatePipe/effect/3", READ, words, "clEnqueueNDRangeKernel/success", holds=cover_capability(PACKET_TAG)
    )


@rules.completion
def _declare_missing_pipes(rules: Rules, _tables: Tables) -> None:
    def has_no_pipe_device(asked: CompletedCall) -> bool:
        context = asked.model.find(asked.call.context)
        devices = context.devices if isinstance(context, Context) else []
        return bool(devices) and all(lacks_feature(device, "pipes") for device in devices)

    def no_pipe(asked: CompletedCall) -> bool:
        devices = asked.model.root_devices()
        return bool(devices) and all(lacks_feature(device, "pipes") for device in devices)

    words = "clCreatePipe returns CL_INVALID_OPERATION if no device in context supports pipes."
    rules.coverage_point(
        "pipes:clCreatePipe/1", CREATE, words, "clCreatePipe/CL_INVALID_OPERATION/1", holds=has_no_pipe_device
    )
    words = "clGetPipeInfo returns CL_INVALID_MEM_OBJECT if no device supports pipes."
    rules.coverage_point("pipes:clGetPipeInfo/1", INFO, words, "clGetPipeInfo/CL_INVALID_MEM_OBJECT/1", holds=no_pipe)
