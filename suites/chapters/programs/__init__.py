"""Programs (section 5.8): creation, builds, compilation and linking, binaries, options and constants."""
