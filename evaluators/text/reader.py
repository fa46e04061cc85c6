"""Words to the reader: "Let me know if you need anything else!", "Sure! Here is the answer:".

They claim nothing. What is known by its first words is let through only where all the rest is
courtesy, or what the courtesy is about, without a number: "Let me know whether the plan costs 20
dollars" may be a claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from evaluators.text.marks import states_something
from evaluators.text.normalise import IDEOGRAPHS, nfkc
from evaluators.text.word_lists import words_in

_SIGNS = (
    *("let me", "let us", "just ask", "hope", "free to", "hesitate", "happy to", "glad to"),
    *("here is", "here are", "here'", "here’", "below is", "below are", "anything else"),
    *("something else", "question", "would you", "do you", "if you", "should you", "want me"),
    *("i can", "i could", "can i ", "could i", "may i ", "shall i", "should i", "welcome"),
    *("thank", "sure", "certainly", "of course", "absolutely", "good luck", "regards"),
    *("reach out", "pleasure", "have a ", "hello", "hi!", "hi,", "cheers", "no problem", "concern"),
    *("doubts", "lass", "bescheid", "hoffe", "frage", "nachfrage", "kann ich", "soll ich", "gern"),
    *("melde", "klar", "viel ", "vielen", "danke", "hallo", "hier ist", "hier sind", "erfolg"),
    *("selbstverst", "here to", "let's", "let’s", "great!", "great question", "okay", "ok, so"),
    *("hey", "enjoy", "take care", "gute", "schöne", "make sense", "makes sense", "i trust"),
    *("based", "for more", "for further", "any other", "answering", "to answer"),
    *("final answer", "answer:", "summary:", "conclusion:", "points:", "takeaway", "tl;dr"),
    *("antwort:", "fazit:"),
)
_BY_LETTER = groupby(sorted(_SIGNS), key=lambda sign: sign[0])
_OF_LETTER = [
    f"{letter}(?:{'|'.join(re.escape(sign[1:]) for sign in signs)})" for letter, signs in _BY_LETTER
]
_SIGN = re.compile(rf"[\W_](?:{'|'.join(_OF_LETTER)})")
"""A word to the reader holds one of these; they are looked for first, at the starts of words by
their letters, because that is far faster."""
_FURTHER_SIGNS = (
    *("希望", "随时", "问题", "疑问", "请", "高兴", "乐意", "不客气", "谢", "祝", "当然", "好的"),
    *(
        "以下",
        "下面",
        "您好",
        "你好",
        "根据",
        "总之",
        "答案",
        "回答",
        "总结",
        "结论",
        "如需",
        "需要",
        "没问题",
        "什么",
        "ü",
        "ö",
    ),
)
"""Those of texts that are not ASCII, anywhere."""

_MORE = r"(?:more|other|further|additional|follow-up)"
_COURTESY = re.compile(
    "|".join(
        (
            r"\blet (?:me|us) know\b|\bjust ask\b|\bfeel free\b|\bhesitate\b|\breach out\b",
            r"^\W*hope\b|\bhope (?:this|that|it|these|the|my|i|you)\b",
            r"\b(?:happy|glad|delighted|pleased|here|available) to "
            r"(?:help|assist|answer|elaborate|explain|clarify|provide|discuss|support)\b",
            rf"\banything else\b|\b(?:any|{_MORE}) (?:\w+ )?(?:questions?|concerns?|doubts?)\b",
            rf"\b(?:need|like|want) (?:any |some )?{_MORE} "
            r"(?:information|info|details?|help|assistance|clarification)\b",
            r"\bneed (?:any )?(?:help|assistance)\b|\b(?:can|may|could) i (?:help|assist)\b",
            r"\byou(?:'re| are) (?:very |most |always |so )?welcome\b",
            r"\b(?:my pleasure|no problem|good luck|(?:best|kind|warm) regards|sincerely|cheers)\b",
            r"\bthank(?:s| you)\b|\b(?:great|good|excellent) question\b",
            r"\blet me (?:explain|clarify|elaborate|summari[sz]e|answer|walk|break)\b",
            r"\blet's (?:break|look|dive|go|walk|take|start)\b|\bpleasure to\b",
            r"\bi trust (?:this|that)\b|\bdoes (?:this|that|it) (?:make sense|answer|help)\b",
            r"^\W*(?:great|perfect|okay|hey)\W*$|\benjoy\b|\btake care\b|\bthis is based\b",
            r"\b(?:answer|response|information|summary) (?:is|was) (?:\w+ )?based (?:\w+ )?on\b",
            rf"\bfor (?:any )?{_MORE} (?:information|details?|assistance|help|questions?),? "
            r"(?:please )?(?:contact|ask|let|reach)\b",
            r"\bhave a (?:great|nice|good|wonderful|lovely)\b|\bhere(?:'s| is| are)\b",
            r"^\W*(?:sure|certainly|of course|absolutely|definitely|hello|hi|hey)\b",
            r"\bwissen lassen\b|\blass(?:en sie)? (?:es )?(?:mich|uns)\b|\bbescheid\b|\bhoffe",
            r"^\W*(?:natürlich|selbstverständlich|klar|gerne?|danke|hallo)\b|\bzöger",
            r"\b(?:rück|nach)?fragen?\b|\bschöne[nrs]? (?:tag|abend|wochenende)\b",
            r"\bzur verfügung\b|\bmelden? (?:sie )?(?:sich|dich)\b",
            r"\bkann ich (?:dir|ihnen|euch|sonst|noch)\b|\b(?:gerne?|bitte) geschehen\b",
            r"\bgrüßen?\b|\bviel (?:erfolg|spaß|glück)\b|\bvielen dank\b|\bhier (?:ist|sind)\b",
        )
    )
)
"""What words to the reader are known by, in lower case."""
_ABOUT = frozenset(["about", "regarding", "concerning", "on", "with", "zu", "zum", "zur", "über"])
_OFFER = re.compile(
    r"^\W*(?:(?:would you|do you) (?:like|want|prefer|need)\b|want me to\b"
    r"|(?:shall|should|may|can|could) i (?:also )?"
    r"(?:help|assist|explain|provide|show|give|go|continue)\b"
    r"|if you(?:'d| would)? (?:like|want|wish|prefer|need)\b[^,]{0,40}, i (?:can|could|will)\b"
    r"|i (?:can|could) (?:also\b|[^,]{0,60}\bif you\b)|i(?:'d| would) be happy to\b"
    r"|soll ich\b|möchten sie\b|möchtest du\b)"
)
_LEADS_IN = re.compile(
    r"(?:^|, )(?:here(?:'s| is| are)|below (?:is|are)|hier (?:ist|sind))\b[^:]*+:\W*$"
)
_TURN = re.compile(
    r"\b(?:that|because|since|as|but|while|although|which|dass|weil|da|aber)\b|[:;(]"
)
_CHINESE = re.compile(
    r"希望(?:这|以上|上述|我|本|能|可以|对您|对你|回答|答案).{0,16}(?:帮|用|满意|清楚)"
    r"|(?:随时|尽管|欢迎).{0,6}(?:告诉|告知|联系|提问|问我|咨询|提出|与我|找我|让我知道)|让我知道"
    r"|(?:您|你)?(?:还|如).{0,8}(?:问题|疑问|需要|不清楚)|(?:需要|想).{0,6}(?:更多|进一步).{0,8}(?:信息|帮助|说明|了解)"
    r"|什么.{0,6}(?:帮|为)(?:您|你)|(?:高兴|乐意).{0,6}(?:帮|为您|为你|回答|解答)|不客气|^祝(?:您|你|好)|^(?:谢谢|感谢)(?:您|你)?"
    r"|^(?:当然|好的|没问题|您好|你好)(?:可以)?\W*$|(?:需要|要不要)我.{0,10}吗|^如需.{0,12}(?:联系|告诉|告知)"
)
_CHINESE_LEADS_IN = re.compile(r"(?:以下|下面)(?:就)?(?:是|为).{0,30}[:：]\W*$")
_CHINESE_TURN = re.compile(r"因为|所以|但|由于|因此|而且|价格|[：；]")
_OPENING = re.compile(
    r"\s*+(?:(?:sure(?: thing)?|certainly|of course|absolutely|great|okay|hello|hi(?: there)?|hey"
    r"|natürlich|selbstverständlich|gerne|klar|hallo|好的|当然|您好|你好)[!,，！]\s*"
    r"|(?:okay|ok),? so,?\s)?"
    r"(?:(?:here(?:'s|’s| is| are)|below (?:is|are)|let(?:'s|’s| me)|answering your|to answer your"
    r"|hier (?:ist|sind)|以下是|下面是)[^:：.!?。]{0,100}[:：]\s*)?"
    r"(?:(?:(?:the|short|final|direct|key|main)\s){0,4}+(?:answer|summary|conclusion|points|takeaways?"
    r"|tl;dr|antwort|zusammenfassung|fazit|答案|回答|总结|结论)[:：]\s*)?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*+")
_DIGIT = re.compile(r"\d")
# "Here are 5 tips:" counts what follows.
_NUMBER = re.compile(r"\d\d|\d[.,]\d")
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
MOST_ABOUT = 10
"""Words of what a courtesy is about."""
MOST_WORDS = 30
"""Words of a word to the reader."""
MOST_CHARACTERS = 40
"""Characters of a Chinese courtesy."""


def without_opening(text: str) -> str:
    """The text without "Sure! Here is the answer:" and the like at its beginning."""
    return _OPENING.sub("", text, count=1)


def may_speak(lower: str) -> bool:
    """Whether a part of a text in lower case may be words to the reader."""
    if _SIGN.search(f" {lower}"):
        return True
    return not lower.isascii() and any(sign in lower for sign in _FURTHER_SIGNS)


def speaks_to_reader(part: str) -> bool:
    """Whether a part of a text up to its stop only speaks to the reader."""
    lower = nfkc(part).lower().strip()
    if not may_speak(lower):
        return False
    if ":" in lower and _LEADS_IN.search(lower) and not _NUMBER.search(lower):
        return True
    if _DIGIT.search(lower):
        return False
    if not lower.isascii() and _IDEOGRAPH.search(lower):
        if len(lower) > MOST_CHARACTERS or _CHINESE_TURN.search(lower):
            return _CHINESE_LEADS_IN.search(lower) is not None
        return _CHINESE.search(lower) is not None
    words = _WORD.findall(lower)
    if len(words) > MOST_WORDS:
        return False
    if _OFFER.match(lower) and not _TURN.search(lower):
        return True
    # The pattern last: it takes longest.
    return _is_courtesy(lower, words) and _COURTESY.search(lower) is not None


def _is_courtesy(lower: str, words: Sequence[str]) -> bool:
    """Whether all is courtesy, but for the end that says what it is about."""
    courtesy = words_in("courtesy.txt")
    named = next((number for number, word in enumerate(words) if word not in courtesy), None)
    if named is None:
        return True
    about = [number for number in range(named + 1) if words[number] in _ABOUT]
    if not about:
        return False
    tail = words[about[-1] :]
    is_clause = _TURN.search(lower) or states_something(" ".join(tail))
    return len(tail) <= 1 + MOST_ABOUT and not is_clause
