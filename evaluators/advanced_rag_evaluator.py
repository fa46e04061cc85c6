"""GPT labelling: so far the sentence keys that the labels speak of."""

from evaluators.text.sentences import DocumentSentencizer

__all__ = ["DocumentSentencizer"]
