"""Error conditions of calls on command-buffers (section 5.17), without recurring conditions."""
