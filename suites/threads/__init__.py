"""Concurrent calls from several host threads, as appendix A allows them."""
