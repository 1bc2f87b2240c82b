"""``python -m tests.seeds FAULT...`` counts the seeds that find an injected fault, at the default number of examples.

With ``--group NAME``, the faults of a group (``tests/seed_groups.py``) are run, each with its listed suites.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from subprocess import TimeoutExpired

import click

from clconform.selftest.faults.every_fault import get_every_fault

from .seed_groups import GROUPS
from .suite_runs import PROCESSES, REPOSITORY, run_suites

DEVIATIONS, NO_DEVIATIONS = 10, 0
"""Exit codes of a run with deviations, and of a run without."""
MIN_SHARE = 0.95
"""The minimum share of seeds that must find a fault."""


@click.command()
@click.argument("faults", nargs=-1, type=click.Choice(sorted(get_every_fault())), metavar="FAULT...")
@click.option("--group", "groups", multiple=True, type=click.Choice(list(GROUPS)), help="these faults too; may repeat")
@click.option("--simulated", "topology", default="everything", show_default=True, help="on this simulated platform")
@click.option("--suite", "suites", multiple=True, help="only this folder or file of suites; may repeat")
@click.option("--seeds", default=20, show_default=True, type=click.IntRange(1), help="seeds 1 to N")
@click.option("--seconds", default=900, show_default=True, help="how long the runs of one fault may take together")
@click.option("--processes", default=PROCESSES, show_default=True, type=click.IntRange(1), help="runs at a time")
def run_seeds(
    faults: tuple[str, ...],
    groups: tuple[str, ...],
    topology: str,
    suites: tuple[str, ...],
    seeds: int,
    seconds: int,
    processes: int,
) -> None:
    """Run the suites once for each FAULT and seed, and print the number of seeds that find each fault.

    Exit code 1: fewer than 19 of 20 seeds find a fault, or a run does not complete.
    """
    given = list(suites) or [str(REPOSITORY / "suites")]
    where = {fault: list(suites) or [*found_by] for group in groups for fault, found_by in GROUPS[group].items()}
    where |= dict.fromkeys(faults, given)
    if not where:
        raise click.UsageError("name a FAULT or a --group")
    together = min(processes, len(where))

    def codes_of(fault: str) -> dict[str, int]:
        options = [*where[fault], "-x", f"--cl-simulated={topology}", "--cl-minimise-seconds=1", f"--cl-fault={fault}"]
        wanted = {str(seed): [*options, f"--cl-seed={seed}"] for seed in range(1, seeds + 1)}
        runs = run_suites(wanted, seconds, min(processes // together, seeds))
        return {seed: run.code for seed, run in runs.items()}

    wrong = 0
    with ThreadPoolExecutor(together) as pool:
        running = {pool.submit(codes_of, fault): fault for fault in where}
        for done in as_completed(running):
            try:
                wrong += not _print_fault(running[done], done.result(), seeds)
            except TimeoutExpired:
                click.echo(f"{running[done]}: not over after {seconds} s")
                wrong += 1
    click.echo(f"{len(where) - wrong} of {len(where)} faults found")
    sys.exit(1 if wrong else 0)


def _print_fault(fault: str, codes: dict[str, int], seeds: int) -> bool:
    """Print the number of seeds that find a fault, and return whether it is sufficient."""
    found = [seed for seed, code in codes.items() if code == DEVIATIONS]
    missed = ", ".join(f"{seed} (exit code {code})" for seed, code in codes.items() if seed not in found)
    click.echo(f"{fault}: found by {len(found)} of {seeds} seeds{'; not by ' * bool(missed)}{missed}")
    return len(found) >= MIN_SHARE * seeds and {*codes.values()} <= {DEVIATIONS, NO_DEVIATIONS}


if __name__ == "__main__":
    run_seeds()
