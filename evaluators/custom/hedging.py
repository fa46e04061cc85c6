"""Hedging: how many sentences of an answer say that they are not sure."""

from evaluators.text.sentences import split_sentences
from plumbline import Evaluator, Sample, Score, evaluator, require

HEDGES = "may might could perhaps possibly probably likely seems appears suggests"


@evaluator("hedging", title="Hedging", needs=("response",))
class Hedging(Evaluator):
    """The share of the answer's sentences that hold a hedge, such as "may" or "probably"."""

    def score(self, sample: Sample) -> Score:
        require(self.needs, sample, self.title)
        sentences = split_sentences(sample.response or "")
        if not sentences:
            return Score(values={"hedging": None}, reason="The answer is empty.")
        hedged = [sentence for sentence in sentences if words_of(HEDGES) & words_of(sentence)]
        share = len(hedged) / len(sentences)
        return Score(values={"hedging": share}, details={"hedged": hedged})


def words_of(text: str) -> set[str]:
    return {word.strip(".,;:!?()") for word in text.lower().split()}
