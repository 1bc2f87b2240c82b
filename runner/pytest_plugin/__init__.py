"""The pytest plugin: options, fixtures, which items are run, and the account of each."""
