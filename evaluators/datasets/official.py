"""The files of the RGB benchmark (arXiv 2309.01431) and the wording of its prompts, as its
repository has them.

They are fetched from the address in the configuration when they are asked for; none is part of
Plumbline.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from evaluators.config import config
from evaluators.datasets.download import REMEDY, SECONDS, Fetched, Progress, in_words, received
from evaluators.datasets.readers import read
from evaluators.errors import DatasetError, PromptError
from evaluators.prompts import check
from evaluators.text.language import mark, say

BEDS = {
    "en": mark("English: noise, rejection"),
    "en_refine": mark("English: noise, rejection (refined)"),
    "en_int": mark("English: information integration"),
    "en_fact": mark("English: counterfactual robustness"),
    "zh": mark("Chinese: noise, rejection"),
    "zh_refine": mark("Chinese: noise, rejection (refined)"),
    "zh_int": mark("Chinese: information integration"),
    "zh_fact": mark("Chinese: counterfactual robustness"),
}
"""The test beds by the names of their files, with what they test."""

PROMPTS = "config/instruction.yaml"
PROMPT_BYTES = 2**13
MOST_BRACKETS = 40
"""Each costs PyYAML as much time as there are open ones: some thousand of them keep it busy for a
minute.
"""


def fetch(bed: str, on_progress: Progress | None = None) -> Fetched:
    """The rows of a test bed; raises `DatasetError` where they cannot be had."""
    if bed not in BEDS:
        raise DatasetError(
            say(
                "RGB has no file {name!r}. Choose one of: {choices}.",
                name=bed[:60],
                choices=", ".join(BEDS),
            )
        )
    path = f"data/{bed}.json"
    data = _checked_bytes(path, config().upload_bytes, on_progress)
    name = f"{bed}.json"
    origin = {"rgb": {"address": _address_of_file(path)}}
    return Fetched(name, read(name, data), origin)


def prompt(language: str) -> str:
    """The published prompt for English ("en") or Chinese ("zh") as a template.

    It has the blanks $question and $documents; its words are those of the benchmark. The benchmark
    sends the first part as a system message and joins the documents by line ends; here all of it is
    one message, and the documents are numbered as always.
    """
    parts = _parts_of_prompt(_checked_bytes(PROMPTS, PROMPT_BYTES), language)
    text = "\n\n".join(part.strip() for part in parts)
    # A dollar of its own would begin a blank.
    text = text.replace("$", "$$")
    template = text.replace("{DOCS}", "$documents").replace("{QUERY}", "$question")
    try:
        check(template)
    except PromptError as error:
        raise _unreadable() from error
    return template


def _parts_of_prompt(data: bytes, language: str) -> tuple[str, str]:
    """What the file says for a language: the system message and the instruction."""
    import yaml

    try:
        text = data.decode()
        if text.count("[") + text.count("{") > MOST_BRACKETS:
            raise _unreadable()
        events = yaml.parse(text, yaml.SafeLoader)
        # By them a few lines can stand for millions
        if any(isinstance(event, yaml.AliasEvent) for event in events):
            raise _unreadable()
        found: Any = yaml.safe_load(text)[language]
        parts = found["system"], found["instruction"]
    except (ValueError, KeyError, TypeError, RecursionError, yaml.YAMLError) as error:
        raise _unreadable() from error
    if not all(isinstance(part, str) for part in parts):
        raise _unreadable()
    return parts


def _unreadable() -> DatasetError:
    return DatasetError(
        say(
            "{address} is not the benchmark's prompt file. Check PLUMBLINE_RGB_ADDRESS.",
            address=_address_of_file(PROMPTS),
        )
    )


def _checked_bytes(path: str, limit: int, on_progress: Progress | None = None) -> bytes:
    """A file of the repository; no other address is asked for it."""
    import httpx2

    address, name = _address_of_file(path), path.rpartition("/")[2]
    headers = {"accept-encoding": "identity"}
    with (
        in_words(_host()),
        httpx2.stream(
            "GET",
            address,
            headers=headers,
            follow_redirects=False,
            timeout=SECONDS,
        ) as response,
    ):
        if response.status_code != 200:
            raise DatasetError(_refusal_of_the_host(path, response.status_code))
        return received(name, response, limit, on_progress)


def _refusal_of_the_host(path: str, status: int) -> str:
    words = mark("{host} answers with error {status}. Try again later. {remedy}")
    if status == 404:
        words = mark("{host} has no file {path} there. Check PLUMBLINE_RGB_ADDRESS. {remedy}")
    elif 300 <= status < 400:
        words = mark(
            "{host} says that {path} lies elsewhere, which is not followed. Set "
            "PLUMBLINE_RGB_ADDRESS."
        )
    return say(words, host=_host(), path=path, status=status, remedy=say(REMEDY))


def _address_of_file(path: str) -> str:
    return f"{config().rgb_address.rstrip('/')}/{path}"


def _host() -> str:
    return urlsplit(config().rgb_address).netloc
