"""Coverage points of programs (section 5.8): builds, states, options, features, language versions and constants."""
