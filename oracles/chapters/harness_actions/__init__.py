"""Effects of harness actions: host memory areas, and reads and writes by the host through any pointer."""
