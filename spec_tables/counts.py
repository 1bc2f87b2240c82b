"""Which parameters state how long another one is."""

from __future__ import annotations

COUNTED_BY = {
    "platforms": ("num_entries",),
    "devices": ("num_entries", "num_devices"),
    "out_devices": ("num_devices", "num_entries"),
    "device_list": ("num_devices",),
    "binary_status": ("num_devices",),
    "input_headers": ("num_input_headers",),
    "header_include_names": ("num_input_headers",),
    "input_programs": ("num_input_programs",),
    "il": ("length",),
    "spec_value": ("spec_size",),
    "param_value": ("param_value_size",),
    "event_wait_list": ("num_events_in_wait_list", "num_events"),
    "event_list": ("num_events",),
    "strings": ("count",),
    "arg_value": ("arg_size",),
    "ptr": ("size", "cb"),
    "pattern": ("pattern_size",),
    "mem_objects": ("num_mem_objects",),
    "bus_addresses": ("num_mem_objects",),
    "image_formats": ("num_entries",),
    "kernels": ("num_kernels",),
    "sema_objects": ("num_sema_objects",),
    "sema_payload_list": ("num_sema_objects",),
    "handle_ptr": ("handle_size",),
    "global_work_size": ("work_dim",),
    "local_work_size": ("work_dim",),
    "global_work_offset": ("work_dim",),
    "host_ptr": ("size",),
    "dst_ptr": ("size",),
    "src_ptr": ("size",),
    "svm_pointers": ("num_svm_pointers",),
    "sizes": ("num_svm_pointers",),
}
"""Parameter to the parameters of which one states its length: elements, or bytes for ``void`` and ``char``."""
TRIPLES = ("origin", "region")
"""Suffixes of the names of arrays of three numbers."""
