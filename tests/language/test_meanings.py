"""One text has one meaning: English has words of two that another language keeps apart.

"Right" is a side or correct, and a catalogue by text alone knows one translation for both. So
whoever says such a word in a second sense gives it a context, and names of their own, as those of
providers, are in no catalogue.
"""

from evaluators.llm.providers import PROVIDERS
from evaluators.runs.glossary import terms
from evaluators.text.language import COUNTED, PLACES, say, speaking
from tests.language.messages import Text, places_of_texts

MEANINGS = {
    "abilities": "what RGB tests",
    "ability": "what RGB tests",
    "advanced": "settings for those who know",
    "all": "every one of those asked about",
    "answer": "what a model answered",
    "answers": "gives an answer",
    "asked": "the question that is judged",
    "batch": "many rows at once",
    "beside": "what else counts for it",
    "budget": "the most calls",
    "calls": "calls of a model",
    "check": "to check the run's labeller",
    "checked": "was checked",
    "class": "those who take part in a round",
    "clear": "to empty a choice or what is kept",
    "collect": "to fetch what was answered overnight",
    "compare": "to lay side by side",
    "comparing": "while two are compared",
    "corrected": "after people's labels",
    "cost": "what is paid",
    "datasets": "the page of data sets",
    "date": "the day",
    "declines": "gives no answer, and says so",
    "delete": "to delete",
    "details": "what else is known",
    "difference": "one value less another",
    "documents": "the texts that were retrieved",
    "done": "labelled to the end",
    "empty": "holds no text",
    "failed": "could not be checked",
    "failures": "why it could not be checked",
    "file": "a file",
    "first": "of two sides",
    "forget": "to let a key, a name or a system go",
    "formula": "how a value is worked out",
    "free": "costs nothing",
    "group": "a group of rows",
    "high": "of a value",
    "home": "the first page",
    "id": "the name of a row",
    "judges": "the LLMs that label",
    "keywords": "the rule by keywords",
    "label": "to label",
    "labeller": "who labels",
    "labels": "what was labelled",
    "leaderboard": "systems by data sets, with ranks",
    "learn": "the page of lessons",
    "left": "the side",
    "load": "to fetch data",
    "low": "of a value",
    "meaning": "what a value means",
    "metric": "what is measured",
    "metrics": "what is measured",
    "middle": "of a value",
    "model": "an LLM",
    "models": "LLMs",
    "more": "further things to read or do",
    "name": "what something is called",
    "next": "the one after this one",
    "nickname": "what a participant is called",
    "no": "the answer to a question",
    "none": "not one of them",
    "not": "not supported",
    "note": "what somebody wrote about it",
    "nothing": "who labels says nothing",
    "numbers": "the values as a table",
    "open": "to open",
    "outcome": "what a check came to",
    "partly": "partly supported",
    "paused": "of a round",
    "people": "those who label, beside a labeller",
    "preview": "of a model",
    "previous": "the one before this one",
    "prompt": "what a model is sent",
    "question": "what is asked of the documents",
    "questions": "what is asked of the documents",
    "rates": "shares of answers",
    "reading": "while a file is read",
    "reason": "why a judge says so",
    "rename": "to rename",
    "repeat": "which of several answers",
    "repeats": "how often each is asked",
    "results": "what came out",
    "reveal": "to show what was hidden",
    "right": "correct",
    "round": "of a class",
    "row": "of a file",
    "rows": "how many rows",
    "rules": "those of RGB",
    "run": "an evaluation",
    "runs": "evaluations",
    "samples": "questions with their answers",
    "save": "to keep",
    "search": "to find",
    "searching": "while documents are found",
    "second": "of two sides",
    "seed": "what decides the draw",
    "settings": "the page of settings",
    "share": "to hand on",
    "skip": "to leave out",
    "skipped": "left out",
    "stopped": "of a run",
    "system": "what answered, beside others",
    "tags": "words on a run or a sample",
    "threshold": "the probability from which a label counts",
    "title": "what a run is called",
    "undo": "to take back",
    "undefined": "cannot be worked out",
    "unknown": "not known",
    "value": "a number of a metric",
    "verdict": "what a labeller decided",
    "waiting": "time without work",
    "what": "which thing",
    "when": "at which time",
    "why": "the reason",
    "wrong": "of an answer",
    "yes": "the answer to a question",
    "you": "who looks",
}
"""The words that several files say by themselves, each with the one thing that it means there.

Those of the glossary have their meaning there.
"""

ALSO_ELSEWHERE = {
    "Another number": {"evaluators/flaws/planting.py"},
    "Back": {"ui/round/material.py"},
    "Next": {"ui/parts/present.py", "ui/sample/view.py", "ui/static/label.js"},
    "Reason": {"ui/sample/view.py"},
    "Right": {"evaluators/report/picked.py", "ui/rgb/results.py"},
    "nothing": {"ui/learn/trace.py"},
    "right": {
        *("evaluators/abilities.py", "ui/rgb/results.py", "ui/sample/repeats.py"),
    },
    "wrong": {"ui/rgb/results.py", "ui/sample/repeats.py"},
}
"""Where texts of two meanings stand without a context, in the sense of the table above."""


def contexts():
    """The contexts of each text, those of counted nouns left out."""
    found = {}
    for text in places_of_texts():
        if text.context not in (COUNTED, PLACES):
            found.setdefault(text.english, set()).add(text.context)
    return found


def test_a_word_that_several_files_say_has_one_meaning_or_a_context():
    defined = {term.title.lower() for term in terms().values()}
    unclear = {
        text.english
        for text, files in places_of_texts().items()
        if text.context is None and text.english.isalpha() and len(files) > 1
        if text.english.lower() not in defined | MEANINGS.keys()
    }
    assert not unclear, "what do they mean? In another sense than there, say it with a context"


def test_the_table_of_meanings_has_no_word_that_nobody_says():
    assert not MEANINGS.keys() - {text.english.lower() for text in places_of_texts()}


def test_a_text_of_two_meanings_says_without_a_context_what_it_said_before():
    of_two = {english for english, named in contexts().items() if named > {None}}
    files = {english: places_of_texts()[Text(None, english)] for english in of_two}
    assert files == ALSO_ELSEWHERE, "in which of the two senses?"


def test_names_of_providers_are_not_translated():
    named = {provider.title for provider in PROVIDERS.values()} - {"Custom endpoint"}
    assert not named & contexts().keys()


def test_the_right_side_is_not_the_correct_one():
    with speaking("zh_CN"):
        assert say("Right", "side") == "右边"
        assert say("Right") == "正确"
        assert [say(provider.title) for provider in PROVIDERS.values()].count("Together") == 1
