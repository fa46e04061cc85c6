"""What the two evaluators are about, as Markdown."""

from evaluators.text.language import mark

RGB = mark(
    "How a model copes with noise, missing, scattered and false documents "
    "(Retrieval-Augmented Generation Benchmark)."
)
TRACE = mark("What in the documents matters, what the answer used, what nothing supports.")
