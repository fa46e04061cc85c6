"""`python -m plumbline`, where the command `plumbline` is not on the way."""

from evaluators.own_command import own_command
from evaluators.terminal.cli import main

main(prog_name=own_command())
