"""Which calls put the platform and execution model to the test, and what none can."""
