"""A stand-in for a judge that labels a sample by the words its sentences share.

    server = loopback(answer=judge.labels_for)
    evaluator = AdvancedRAGEvaluator(llm_client=FakeLLM(judge.labels_for))

It reads only what a labelling prompt says, as a model would.
"""

import json
import re

from evaluators.trace.labelling_prompt import labelling_template

FIRST_LINES = tuple(
    labelling_template(name).partition("\n")[0] for name in ("plumbline", "ragbench")
)

_WORD = re.compile(r"\w{3,}")
_SILENT = re.compile(r"\b(do not|does not|cannot|can not)\b|:$")
_KEYED = re.compile(r"^(\d*[a-z]+)[:.] (.*)$", re.MULTILINE)
_PUBLISHED_FENCE = re.compile(r"^``` (\w{16})\n(.*?)\n?``` \1$", re.MULTILINE | re.DOTALL)
"""In RAGBench's prompt: documents, question and response, in this order."""
_FULL_FROM, _PARTIAL_FROM = 0.6, 0.3


def is_labelling(prompt_text: str) -> bool:
    """Whether this is a labelling prompt."""
    return prompt_text.startswith(FIRST_LINES)


def labels_for(prompt_text: str) -> str:
    """The six fields as JSON: a sentence is relevant, utilized or supporting if enough of its words
    are shared.
    """
    return json.dumps(labels(prompt_text), ensure_ascii=False)


def labels(prompt_text: str) -> dict[str, object]:
    """The six fields, for tests that change some of them before they are sent."""
    documents = dict(_KEYED.findall(material(prompt_text, "documents")))
    response = dict(_KEYED.findall(material(prompt_text, "response")))
    supports = [_support(key, text, documents) for key, text in response.items()]
    utilized = sorted({key for support in supports for key in support["supporting_sentence_keys"]})
    asked = _words(material(prompt_text, "question"))
    relevant = [key for key, text in documents.items() if key in utilized or asked & _words(text)]
    return {
        "relevance_explanation": f"{len(relevant)} sentences share words with the question or the response.",
        "all_relevant_sentence_keys": relevant,
        "overall_supported_explanation": "Every sentence was compared word by word.",
        "overall_supported": all(support["fully_supported"] for support in supports),
        "sentence_support_information": supports,
        "all_utilized_sentence_keys": utilized,
    }


def material(prompt_text: str, name: str) -> str:
    """What stands between the marks of "documents", "question" or "response"."""
    found = re.search(
        rf"^<{name} (\w+)>\n(.*?)\n?</{name} \1>$", prompt_text, re.MULTILINE | re.DOTALL
    )
    if found:
        return found[2]
    published = _PUBLISHED_FENCE.findall(prompt_text)
    if len(published) != 3:
        raise ValueError(f"The prompt has no fence around {name}.")
    return published[("documents", "question", "response").index(name)][1]


def _support(key: str, text: str, documents: dict[str, str]) -> dict[str, object]:
    claim = _words(text)
    shares = {
        name: len(claim & _words(other)) / len(claim or {0}) for name, other in documents.items()
    }
    best = max(shares.values(), default=0.0)
    is_silent = not claim or bool(_SILENT.search(text))
    carrying = [name for name, share in shares.items() if share == best >= _PARTIAL_FROM]
    return {
        "response_sentence_key": key,
        "explanation": f"{best:.0%} of its words stand in one document sentence.",
        "supporting_sentence_keys": [] if is_silent else carrying[:1],
        "fully_supported": is_silent or best >= _FULL_FROM,
    }


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
