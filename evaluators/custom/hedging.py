"""Hedging: how many sentences of an answer say that they are not sure."""

from evaluators import Evaluator, Sample, Score, evaluator, require
from evaluators.text.sentences import split_sentences

HEDGES = "may might could perhaps possibly probably likely seems appears suggests"


@evaluator("hedging", title="Hedging", needs=("response",))
class Hedging(Evaluator):
    """The share of the answer's sentences that hold a hedge, such as "may" or "probably"."""

    def score(self, sample: Sample) -> Score:
        require(self.needs, sample, self.title)
        if not (sentences := split_sentences(sample.response or "")):
            return Score(values={"hedging": None}, reason="The response is empty.")
        hedged = [each for each in sentences if set(HEDGES.split()) & _words(each)]
        return Score(values={"hedging": len(hedged) / len(sentences)}, details={"hedged": hedged})


def _words(sentence: str) -> set[str]:
    return {word.strip(".,;:!?()") for word in sentence.lower().split()}
