"""Every function that reads strangers' text, on hostile strings of 50,000 characters: `python -m
tests.attack.texts`.

The suite runs the same table, with long strings only where short ones are suspicious.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress

from evaluators.answer_match import AnswerMatchAcc
from evaluators.datasets.cells import lines, unpack
from evaluators.datasets.checks import checks
from evaluators.datasets.mapping import open_file
from evaluators.datasets.rgb import BedRow, TestBed
from evaluators.errors import PlumblineError
from evaluators.llm.durations import parse_duration
from evaluators.llm.keys import clean_address, clean_key, mask
from evaluators.llm.masking import Masker
from evaluators.llm.offline_reader import OfflineReader
from evaluators.llm.provider_errors import seconds_to_wait
from evaluators.llm.received import answer, parsed_body
from evaluators.llm.structured import parse
from evaluators.llm.verdicts import YesOrNo
from evaluators.prompts import check as check_prompt
from evaluators.prompts import fill, load
from evaluators.records import Dataset, Sample, Sentence, Sentences
from evaluators.report import marked
from evaluators.retrieval.dataset import retrieve
from evaluators.retrieval.documents import Document, unwrapped
from evaluators.retrieval.questions import questions
from evaluators.retriever_recall import RetrieverRecall
from evaluators.rgb_evaluator import RGBEvaluator, judge_says_yes
from evaluators.surrogates import without_surrogates
from evaluators.text.injection import suspicions
from evaluators.text.markup import html
from evaluators.text.normalise import is_chinese, nfkc, remove_reasoning, slug
from evaluators.text.phrases import Phrase, Search
from evaluators.text.sentences import split_sentences
from evaluators.text.similarity import terms
from evaluators.text.size import tokens
from evaluators.text.spreadsheet import safe, unsafe
from evaluators.trace.claims import is_refusal, unsupported_entities
from tests.hostile import TooSlowError, check, strings
from ui.parts.untrusted import plain

LONG = (50_000,)
"""Characters of the strings when this module is run."""


def limit(name: str) -> float:
    """Seconds a character: a sentence or a row costs its time however short it is, and the shortest
    has two letters. Three times what it takes on a usual machine, as some are slower.
    """
    return 300e-6 if name.startswith("file") else 180e-6


RGB = RGBEvaluator()


def row(**changes: object) -> bytes:
    """A file of one row."""
    whole = {
        "question": "Who?",
        "response": "Anna.",
        "contexts": ["Anna won."],
        "ground_truth": "Anna",
    }
    return (json.dumps({**whole, **changes}) + "\n").encode()


def ragbench(text: str) -> bytes:
    """A RAGBench row whose sentences are this text."""
    return row(
        documents=[text],
        documents_sentences=[[["0a", text]]],
        response_sentences=[["a", text]],
        all_relevant_sentence_keys=["0a"],
        all_utilized_sentence_keys=[text],
        sentence_support_information=[],
        unsupported_response_sentence_keys=[],
    )


def bed(text: str) -> TestBed:
    """A test bed whose answer is half of a document of noise."""
    answer = text[: len(text) // 2] + "b"
    row = BedRow(id="1", query="Who?", answer=answer, positive=[text], negative=[text + "b7"])
    return TestBed(name="b", rows=(row,))


def about(text: str) -> Dataset:
    """A data set with the text in every place."""
    return Dataset(
        name="d",
        samples=(Sample(id="1", question=text, response=text, retrieved_documents=(text,)),),
    )


def one_sentence(response: str, document: str) -> Sentences:
    return Sentences(
        documents=((Sentence(key="0a", text=document),),),
        response=(Sentence(key="a", text=response),),
    )


def read_offline(question: str, document: str) -> None:
    OfflineReader().complete(fill(load("rgb_en"), question, (document,)))


def search(text: str) -> None:
    sample = Sample(id="1", question=text)
    retrieve([Document("a.txt", text)], [sample])


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "split_sentences": split_sentences,
    "terms": terms,
    "nfkc": nfkc,
    "remove_reasoning": remove_reasoning,
    "is_chinese": is_chinese,
    "slug": slug,
    "without_surrogates": without_surrogates,
    "suspicions": suspicions,
    "spreadsheet": lambda text: unsafe(safe(text)),
    "places": lambda text: list(
        Search([Phrase(text[: len(text) // 2] + "b"), Phrase(text[:3], "answer")]).places(text)
    ),
    "TRACE: refusal": is_refusal,
    "TRACE: numbers and names": lambda text: unsupported_entities(
        one_sentence(text, text[::-1]), "Who?"
    ),
    "answer match": lambda text: AnswerMatchAcc(type="fuzzy_match").compute(
        [text], [text[len(text) // 2 :] + "b"]
    ),
    "answer match: F1": lambda text: AnswerMatchAcc(type="f1_score").compute([text], [text[1:]]),
    "RGB: correct": lambda text: RGB.correctness(
        text, (text[1:], (text[2:] + "b", text[: len(text) // 2]))
    ),
    "RGB: rejection": RGB.rejection,
    "RGB: detection": lambda text: RGB.detection(text, text[1:] + "b"),
    "RGB: a judge's verdict": judge_says_yes,
    "retriever recall": lambda text: RetrieverRecall().compute(
        [[text]], [[text[1:] + "b", text[2:]]]
    ),
    "offline reader: question": lambda text: read_offline(
        text, "The tower was built in 1889 by Gustave Eiffel."
    ),
    "offline reader: both": lambda text: read_offline(text, text),
    "a judge's JSON": lambda text: parse(text, YesOrNo),
    "a judge's JSON: inside": lambda text: parse(
        f'{{"reason": "x{text}", "verdict": "yes"}}', YesOrNo
    ),
    "tokens": tokens,
    "a prompt of one's own": check_prompt,
    "mask": mask,
    "mask: a key that is known": Masker("MARKEDKEY-7f3a9c1e5b2d4860aabbccdd", "pass-word-1!"),
    "key": clean_key,
    "address": lambda text: clean_address(f"http://{text}"),
    "a provider's body": lambda text: answer(parsed_body(text.encode(errors="surrogatepass"))),
    "a provider's body: inside": lambda text: answer(
        parsed_body(f'{{"choices": [{text}'.encode(errors="surrogatepass"))
    ),
    "a provider's wait": lambda text: seconds_to_wait(
        {"retry-after": text}, f"try again in {text}"
    ),
    "a provider's reset": parse_duration,
    "plain": plain,
    "html": html,
    "marks of RGB": lambda text: marked.text_with_marks(
        text,
        marked.Marks(
            {
                "pl-true": [Phrase(text[: len(text) // 2], "answer")],
                "pl-decided": [Phrase(text[1:] + "b", "whole words"), Phrase(text[:2])],
            }
        ),
    ),
    "cell: list": lambda text: unpack(f"['a', {text}]"),
    "cell: text in a list": lambda text: unpack(f"['a' '{text}']"),
    "cell: lines": lines,
    "cell: LangChain": lambda text: unpack(f"[Document(page_content={text})]"),
    "checks: test bed": lambda text: checks(bed(text)),
    "checks: samples": lambda text: checks(about(text)),
    "file: JSON Lines": lambda text: open_file("a.jsonl", row(response=text, contexts=text)),
    "file: a name of a column": lambda text: open_file(
        "a.jsonl", row(**{text: "x", f"{text}1": "x"})
    ),
    "file: RAGBench": lambda text: open_file("a.jsonl", ragbench(text)),
    "file: JSON": lambda text: open_file(
        "a.json", f'[{{"question": "{text}'.encode(errors="surrogatepass")
    ),
    "file: CSV": lambda text: open_file(
        "a.csv", f"question,response\n{text},{text}".encode(errors="surrogatepass")
    ),
    "file: header": lambda text: open_file(
        "a.csv", f"question,{text}\na,b".encode(errors="surrogatepass")
    ),
    "file: anything": lambda text: open_file("a.txt", text.encode(errors="surrogatepass")),
    "file: other bytes": lambda text: open_file(
        "a.csv", b"question\n\x81\xff" + text.encode(errors="surrogatepass")
    ),
    "questions": lambda text: questions("a.txt", text.encode(errors="surrogatepass")),
    "document: lines of a page": lambda text: unwrapped("\n".join(["word " * 12] * 9 + [text])),
    "document: search": search,
}
"""By what it does for a person."""


def refusing(function: Callable[[str], object]) -> Callable[[str], object]:
    """The function, whose refusal of a text is an answer too."""

    def use(text: str) -> None:
        with suppress(PlumblineError, ValueError):
            function(text)

    return use


def main() -> int:
    slow = 0
    for name, function in FUNCTIONS.items():
        function = refusing(function)
        for make in strings():
            try:
                check(function, [make], LONG, limit(name))
            except TooSlowError as error:
                slow += 1
                print(f"{name}: {error}", flush=True)
    print(
        f"{len(FUNCTIONS)} functions, {len(list(strings()))} strings of {LONG[0]:,} "
        f"characters: {slow} too slow"
    )
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
