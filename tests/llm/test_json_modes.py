"""How JSON is asked for: step by step down to what a provider takes, remembered for each model."""

import asyncio
import json

import pytest

from evaluators.errors import TransientError
from evaluators.llm.connection import Connection
from evaluators.llm.json_modes import JsonModes, response_format
from evaluators.llm.layers import Limited
from evaluators.llm.limits import Limiter
from evaluators.llm.provider_errors import refused_form
from evaluators.records import ModelSpec
from tests.llm.test_connection import MODELS, access_to, both, failure, request_to, with_connection
from tests.llm.test_provider_errors import answered, refused

SCHEMA = json.dumps(
    {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
)
NO_FORM = refused(
    400, "This model does not support response format `json_schema`.", param="response_format"
)
NO_JSON = refused(400, "Failed to validate JSON.", code="json_validate_failed")


def shaped(name, model=""):
    request = request_to(name)
    spec = request.spec.model_copy(update={"model": model or MODELS[name]})
    return request.model_copy(update={"schema_text": SCHEMA, "spec": spec})


def modes_sent(server):
    """What each request asked for: a schema with its strictness, another format, or nothing."""
    forms = [asked.body.get("response_format", {}) for asked in server.asked]
    return [
        form["json_schema"]["strict"] if "json_schema" in form else form.get("type", "none")
        for form in forms
    ]


@pytest.mark.parametrize(
    ("name", "fault", "sent", "mode"),
    [
        ("groq", "", [True, True], "strict"),
        ("custom", "", [False, False], "schema"),
        ("groq", "no_schema", [True, False, "json_object", "json_object"], "object"),
        ("openai", "no_schema", [True, False, "json_object", "json_object"], "object"),
        ("custom", "no_schema", [False, "json_object", "json_object"], "object"),
        ("groq", "no_format", [True, False, "json_object", "none", "none"], "none"),
        ("custom", "no_format", [False, "json_object", "none", "none"], "none"),
        ("groq", "json_validate_failed", [True, "none", True, "none"], "none"),
    ],
)
def test_a_refusal_steps_down_and_is_remembered_unless_only_the_model_failed(
    loopback, name, fault, sent, mode
):
    async def twice(connection):
        return [(await connection.complete(shaped(name))).completion.mode for _ in range(2)]

    server = loopback(fault=lambda asked: fault)
    assert with_connection(access_to(server, name), twice) == [mode, mode]
    assert modes_sent(server) == sent


def test_each_model_has_its_own_memory(loopback):
    async def three(connection):
        for model in ("gpt-6-luna", "gpt-4o-mini", "gpt-6-luna"):
            await connection.complete(shaped("openai", model))

    server = loopback(fault=lambda asked: "no_schema" if asked.model == "gpt-6-luna" else "")
    with_connection(access_to(server, "openai"), three)
    assert modes_sent(server) == [True, False, "json_object", True, "json_object"]


@both
def test_a_request_without_a_schema_asks_for_no_form(loopback, name):
    server = loopback(fault=lambda asked: "no_format")
    completion = with_connection(
        access_to(server, name), lambda connection: connection.complete(request_to(name))
    ).completion
    assert completion.mode == ""
    assert modes_sent(server) == ["none"]


@both
def test_a_parameter_and_a_form_that_are_not_taken_are_both_left_out(loopback, name):
    server = loopback(
        fault=lambda asked: "400 temperature" if "temperature" in asked.body else "no_schema"
    )
    access = access_to(server, name)
    reply = with_connection(access, lambda connection: connection.complete(shaped(name)))
    assert (reply.completion.mode, reply.completion.note) == ("object", "temperature not applied")


@both
def test_json_that_fails_in_every_form_is_an_error_of_this_sample(loopback, name):
    server = loopback(fault=lambda asked: "400 json")
    access = access_to(server, name)
    with pytest.raises(TransientError, match="did not return valid JSON"):
        with_connection(access, lambda connection: connection.complete(shaped(name)))
    assert modes_sent(server) == [True, "none"]


@both
def test_a_refusal_that_is_about_something_else_is_told_at_once(loopback, name):
    server = loopback(fault=lambda asked: "401")
    access = access_to(server, name)
    with pytest.raises(type(failure(access))):
        with_connection(access, lambda connection: connection.complete(shaped(name)))
    assert modes_sent(server) == ["none", True]


def test_late_refusals_of_a_better_form_do_not_bring_it_back():
    modes, spec = JsonModes(), ModelSpec(provider="groq", model="openai/gpt-oss-20b")
    assert [modes.lower(spec, mode, NO_FORM) for mode in ("strict", "schema", "strict")] == [
        "schema",
        "object",
        "schema",
    ]
    assert modes.best(spec) == "object"
    assert modes.lower(spec, "none", NO_FORM) == modes.lower(spec, "", NO_FORM) == ""


@pytest.mark.parametrize(
    ("error", "complaint"),
    [
        (NO_FORM, "always"),
        (NO_JSON, "this time"),
        (
            refused(400, "Invalid schema for response_format 'answer': 'required' is required."),
            "always",
        ),
        (
            refused(400, "'messages' must contain the word 'json' to use 'response_format'."),
            "always",
        ),
        (
            answered(
                422, '{"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs"}]}'
            ),
            "always",
        ),
        (refused(400, "Unknown field: guided json_schema"), "always"),
        (refused(400, "This model's maximum context length is 4096 tokens."), ""),
        (refused(500, "response_format crashed"), ""),
        (refused(401, "json_validate_failed"), ""),
    ],
)
def test_a_complaint_about_the_form_is_found_by_its_wording(error, complaint):
    assert refused_form(error) == complaint


@pytest.mark.parametrize("mode", ["none", ""])
def test_nothing_is_sent_where_only_the_prompt_asks(mode):
    assert response_format(mode, SCHEMA) == {}


class CountingLimiter(Limiter):
    """Also counts the permits that were asked for."""

    permits = 0

    async def acquire(self, tokens):
        self.permits += 1
        return await super().acquire(tokens)


@both
def test_what_is_asked_again_with_less_takes_a_permit_of_its_own(loopback, name):
    limiter = CountingLimiter(None, header_names={})

    async def five(connection):
        limited = Limited(connection, limiter)
        return await asyncio.gather(*(limited.complete(shaped(name)) for _ in range(5)))

    server = loopback(fault=lambda asked: "json_validate_failed")
    replies = with_connection(access_to(server, name), five, kind=Connection)
    assert {reply.completion.mode for reply in replies} == {"none"}
    assert limiter.permits == len(server.asked) == 10
    assert limiter.is_idle
