"""`python -m evaluators`: the same work from a terminal."""

from evaluators.terminal.cli import main

main(prog_name="python -m evaluators")
