"""Rules for the embedded profile (chapter 7): all differences except the minimum values of device queries."""
