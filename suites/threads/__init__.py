"""Calls from several host threads at once, as appendix A allows them."""
