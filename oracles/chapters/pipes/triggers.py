"""Coverage points for the effects and the optional behaviour of pipes (section 5.4 and appendix H)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.pipes.packets import THROUGH_A_PIPE
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Pipe
from clconform.oracles.queries.features import lacks
from clconform.oracles.recurring.reads import shows

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

CREATE, INFO, TOLD, READ = "clCreatePipe", "clGetPipeInfo", "clGetMemObjectInfo", "clEnqueueReadBuffer"
rules.by_reading("flags-of-a-pipe", "clCreatePipe/effect/1")


@rules.completion
def _effects(rules: Rules, _tables: Tables) -> None:
    def default_flags(asked: AnsweredCall) -> bool:
        pipe = asked.model.known(asked.call.memobj)
        flags = asked.call.param_name == asked.model.value("CL_MEM_FLAGS")
        return flags and isinstance(pipe, Pipe) and 0 in (pipe.told_flags or ())

    words = "Checked on queries of CL_MEM_FLAGS of a pipe that was created with flags 0."
    rules.trigger(f"{CREATE}/effect/1", TOLD, words, "CL_MEM_FLAGS", holds=default_flags)
    words = (
        "Checked on reads of bytes that one kernel wrote to a pipe and a later kernel read from it, in the same order."
    )
    rules.trigger(f"{CREATE}/effect/3", READ, words, "clEnqueueNDRangeKernel/success", holds=shows(THROUGH_A_PIPE))


@rules.completion
def _without_pipes(rules: Rules, _tables: Tables) -> None:
    def nobody(asked: AnsweredCall) -> bool:
        context = asked.model.known(asked.call.context)
        devices = context.devices if isinstance(context, Context) else []
        return bool(devices) and all(lacks(device, "pipes") for device in devices)

    def no_pipe(asked: AnsweredCall) -> bool:
        devices = asked.model.root_devices()
        return bool(devices) and all(lacks(device, "pipes") for device in devices)

    words = "clCreatePipe returns CL_INVALID_OPERATION if no device in context supports pipes."
    rules.trigger(f"pipes:{CREATE}/1", CREATE, words, f"{CREATE}/CL_INVALID_OPERATION/1", holds=nobody)
    words = "clGetPipeInfo returns CL_INVALID_MEM_OBJECT if no device supports pipes."
    rules.trigger(f"pipes:{INFO}/1", INFO, words, f"{INFO}/CL_INVALID_MEM_OBJECT/1", holds=no_pipe)
