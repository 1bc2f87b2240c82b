"""The embedded profile (chapter 7): what differs there beside the limits of queries."""
