"""Items for each function: the valid call, and calls that violate one or two of its error conditions."""

from __future__ import annotations

from clconform.runner.pytest_plugin.covers import TableTest
from clconform.spec_tables import load
from clconform.suites.errors.carried_conditions import sub_device_cases
from clconform.suites.errors.near_miss_tests import near_miss_cases
from clconform.suites.errors.negative_tests import double_violation_cases, single_violation_cases, valid_call_cases

NAME = "errors.error_conditions"
test_valid_call_succeeds = TableTest(lambda: valid_call_cases(load()))
test_invalid_call_is_rejected = TableTest(lambda: single_violation_cases(load()))
test_doubly_invalid_call_is_rejected = TableTest(lambda: double_violation_cases(load()))
test_near_miss_succeeds = TableTest(lambda: near_miss_cases(load()))
test_condition_is_rejected_on_a_sub_device = TableTest(lambda: sub_device_cases(load()))
