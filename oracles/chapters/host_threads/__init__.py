"""Coverage points of calls from several host threads (appendix A)."""
