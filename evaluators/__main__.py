"""`python -m evaluators`: the same work from a terminal, in a checkout."""

from evaluators.own_command import own_command
from evaluators.terminal.cli import main

main(prog_name=own_command())
