"""Rules for programs (section 5.8): creation, builds, compilation, linking, options, constants and queries."""
