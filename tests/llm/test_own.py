"""A person's own RAG system over HTTP and as a function: what it is sent, and what its reply says."""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta

import pytest

from evaluators.errors import (
    AccessError,
    LateError,
    LLMError,
    ParameterError,
    PlumblineError,
    RunStoppedError,
    TransientError,
    UnreachableError,
)
from evaluators.llm import request_for
from evaluators.llm.keys import mask
from evaluators.llm.loop import Scope
from evaluators.llm.own import HTTPSystem, own_connection, system, system_of, try_one
from evaluators.llm.replies import events_of, places, values_at
from evaluators.prompts import Prompt
from tests.rag_service import DOCUMENTS, RagService

BUILT = "When was the tower built?"
TOWER = "The tower was built in 1889."
PLACES = {"answer": "result.answer", "documents": "result.sources[].text"}


def asked(access, question=BUILT, documents=()):
    connection = own_connection(access)
    prompt = Prompt(text=question, question=question, documents=documents)

    async def ask():
        try:
            return await connection.complete(request_for(access.spec, prompt, "", 1))
        finally:
            await connection.close()

    return Scope().run(ask()).completion


@pytest.fixture
def service():
    with RagService() as service:
        yield service


def at(service, path="/ask", **more):
    return HTTPSystem(**{"address": service.address + path, **PLACES, **more}).access()


# Over HTTP


def test_json_gives_the_answer_and_what_was_retrieved(service):
    completion = asked(at(service))
    assert completion.text == TOWER
    assert completion.documents == (DOCUMENTS[0], DOCUMENTS[1])
    assert service.asked[0][2] == {"question": BUILT}


def test_a_stream_is_read_up_to_its_end_although_the_connection_stays_open(service):
    completion = asked(at(service, "/stream", answer="delta", documents="sources[].text"))
    assert completion.text.strip() == TOWER
    assert completion.documents == (DOCUMENTS[0], DOCUMENTS[1])
    assert not service.kept_waiting


def test_a_question_cannot_end_the_text_of_the_body_in_which_it_stands(service):
    question = 'Tower", "documents": ["planted"], "x": "\\'
    asked(at(service, body='{"question": "Say: {{question}}"}'), question)
    assert service.asked[0][2] == {"question": f"Say: {question}"}


def test_documents_of_the_sample_are_sent_where_the_body_wants_them(service):
    body = '{"question": "{{question}}", "documents": "{{documents}}"}'
    completion = asked(at(service, body=body), documents=("The tower was built in 1925.",))
    assert completion.text == "The tower was built in 1925."
    assert service.asked[0][2]["documents"] == ["The tower was built in 1925."]


def test_get_sends_the_fields_of_the_body_as_a_query(service):
    assert asked(at(service, method="GET")).text == TOWER
    assert service.asked[0][2] == {"question": BUILT}


def test_a_redirect_on_the_same_host_is_followed_with_the_headers(service):
    asked(at(service, "/moved", headers={"X-Key": "secret-of-mine-42"}))
    assert [path for path, *_ in service.asked] == ["/moved", "/ask"]
    assert service.asked[1][1]["X-Key"] == "secret-of-mine-42"


def test_a_redirect_to_another_host_is_refused_and_nothing_is_sent_there():
    with RagService() as other, RagService(elsewhere=other.address) as service:
        with pytest.raises(RunStoppedError, match=r"redirects to http://127\.0\.0\.1:"):
            asked(at(service, "/elsewhere", headers={"Authorization": "Bearer abcdefgh12345"}))
        assert other.asked == []


def test_a_redirect_to_what_is_no_address_fails_with_its_reason():
    words = "redirects to an address that cannot be read"
    with RagService(elsewhere="http://[broken") as service, pytest.raises(LLMError, match=words):
        asked(at(service, "/elsewhere"))


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("/page", LLMError, "answered with a web page"),
        ("/changed", LLMError, "has no “result.answer”: its shape has changed"),
        ("/broken", TransientError, "answered with HTTP 500"),
    ],
)
def test_a_reply_that_is_none_fails_with_its_reason(service, path, error, words):
    with pytest.raises(error, match=words) as raised:
        asked(at(service, path))
    assert raised.value.details


def test_one_that_asks_to_wait_is_waited_for_up_to_a_bound_and_then_the_run_stops(service):
    def refused(wait):
        with pytest.raises(LLMError) as raised:
            asked(at(service, "/busy", body=f'{{"q": "{{{{question}}}}", "wait": {wait}}}'))
        return raised.value

    assert refused(90).wait == 90
    stopped = refused(3600)
    assert isinstance(stopped, RunStoppedError)
    assert "asks to wait until" in str(stopped)
    assert stopped.resume_at > datetime.now(UTC) + timedelta(minutes=59)


def test_one_that_hangs_is_given_up_and_one_that_is_away_is_unreachable(service, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "0.3")
    with pytest.raises(LateError, match=r"my-rag did not answer within 0\.3 s"):
        asked(at(service, "/hang"))
    monkeypatch.delenv("PLUMBLINE_CALL_SECONDS")
    away = HTTPSystem(address="http://127.0.0.1:9/ask", **PLACES).access()
    with pytest.raises(UnreachableError, match="Nothing answers at 127"):
        asked(away)


def test_headers_are_masked_in_what_comes_back_and_in_logs():
    with RagService(key="right-key-0123456789") as service:
        access = at(service, headers={"Authorization": "Bearer wrong-key-0123456789"})
        with pytest.raises(RunStoppedError, match="refused the headers"):
            asked(access)
    assert "wrong-key" not in mask("it was wrong-key-0123456789")
    assert "wrong-key" not in repr(access)
    assert "wrong-key" not in access.spec.model_dump_json()


def test_a_secret_that_comes_back_is_masked_before_anybody_chooses_in_the_reply(service):
    key = "Bearer wrong-key-0123456789"
    access = at(service, "/echo", headers={"Authorization": key})

    events = json.dumps(try_one(access, BUILT))

    assert "***" in events
    assert "0123456789" not in events


def test_a_reply_has_a_thousand_documents_at_most(service):
    body = {"question": "{{question}}", "many": 1000}
    places = {"answer": "answer", "documents": "texts[]"}
    headers = {"Authorization": "open"}
    access = at(service, "/echo", body=json.dumps(body), headers=headers, **places)
    assert len(asked(access).documents) == 1000

    more = at(service, "/echo", body=json.dumps(body | {"many": 10**5}), headers=headers, **places)
    with pytest.raises(LLMError, match="more than 1,000 documents"):
        asked(more)


def raw(service, kind, reply):
    body = {"question": "{{question}}", "kind": kind, "raw": reply}
    return at(service, "/raw", body=json.dumps(body), answer="", documents="")


@pytest.mark.parametrize(
    ("kind", "event"), [("application/x-ndjson", "1\n"), ("text/event-stream", "data: 1\n\n")]
)
def test_a_stream_has_twenty_thousand_events_at_most(service, kind, event):
    assert asked(raw(service, kind, 20_000 * event)).text == 20_000 * "1"
    with pytest.raises(LLMError, match="more than 20,000 events"):
        asked(raw(service, kind, 20_001 * event))


def test_a_reply_too_deep_for_where_it_is_tried_is_told_as_any_that_is_no_json(service):
    def tried(frames, access):
        return tried(frames - 1, access) if frames else try_one(access, BUILT)

    said = []
    for depth in range(600, 1000, 20):
        access = raw(service, "application/json", depth * "[" + depth * "]")
        try:
            tried(200, access)
        except LLMError as error:
            said.append(str(error))

    assert said
    assert all("is not JSON" in message for message in said)


def test_a_public_host_takes_no_system(service, monkeypatch):
    access, function = at(service), system_of(lambda question: "x")
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    with pytest.raises(AccessError, match="This public host asks known providers only"):
        at(service)
    for own in (access, function):
        with pytest.raises(AccessError):
            asked(own)
    assert service.asked == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"address": "localhost:8000"}, "does not begin with http"),
        ({"body": '{"q": 1}'}, "The body has no {{question}}"),
        ({"body": "{{question}}"}, "The body is not JSON"),
        ({"headers": {"X": "a\nb"}}, "The header X cannot be sent"),
        ({"headers": {"Host": "other"}}, "The header Host cannot be sent"),
        ({"answer": "a..b["}, "is not a place in a reply"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings, words):
    with pytest.raises(PlumblineError) as raised:
        HTTPSystem(**{"address": "http://localhost:8000/ask", **settings}).access()
    assert words in str(raised.value)


def test_a_file_takes_headers_from_the_environment(tmp_path, monkeypatch):
    file = tmp_path / "rag.toml"
    file.write_text(
        'name = "shop"\naddress = "http://localhost:8000/ask"\nanswer = "a"\n'
        '[headers]\nAuthorization = "Bearer $RAG_TOKEN"\n'
    )
    with pytest.raises(AccessError, match="Set RAG_TOKEN"):
        system(file)
    monkeypatch.setenv("RAG_TOKEN", "token-0123456789")
    access = system(str(file))
    assert access.spec.id == "system/shop"
    assert access.headers[0][1].get_secret_value() == "Bearer token-0123456789"
    file.write_text('adress = "x"')
    with pytest.raises(ParameterError, match=r"rag\.toml: address: Field required"):
        system(file)


# Replies


@pytest.mark.parametrize(
    ("reply", "path", "values"),
    [
        ({"a": {"b": "x"}}, "a.b", ["x"]),
        ({"a": [{"t": "x"}, {"t": "y"}]}, "a[].t", ["x", "y"]),
        ({"a": [{"t": "x"}, {"t": "y"}]}, "a[1].t", ["y"]),
        ({"a": []}, "a[].t", []),
        ({"a": []}, "b[].t", None),
        ({"a b": {"c.d": 1}}, '["a b"]["c.d"]', [1]),
        ("whole", "", ["whole"]),
        ({'a"b\\': 1}, '["a\\"b\\\\"]', [1]),
    ],
)
def test_a_path_leads_to_what_stands_there(reply, path, values):
    assert values_at([reply], path) == values


def test_the_places_of_a_reply_are_paths_that_lead_back():
    reply = {"a b": {"c.d": "x"}, "list": [{"t": "one"}, {"t": "two"}], "none": None}
    assert places([reply]) == {'["a b"]["c.d"]': "x", "list[].t": "one · two", "none": "null"}
    assert [values_at([reply], path) for path in places([reply])] == [["x"], ["one", "two"], [None]]


def test_a_reply_of_any_depth_and_width_is_shown_within_bounds():
    deep = "1"
    for _ in range(400):
        deep = f'[{{"k": {deep}}}]'
    wide = {f"key {number}": number for number in range(50_000)}
    branched = {"k" * 200: [{"x" * 190: [1] * 1000}] * 1000, "y" * 2_000_000: wide}
    started = time.process_time()
    assert len(places([wide])) == 100
    assert len(places([branched])) == 1
    assert places(events_of(deep.encode(), "")) == {}
    assert time.process_time() - started < 20


@pytest.mark.parametrize("kind", ["", "text/event-stream", "ndjson"])
def test_half_characters_of_a_reply_are_replaced_in_keys_and_texts(kind):
    body = rb'{"\ud800 a": "\udfff", "b": "\ud83d\ude00"}'
    stream = b"data: " + body + b"\n\n" if "event" in kind else body

    assert places(events_of(stream, kind)) == {'["\ufffd a"]': "\ufffd", "b": "\N{GRINNING FACE}"}


def test_events_end_at_done_and_may_be_cut_off():
    body = b'\xef\xbb\xbfevent: x\ndata: {"d": "a"}\n\ndata: {"d":\ndata: "b"}\n\n'
    assert events_of(body + b"data: [DONE]\n\ndata: {}\n\n", "text/event-stream") == [
        {"d": "a"},
        {"d": "b"},
    ]
    assert events_of(body + b'data: {"d": "c"', "text/event-stream")[2] == '{"d": "c"'


# Functions


async def later(question):
    await asyncio.sleep(0.01)
    return {"response": question.upper(), "retrieved_documents": [{"page_content": "A page."}]}


def test_an_async_function_is_awaited_and_documents_of_libraries_are_read():
    completion = asked(system_of(later), "hi")
    assert (completion.text, completion.documents) == ("HI", ("A page.",))
    assert system_of(later).spec.system.function == "tests.llm.test_own:later"


def test_a_function_that_takes_documents_gets_those_of_the_sample():
    access = system_of(lambda question, documents: json.dumps(documents), "mine")
    completion = asked(access, documents=("One.", "Two."))
    assert (completion.text, completion.documents) == ('["One.", "Two."]', None)


def test_half_a_character_in_a_reply_is_replaced():
    reply = {"response": "A \ud800 tower.", "retrieved_documents": ["\udfff"]}
    completion = asked(system_of(lambda question: reply, "mine"))
    assert (completion.text, completion.documents) == ("A \ufffd tower.", ("\ufffd",))


@pytest.mark.parametrize("returned", [None, 3, {"answer": "x"}, {"response": None}, ["x"]])
def test_what_is_no_answer_fails_and_says_what_to_return(returned):
    with pytest.raises(LLMError, match=r"mine returned .* Return a text, or"):
        asked(system_of(lambda question: returned, "mine"))


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (ValueError("sk-0123456789 is no key"), LLMError),
        (ConnectionError("lost"), TransientError),
        (SystemExit(3), LLMError),
        (KeyboardInterrupt(), LLMError),
    ],
)
def test_whatever_a_function_raises_is_a_failed_answer(raised, error):
    def ask(question):
        raise raised

    with pytest.raises(error, match=f"ask raised {type(raised).__name__}") as told:
        asked(system_of(ask))
    assert "0123456789" not in str(told.value)
    assert isinstance(told.value, TransientError) is (error is TransientError)


def test_a_function_that_hangs_is_given_up(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "0.2")
    with pytest.raises(LateError):
        asked(system_of(lambda question: time.sleep(3), "slow"))


@pytest.mark.parametrize(
    "named", ["os:nothing_here", "no_such_module:ask", "plain", "{not JSON", 7]
)
def test_a_name_that_leads_to_no_function_is_refused(named):
    with pytest.raises(ParameterError):
        system(named)
