"""Run a simulated platform with one fault: ``python -m clconform.selftest.faults --fault NAME ...``."""

from clconform.selftest.faults.every_fault import get_every_fault
from clconform.simulator.server import main

if __name__ == "__main__":
    main("clconform.selftest.faults", get_every_fault())
