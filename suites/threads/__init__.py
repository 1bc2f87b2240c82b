"""Concurrent calls from several host threads, which appendix A allows."""
