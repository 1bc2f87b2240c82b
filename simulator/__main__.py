"""The simulated platform's process: ``python -m clconform.simulator --topology NAME --mailbox N``."""

from clconform.simulator.server import main

if __name__ == "__main__":
    main("clconform.simulator", {})
