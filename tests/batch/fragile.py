"""A task whose worker ends when a row asks for it, as one that ran out of memory would."""

import os

from evaluators.batch.worker import Task

DEADLY = "Will you end?"


class FragileTask(Task):
    def results(self, piece):
        if any(DEADLY in text for _, text in piece.entries):
            os._exit(1)
        return super().results(piece)
