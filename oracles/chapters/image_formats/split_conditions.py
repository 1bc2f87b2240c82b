"""Error conditions of image format queries that revision 3.1.0 split off from an older condition (section 5.3.2)."""

from __future__ import annotations

from clconform.oracles.chapters.image_formats.error_conditions import (
    is_image_type_undefined,
    is_list_use_invalid,
    is_num_entries_zero,
)
from clconform.oracles.engine.rules import Rules

rules = Rules()

rules.clause_part("clGetSupportedImageFormats/CL_INVALID_VALUE/2")(is_list_use_invalid)
rules.clause_part("clGetSupportedImageFormats/CL_INVALID_VALUE/3")(is_image_type_undefined)
rules.clause_part("clGetSupportedImageFormats/CL_INVALID_VALUE/4")(is_num_entries_zero)
