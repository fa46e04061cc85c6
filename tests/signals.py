"""Signals to child processes."""

import signal


def hear_ctrl_c() -> None:
    """For a child process: whoever runs the tests in the background has Ctrl-C ignored, and
    children inherit that.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
