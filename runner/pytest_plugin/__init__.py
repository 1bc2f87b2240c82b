"""The pytest plugin: options, fixtures, selection of items, and recording of their results."""
