"""Queries: which name a call asks for, when it must fail, how large its answer is and what the answer may be."""
