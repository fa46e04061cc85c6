"""What the two evaluators are about, as Markdown."""

RGB = (
    "How a model copes with noise, missing, scattered and false documents "
    "(Retrieval-Augmented Generation Benchmark)."
)
TRACE = (
    "u**T**ilization, **R**elevance, **A**dherence, **C**ompl**E**teness: what in the documents "
    "matters, what the answer used, what nothing supports."
)
