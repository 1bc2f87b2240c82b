"""Rules for command-buffers (section 5.17): creation, recording, updates, enqueues, and effects of their commands."""
