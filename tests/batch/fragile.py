"""What ends its worker, as one that ran out of memory would, and what no worker can read."""

import os

from evaluators.batch.worker import Task

DEADLY = "Will you end?"


class FragileTask(Task):
    def results(self, piece):
        if any(DEADLY in text for _, text in piece.entries):
            os._exit(1)
        return super().results(piece)


class Deadly:
    """A request that ends its worker."""

    def reply(self):
        os._exit(1)


class OfAnotherVersion:
    """A request that cannot be read where it arrives."""

    def __reduce__(self):
        return getattr, (os, "gone since")
