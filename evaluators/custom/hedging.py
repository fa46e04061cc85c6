"""Hedging: how many sentences of an answer say that they are not sure."""

from evaluators import Evaluator, Sample, Score, evaluator, require
from evaluators.text.sentences import split_sentences

HEDGES = {"may", "might", "could", "perhaps", "possibly", "probably", "likely", "seems", "appears", "suggests"}


@evaluator("hedging", title="Hedging", needs=("response",))
class Hedging(Evaluator):
    """The share of the answer's sentences that hold a hedge, such as "may" or "probably"."""

    def score(self, sample: Sample) -> Score:
        require(self.needs, sample, self.title)
        sentences = split_sentences(sample.response or "")
        hedged = [each for each in sentences if HEDGES & {word.strip(".,;:!?()") for word in each.lower().split()}]
        value, reason = (len(hedged) / len(sentences), "") if sentences else (None, "The response is empty.")
        return Score(values={"hedging": value}, reason=reason, details={"hedged": hedged})
