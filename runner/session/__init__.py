"""A session with a driver, which judges each call and stores the sequence of calls."""
