"""The official RGB files and the published prompt, from a host on this computer; their words here
are made up.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
import yaml

from evaluators.config import config
from evaluators.datasets import official
from evaluators.datasets.mapping import open_table
from evaluators.datasets.rgb import TestBed
from evaluators.errors import DatasetError, ParameterError
from evaluators.prompts import fill
from tests.datasets.files import json_lines
from tests.hub import Hub

ROW = {
    "id": 0,
    "query": "Who?",
    "answer": "Mina",
    "positive": ["Mina did."],
    "negative": ["It is green."],
}
INTEGRATION = ROW | {"answer": [["Mina"], ["Lea"]], "positive": [["Mina did."], ["Lea too."]]}
FACT = ROW | {"positive_wrong": ["Otto did."], "fakeanswer": "Otto"}
INSTRUCTION = {
    "en": {
        "system": "Be exact, it costs $5.",
        "instruction": "Document:\n{DOCS} \n\nQuestion:\n{QUERY}",
    },
    "zh": {"system": "请准确回答。", "instruction": "文档：\n{DOCS} \n\n问题：\n{QUERY}"},
}
PROMPTS = "/RGB/config/instruction.yaml"


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Hub]]:
    """`host(pages)` starts a host of files that is asked instead of the real one."""
    with ExitStack() as hubs:

        def start(pages: dict[str, bytes], **options: object) -> Hub:
            started = hubs.enter_context(Hub(pages=pages, **options))
            monkeypatch.setenv("PLUMBLINE_RGB_ADDRESS", f"{started.address}/RGB")
            return started

        yield start


def prompt_of(host, data, language="en"):
    host({PROMPTS: data})
    return official.prompt(language)


# Test beds


@pytest.mark.parametrize(
    ("bed", "row"),
    [
        (bed, INTEGRATION if bed.endswith("int") else FACT if bed.endswith("fact") else ROW)
        for bed in ("en", "en_refine", "en_int", "en_fact", "zh", "zh_refine", "zh_int", "zh_fact")
    ],
)
def test_each_of_the_eight_files_becomes_a_test_bed(host, bed, row):
    started = host({f"/RGB/data/{bed}.json": json_lines([row, row | {"id": 1}])})
    told = []

    fetched = official.fetch(bed, lambda here, in_all: told.append((here, in_all)))
    loaded = open_table(fetched.name, fetched.table)

    assert bed in official.BEDS
    assert isinstance(loaded.data, TestBed)
    assert (fetched.name, loaded.usable, loaded.problems) == (f"{bed}.json", 2, ())
    assert fetched.origin == {"rgb": {"address": f"{started.address}/RGB/data/{bed}.json"}}
    assert told[-1][0] == told[-1][1] > 0


def test_a_file_that_the_benchmark_does_not_have_is_not_asked_for(host):
    started = host({})

    with pytest.raises(
        DatasetError, match=re.escape("RGB has no file '../x'. Choose one of: en, en_refine,")
    ):
        official.fetch("../x")
    assert started.asked == []


def test_a_file_beyond_the_limit_is_refused(host, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_UPLOAD_BYTES", str(2**20))
    host({"/RGB/data/en.json": b"x" * 2 * 2**20})

    with pytest.raises(DatasetError, match=re.escape("en.json has more than 1 MB, the limit.")):
        official.fetch("en")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            "404",
            (
                "has no file data/en.json there. Check PLUMBLINE_RGB_ADDRESS. Download the "
                "file elsewhere and upload it."
            ),
        ),
        ("500", "answers with error 500. Try again later."),
        ("elsewhere", "says that data/en.json lies elsewhere, which is not followed."),
        ("cut", "broke off. Try again."),
    ],
)
def test_a_host_that_refuses_is_told(host, fault, message):
    started = host({"/RGB/data/en.json": json_lines([ROW])}, fault=lambda path: fault)

    with pytest.raises(DatasetError) as caught:
        official.fetch("en")
    assert message in str(caught.value)
    assert len(started.asked) == 1  # a redirect to another host is not followed


def test_without_a_connection_the_remedy_is_an_upload(monkeypatch):
    with Hub() as gone:
        address = gone.address
    monkeypatch.setenv("PLUMBLINE_RGB_ADDRESS", address)

    with pytest.raises(
        DatasetError,
        match=r"No connection to 127.0.0.1:.*Download the file elsewhere and upload it.",
    ):
        official.fetch("en")


@pytest.mark.parametrize("address", ["file:///etc", "ftp://host/x", "raw.githubusercontent.com"])
def test_the_address_is_one_of_the_web(monkeypatch, address):
    monkeypatch.setenv("PLUMBLINE_RGB_ADDRESS", address)

    with pytest.raises(ParameterError, match="PLUMBLINE_RGB_ADDRESS"):
        config()


# The prompt


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            (
                "Be exact, it costs $5.\n\nDocument:\n[1] Mina did.\n\n[2] Lea too. "
                "\n\nQuestion:\nWho?"
            ),
        ),
        ("zh", "请准确回答。\n\n文档：\n[1] Mina did.\n\n[2] Lea too. \n\n问题：\nWho?"),
    ],
)
def test_the_published_wording_becomes_a_template(host, language, expected):
    template = prompt_of(host, yaml.safe_dump(INSTRUCTION, allow_unicode=True).encode(), language)

    assert fill(template, "Who?", ("Mina did.", "Lea too.")).text == expected


def with_english(**parts):
    return json.dumps({"en": {"system": "s", "instruction": "{DOCS} {QUERY}", **parts}}).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"just text",
        b"- a\n- b",
        b"en: text",
        b"en: [system, instruction]",
        b"zh: {system: s, instruction: '{DOCS} {QUERY}'}",
        b"en: {system: s}",
        b"en: {system: 5, instruction: '{DOCS} {QUERY}'}",
        b"en: {system: s, instruction: '{DOCS}'}",
        b"en: {system: s, instruction: 'no blanks'}",
        b"en: {system: [s], instruction: '{DOCS} {QUERY}'}",
        b"en: {system: 'open",
        b"en: !!python/object/apply:os.system ['true']",
        b"en: {system: !!python/name:os.system '', instruction: '{DOCS} {QUERY}'}",
        b"\xff\xfe\x00",
        b"[" * 8000,
        b"- " * 4000,
        b"a: &a {x: 1}\n"
        + b"".join(
            b"%c: &%c {<<: [*%c, *%c, *%c]}\n" % (n, n, n - 1, n - 1, n - 1) for n in range(98, 122)
        ),
        with_english(system=None),
    ],
)
def test_another_file_than_the_prompts_is_refused(host, data):
    with pytest.raises(
        DatasetError, match=re.escape("instruction.yaml is not the benchmark's prompt file.")
    ):
        prompt_of(host, data)


def test_a_dollar_in_the_published_wording_is_only_text(host):
    template = prompt_of(host, with_english(system="$question ${x} $$"))

    assert fill(template, "Who?", ("Mina.",)).text == "$question ${x} $$\n\n[1] Mina. Who?"


def test_a_blank_of_another_kind_stays_text(host):
    template = prompt_of(host, with_english(system="{DOCS.__class__} {0} {QUERY:>99999999999}"))

    assert fill(template, "Who?", ()).text.startswith("{DOCS.__class__} {0} {QUERY:>99999999999}")


def test_a_prompt_file_beyond_the_limit_is_refused(host):
    with pytest.raises(DatasetError, match=re.escape("instruction.yaml has more than")):
        prompt_of(host, b"#" * 10_000)
