"""Coverage points of section 5.17, apart from its error conditions."""
