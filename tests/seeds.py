"""``python -m tests.seeds FAULT...``: by how many seeds a planted fault is found, at the default number of examples."""

from __future__ import annotations

import sys

import click

from clconform.selftest.planted.every_fault import every_fault

from .suite_runs import PROCESSES, REPOSITORY, run_suites

DEVIATIONS, NONE = 10, 0
"""Exit codes of a run with deviations, and of one without."""
ENOUGH = 0.95
"""The share of seeds by which a fault must be found."""


@click.command()
@click.argument("faults", nargs=-1, required=True, type=click.Choice(sorted(every_fault())), metavar="FAULT...")
@click.option("--simulated", "topology", default="everything", show_default=True, help="on this simulated platform")
@click.option("--suite", "suites", multiple=True, help="only this folder or file of suites; may repeat")
@click.option("--seeds", default=20, show_default=True, type=click.IntRange(1), help="seeds 1 to N")
@click.option("--seconds", default=900, show_default=True, help="how long the runs of one fault may take together")
@click.option("--processes", default=PROCESSES, show_default=True, type=click.IntRange(1), help="runs at a time")
def seeds(
    faults: tuple[str, ...], topology: str, suites: tuple[str, ...], seeds: int, seconds: int, processes: int
) -> None:
    """Run the suites once for each FAULT and seed, and print by how many seeds each one was found.

    Exit code 1: a fault was found by fewer than 19 of 20 seeds, or a run ended otherwise.
    """
    where = list(suites) or [str(REPOSITORY / "suites")]
    options = [*where, "-x", f"--cl-simulated={topology}", "--cl-minimise-seconds=1"]
    wrong = False
    for fault in faults:
        wanted = {str(seed): [*options, f"--cl-seed={seed}", f"--cl-fault={fault}"] for seed in range(1, seeds + 1)}
        codes = {seed: run.code for seed, run in run_suites(wanted, seconds, processes).items()}
        found = [seed for seed, code in codes.items() if code == DEVIATIONS]
        missed = ", ".join(f"{seed} (exit code {code})" for seed, code in codes.items() if seed not in found)
        click.echo(f"{fault}: found by {len(found)} of {seeds} seeds{'; not by ' * bool(missed)}{missed}")
        wrong |= len(found) < ENOUGH * seeds or not {*codes.values()} <= {DEVIATIONS, NONE}
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    seeds()
