"""Shared virtual memory: when its functions fail, and what nobody may do with it (section 5.6)."""
