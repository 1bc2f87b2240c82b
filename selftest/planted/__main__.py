"""Run a simulated platform with one fault: ``python -m clconform.selftest.planted --fault NAME ...``."""

from clconform.selftest.planted.every_fault import get_every_fault
from clconform.simulator.serving import main

if __name__ == "__main__":
    main("clconform.selftest.planted", get_every_fault())
