"""Queries: which name a call asks for, when it must fail, how large its answer is and what the answer may be.

What an answer must be comes from four places, and each speaks for its own record: the type (``constraints``), limits
(``limits``), rules between answers (``capabilities``, ``features``, ``strings``, ``ties``, and
``versions_and_extensions``), and the state of the object (``answers`` of each chapter). What a driver does to the
output buffer past the answer, or on an error, is noted and never a deviation. A name of a later version, or of an
extension that is not reported, may be answered or refused; a name of another query function must be refused.
"""
