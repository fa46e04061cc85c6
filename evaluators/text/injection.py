"""Words in a text that look like instructions to a judge; they are told to people and change no
score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from evaluators.records import Sentence, Sentences
from evaluators.text.normalise import nfkc


class _Kind(NamedTuple):
    """One way of speaking to a judge; the pattern is tried only where one of the words stands,
    which saves time.
    """

    meaning: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]


def _kind(meaning: str, words: str, *patterns: str) -> _Kind:
    return _Kind(meaning, tuple(words.split("|")), re.compile("|".join(patterns), re.IGNORECASE))


_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_FIELDS = (
    "relevance_explanation|all_relevant_sentence_keys|overall_supported|sentence_support_information|"
    "supporting_sentence_keys|response_sentence_key|fully_supported|all_utilized_sentence_keys"
)
_READER = (
    "(ai )?(judge|evaluator|grader|annotator|labell?er|reviewer|assistant|ai|llm|language "
    "model|chatbot)s?"
)
_KINDS = (
    _kind(
        "tells the reader to ignore its instructions",
        "instruct|instruc|istruz|prompt|guideline|direction|anweisung|指令|指示|说明|提示|要求",
        r"\b(ignore|disregard|forget|override|bypass)\b[^.!?]{0,30}\b(instruction|prompt|guideline|direction)s?\b",
        r"\b(ignore[rz]?|ignora|oubliez|olvida|ignoriere|vergiss)\b[^.!?]{0,30}"
        r"\b(instructions|instrucciones|istruzioni|instruç[õo]es|anweisung(en)?)\b",
        r"(忽略|无视|忘记)[^。！？]{0,12}(指令|指示|说明|提示|要求)",
    ),
    _kind(
        "speaks to the judge",
        "note|message|instruction|attention|dear|hey|to the |to any |to all |you are "
        "|you must|you should|you will"
        "|评判|评估|评审|标注",
        r"\b(note|message|instructions?|attention|dear|hey)\b,?( "
        rf"(to|for|the|all|any|an?|you))* {_READER}\s*"
        r"[:,!.]",
        rf"\bto (the|any|all) {_READER}\s*:",
        rf"\byou are (now )?(an?|the|my) ([a-z]+ ){{0,2}}{_READER}\b",
        rf"\bas (an?|the) {_READER},? you (must|should|will|are)\b",
        r"(评判|评估|评审|标注)(者|员|人|模型)?[^。！？]{0,6}(请|必须|应)",
    ),
    _kind(
        "asks for a verdict",
        "supported|relevant|utilized|utilised|as true|as correct|标记|标注|判定|视为",
        r"\b(mark|label|rate|score|judge|treat|classify|report|consider)\b[^.!?]{0,40}"
        r"\b(sentences?|responses?|answers?|claims?|everything|keys?|documents?)\b[^.!?]{0,20}"
        r"\bas ([a-z]+ )?(supported|unsupported|relevant|irrelevant|utili[sz]ed|true|correct)\b",
        r"(标记|标注|判定|视)为[^。！？]{0,6}(支持|相关|正确)",
    ),
    _kind("names a field of the labels", _FIELDS, rf"\b({_FIELDS})\b"),
    _kind(
        "looks like the frame of a prompt",
        "<|[inst|[/inst|system:|assistant:|prompt:|message:|instruction:|instructions:",
        r"<\|?/?(im_start|im_end|system|assistant|user|endoftext|start_header_id)\b[^>]{0,40}>",
        r"</?(documents?|response|answer|question|context|instructions?)( [^>]{0,40})?>",
        r"\[/?INST\]|<</?SYS>>|^\W*(system|assistant)( prompt| message)?:|\bnew (system "
        r")?instructions?:",
    ),
    _kind(
        "prescribes the answer's form",
        "json|{|only|exactly",
        r"\b(respond|reply|answer|output|return|print|write)\b( with)? "
        r"(only|just|exactly|nothing but)\b[^.!?]{0,30}"
        r"(\bjson\b|\{)",
    ),
)


def suspicions(text: str) -> list[str]:
    """What in the text looks like an instruction to a judge, in plain words; empty where nothing
    does.
    """
    return _found(_plain(text), _KINDS)


def warnings(sentences: Sentences, question: str) -> tuple[str, ...]:
    """Where material may speak to the judge: "0b: tells the reader to ignore its instructions"."""
    cut = [sentence for document in sentences.documents for sentence in document]
    places = [*cut, *sentences.response, Sentence(key="question", text=question)]
    plain = [_plain(place.text) for place in places]
    kinds = _possible("\n".join(plain), _KINDS)
    if not kinds:
        return ()
    found = ((place.key, _found(text, kinds)) for place, text in zip(places, plain, strict=True))
    return tuple(f"{key}: {meaning}" for key, meanings in found for meaning in meanings)


def _plain(text: str) -> str:
    return text if text.isascii() else _INVISIBLE.sub("", nfkc(text))


def _found(plain: str, kinds: Sequence[_Kind]) -> list[str]:
    return [kind.meaning for kind in _possible(plain, kinds) if kind.pattern.search(plain)]


def _possible(plain: str, kinds: Sequence[_Kind]) -> list[_Kind]:
    lower = plain.lower()
    return [kind for kind in kinds if any(map(lower.__contains__, kind.words))]
