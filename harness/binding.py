"""Converts calls with names to requests for the worker, and its replies to outcomes, by the prototypes in the tables.

A call that does not match its prototype raises ``BadCall`` before the driver is called.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED, Call, Output, Returned
from clconform.calls.reusable_memory import HOST_PTR, find_reusable_parameters, is_reusable
from clconform.calls.values import FILL_BYTE, ElementList, Handle, HostCallback, OutputBuffer, OutputBuffers
from clconform.harness.argument_encoding import ArgumentEncoder, find_argument_block
from clconform.harness.decoding import OutputDecoder, OutputType
from clconform.harness.errors import BadCall
from clconform.harness.names import BUS_ADDRESS, FUNCTION, MEMORY
from clconform.harness.prototypes import Prepared, Prototype, Slot
from clconform.harness.signatures import function_signature, split_type

if TYPE_CHECKING:
    from clconform.harness.callbacks import CallbackFunctions
    from clconform.harness.machine_memory import TextReader
    from clconform.harness.names import ObjectNames
    from clconform.harness.process_types import ProcessTypes
    from clconform.harness.raw_messages import Argument, RawResult, RawReturned
    from clconform.spec_tables.requirements import Function, Parameter

_MAX_ALIGNMENT = 4096
_BYTE_TYPES = ("void", "char", "unsigned char", "cl_char", "cl_uchar")
_FILLED = bytes([FILL_BYTE])
_NANOSECOND = 1e-9


class CallBinding:
    """The binding of one driver process."""

    def __init__(
        self,
        types: ProcessTypes,
        names: ObjectNames,
        memory: TextReader,
        callbacks: CallbackFunctions,
    ) -> None:
        tables, layouts = types.tables, types.layouts
        self._functions, self._enumerants, self._types = tables.functions, tables.enumerants, tables.types
        self._requirements_of = tables.requirements_of
        self._layouts = layouts
        self._callbacks = callbacks
        self._signatures = types.signatures
        self._query_types = types.query_types
        self._decoder = OutputDecoder(layouts, names, memory)
        self._encoder = ArgumentEncoder(layouts, names)
        self._names = names
        self._prototypes = types.prototypes

    def function(self, name: str) -> Function:
        """Return the function's entry in the tables; BadCall if the tables do not contain it."""
        try:
            return self._functions[name]
        except KeyError:
            raise BadCall(f"no function {name!r} in the tables") from None

    def prototype(self, name: str) -> Prototype:
        """Return the function's prototype; BadCall if the tables do not fully define a type."""
        known = self._prototypes.get(name)
        if known is None:
            known = self._prototypes[name] = self._build_prototype(self.function(name))
        return known

    def argument_addresses(self, call: Call) -> list[int]:
        """Return the addresses of the live objects among the arguments, in parameter order."""
        values = [
            one
            for value in call.arguments.values()
            for one in (value.values if isinstance(value, ElementList) else (value,))
        ]
        return [self._names.address_of(one.name) for one in values if isinstance(one, Handle)]

    def prepare(self, call: Call, address: int) -> Prepared:
        """Convert a call of the function at ``address``; BadCall if an argument does not match its type."""
        prototype, given = self.prototype(call.function), call.arguments
        if given.keys() != prototype.names:
            odd = min(given.keys() ^ prototype.names)
            raise BadCall(f"{call.function}{' has no parameter' if odd in given else ': no argument'} {odd}")
        buffers: list[tuple[Slot, int]] = []
        lingers = prototype.lingers or (prototype.has_host_ptr and given[HOST_PTR] is not None)
        request: list[Argument] = [address, prototype.signature, int(lingers)]
        add = request.append
        encoder = self._encoder
        try:
            for slot in prototype.slots:
                value = given[slot.name]
                if slot.scalar is not None:
                    add(encoder.encode_scalar(slot.scalar, value))
                elif value is None:
                    add(None)
                elif slot.is_callback:
                    add(self._callback_argument(call, slot))
                else:
                    reusable = slot.name in prototype.reusable and is_reusable(slot.name, call, self._enumerants)
                    add(encoder.encode_pointer(slot, value, reusable=reusable))
                    if isinstance(value, OutputBuffer):
                        buffers.append((slot, value.count * slot.width))
                    elif isinstance(value, OutputBuffers):
                        buffers += [(slot, count * slot.width) for count in value.counts]
        except BadCall as error:
            raise BadCall(f"{call.function}, {slot.name} ({slot.of.type}): {error}") from None
        return Prepared(call, prototype, request, buffers)

    def finish(self, prepared: Prepared, raw: RawReturned | RawResult) -> Returned | None:
        """Decode the result and the outputs of a call, without callbacks; None if the reply is impossible."""
        call, prototype, _, buffers = prepared
        if len(raw.outputs) != len(buffers):
            return None
        outputs: dict[str, Output] = {}
        overrun: list[str] = []
        alignment = 0
        if buffers:
            outputs = self._decode_outputs(buffers, raw.outputs, call, prototype)
            if raw.overrun:
                overrun = [buffers[at][0].name for at in raw.overrun if 0 <= at < len(buffers)]
            if prototype.on_the_bus:
                alignment = self._bus_alignment(buffers, outputs)
        result: int | str | None = None
        if prototype.result is not None:
            result = prototype.result.from_word(raw.result)
            if prototype.returns:
                if prototype.returns == MEMORY and result:
                    alignment = math.gcd(result, _MAX_ALIGNMENT)
                result = self._names.name_of(prototype.returns, result) if result else None
        return Returned(result, outputs, overrun, [], raw.nanoseconds * _NANOSECOND, alignment)

    def _callback_argument(self, call: Call, slot: Slot) -> list[Argument]:
        value = call.arguments[slot.name]
        if not isinstance(value, HostCallback):
            raise BadCall(f"expected a callback or NULL, not {value!r}")
        block = find_argument_block(call, self._layouts.pointer.size)
        return self._callbacks.argument(call.function, slot.name, value.name, block)

    def _build_prototype(self, function: Function) -> Prototype:
        slots = [self._build_slot(function, parameter) for parameter in function.parameters]
        base, stars = split_type(function.returns)
        result = self._layouts.layout(base, stars)
        letters = function_signature(function, self._types)
        if not letters:
            raise BadCall(f"{function.name}: the tables do not define {function.returns}")
        signature = self._signatures.get(letters)
        if signature is None:
            raise BadCall(f"{function.name}: the program that runs drivers has no function of its signature, {letters}")
        handle = base if not stars and self._layouts.is_handle(base) else ""
        if base == "void" and stars == 1:
            handle = FUNCTION if function.name.startswith("clGetExtension") else MEMORY
        layouts = [slot.element.layout for slot in slots if slot.element is not None]
        on_the_bus = any(BUS_ADDRESS in layout.members for layout in layouts if layout is not None)
        names = frozenset(slot.name for slot in slots)
        # the driver may access the memory of enqueued commands, and host_ptr of an object, after the call has returned
        lingers = function.name.startswith("clEnqueue")
        reusable = find_reusable_parameters(function, self._requirements_of(function.name))
        return Prototype(
            tuple(slots),
            names,
            signature,
            result,
            handle,
            function.queries,
            lingers,
            HOST_PTR in names,
            on_the_bus,
            reusable,
        )

    def _build_slot(self, function: Function, parameter: Parameter) -> Slot:
        is_callback = parameter.direction == "callback"
        scalar = element = None
        if is_callback:
            pass
        elif parameter.pointers:
            if parameter.pointers > 1 or parameter.base not in _BYTE_TYPES:
                layout = self._layouts.layout(parameter.base, parameter.pointers - 1)
                lone = parameter.pointers == 1
                element = OutputType(layout, has_addresses=lone and self._layouts.is_property(parameter.base))
        else:
            scalar = self._layouts.layout(parameter.base)
            if scalar is None or not scalar.is_scalar:
                raise BadCall(f"{function.name}: the tables do not define how {parameter.type} is passed")
        width = 1 if element is None else element.layout.size if element.layout is not None else 0
        return Slot(parameter.name, parameter, scalar, element, width, is_callback)

    def _decode_outputs(
        self, buffers: list[tuple[Slot, int]], contents: list[bytes], call: Call, prototype: Prototype
    ) -> dict[str, Output]:
        """Return the outputs by parameter, those of lists of buffers last."""
        given = call.arguments
        found: dict[str, Output] = {}
        lists: dict[str, list[bytes]] = {name: [] for name in given if isinstance(given[name], OutputBuffers)}
        for (slot, size), written in zip(buffers, contents, strict=True):
            if slot.name in lists:
                lists[slot.name].append(written)
            else:
                found[slot.name] = self._decode_output(slot, written[:size].ljust(size, _FILLED), call, prototype)
        for name, listed in lists.items():
            found[name] = Output([each.hex() for each in listed], sum(map(len, listed)))
        return found

    def _bus_alignment(self, buffers: list[tuple[Slot, int]], outputs: dict[str, Output]) -> int:
        """Return the common alignment in bytes of all bus addresses in the outputs; 0 if there are none."""
        listed = [
            value
            for slot, _ in buffers
            if slot.element is not None
            and slot.element.layout is not None
            and BUS_ADDRESS in slot.element.layout.members
            for value in outputs[slot.name].values
        ]
        told = [self._names.address_of(value) for value in listed if isinstance(value, str) and value != UNTOUCHED]
        return math.gcd(*told, _MAX_ALIGNMENT) if told else 0

    def _decode_output(self, slot: Slot, content: bytes, call: Call, prototype: Prototype) -> Output:
        if slot.element is not None:
            return self._decoder.decode_typed(content, slot.element)
        asked = call.arguments.get("param_name") if prototype.queries else None
        return self._decoder.decode_bytes(
            content, self._query_types.find(call.function, asked) if isinstance(asked, int) else None
        )
