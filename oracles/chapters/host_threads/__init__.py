"""Calls from several host threads (appendix A)."""
