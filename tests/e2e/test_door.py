"""The HTTP door of a public host: names, routes, origins, uploads and the browser's own rules."""

from __future__ import annotations

import http.client
import json
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.sync_api import expect
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from evaluators.records import Dataset, Sample, SampleResult
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from tests.e2e.conftest import HOME_HOSTS, ROOT, Server, running
from ui.middleware import SecurityHeaders

MB = 2**20
STREAM = "/_stcore/stream"


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server writes down every address it looks up."""
    return tmp_path_factory.mktemp("watch") / "addresses.txt"


@pytest.fixture(scope="module")
def host(
    browser_type_launch_args: dict[str, object],
    addresses: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """A public host with room for three files of 1 MB,
    its uploads open to frames as in the image.
    """
    with running(
        tmp_path_factory.mktemp("door"),
        PLUMBLINE_PUBLIC="1",
        PLUMBLINE_UPLOAD_BYTES=str(MB),
        PLUMBLINE_UPLOAD_BYTES_IN_MEMORY=str(4 * MB),
        STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION="false",
        PYTHONPATH=str(Path(__file__).parent / "watch"),
        ADDRESSES_FILE=str(addresses),
    ) as served:
        yield served


def request(
    host: Server,
    path: str,
    method: str = "GET",
    body: bytes | Iterator[bytes] | None = None,
    **headers: str,
) -> http.client.HTTPResponse:
    """The answer to one request, read to its end; an iterator is sent without a length."""
    with closing(
        http.client.HTTPConnection(urlsplit(host.address).netloc, timeout=30)
    ) as connection:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named, encode_chunked=isinstance(body, Iterator))
        answer = connection.getresponse()
        answer.read()
        return answer


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/runs", 200),
        ("/_stcore/health", 200),
        ("/_stcore/host-config", 200),
        ("/_stcore/metrics", 404),
        ("/_stcore/script-health-check", 404),
        ("/_stcore/agent/openapi.json", 404),
        ("/_stcore/agent/mcp", 404),
        ("/_stcore/bidi-components/x", 404),
    ],
)
def test_only_what_a_page_needs_is_answered(host, path, status):
    assert request(host, path).status == status


def test_a_page_that_is_not_there_is_home_with_the_workspace_kept(host):
    gone = request(host, "/nosuch?w=abc", accept="text/html,*/*")
    assert (gone.status, gone.headers["location"]) == (303, "/?no_page=1&w=abc")
    for path in ("/", "/rgb", "/settings?w=abc"):
        assert request(host, path, accept="text/html,*/*").status == 200
    # A program that wants no page is led nowhere.
    assert request(host, "/nosuch").status == 200


@pytest.mark.parametrize(
    "path", ["/", "/sample", "/_stcore/health", "/_stcore/metrics", "/media/none"]
)
def test_every_answer_tells_the_browser_what_it_may_do(host, path):
    headers = request(host, path).headers

    policy = dict(rule.split(" ", 1) for rule in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "'unsafe-inline'" not in policy["script-src"]
    assert "'unsafe-eval'" not in policy["script-src"]
    assert not re.search(r"\*|https:", headers["Content-Security-Policy"])
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_a_space_is_framed_by_hugging_face_and_by_nobody_else(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "someone/plumbline")
    policy = (
        TestClient(SecurityHeaders(PlainTextResponse(".")))
        .get("/")
        .headers["Content-Security-Policy"]
    )

    assert policy.endswith("frame-ancestors https://huggingface.co https://*.hf.space")


def test_whoever_runs_the_app_names_the_sites_that_may_frame_it(monkeypatch):
    docs = (ROOT / "docs" / "space.md").read_text(encoding="utf-8")
    [named] = re.findall('^PLUMBLINE_FRAMED_BY="(.+)" plumbline app$', docs, re.MULTILINE)
    monkeypatch.setenv("PLUMBLINE_FRAMED_BY", f"{named} https://b.example")
    headers = TestClient(SecurityHeaders(PlainTextResponse("."))).get("/").headers

    frames = "frame-ancestors https://lms.school.edu https://b.example"
    assert headers["Content-Security-Policy"].endswith(frames)


@pytest.mark.parametrize(
    ("name", "answered"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("127.0.0.1", True),
        ("[::1]", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("evil.example@localhost", False),
        ("127.0.0.1.evil.example", False),
    ],
)
def test_only_names_of_this_machine_reach_the_app(host, name, answered):
    port = urlsplit(host.address).port
    for path in ("/", "/_stcore/host-config"):
        assert request(host, path, Host=f"{name}:{port}").status == (200 if answered else 400)
    assert stream_is_open(host, Host=f"{name}:{port}", Origin=f"http://{name}:{port}") is answered


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1.evil.example",
        "http://localhost:1",
        "file://",
        "http://[::",
    ],
)
def test_a_foreign_page_is_refused_and_nobody_is_asked_about_it(host, addresses, origin):
    assert not stream_is_open(host, Origin=origin)
    assert set(addresses.read_text().split()) <= HOME_HOSTS


def stream_is_open(host: Server, **headers: str) -> bool:
    """Whether a connection with these headers becomes a WebSocket."""
    netloc = urlsplit(host.address).netloc
    lines = {
        "Host": netloc,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
    }
    lines |= {"Sec-WebSocket-Key": "MTIzNDU2Nzg5MDEyMzQ1Ng==", **headers}
    with closing(http.client.HTTPConnection(netloc, timeout=30)) as connection:
        connection.request("GET", STREAM, headers=lines)
        return connection.getresponse().status == 101


@contextmanager
def tab(host: Server) -> Iterator[str]:
    """An open tab whose page is drawn: the id of its session."""
    with connect(f"ws://{urlsplit(host.address).netloc}{STREAM}", max_size=None) as stream:
        stream.send(BackMsg(rerun_script={"query_string": ""}).SerializeToString())
        session = ""
        # To its end: with much that is not read yet the close would wait for ten seconds.
        while (message := ForwardMsg.FromString(stream.recv(30))).WhichOneof("type") != (
            "script_finished"
        ):
            session = session or message.new_session.initialize.session_id
        yield session


@pytest.mark.parametrize(
    ("sent", "is_answered"),
    [
        ({"json_value": json.dumps({"changed": ["x"] * 20_000})}, True),
        ({"json_value": json.dumps({"changed": ["x"] * 40_000})}, False),
        ({"json_trigger_value": json.dumps({"changed": ["x"] * 40_000})}, False),
        ({"string_value": "x" * 1_900_000}, True),
        ({"string_value": "x" * 2_100_000}, False),
        ({"int_array_value": {"data": [1] * 200_000}}, False),
        ({"string_array_value": {"data": ["x"] * 70_000}}, False),
        ({"file_uploader_state_value": {"uploaded_file_info": [{"file_id": "x"}] * 40_000}}, False),
        ([{"id": f"{number}", "int_value": 1} for number in range(20_000)], False),
    ],
    ids=[
        *("a component", "a component too much", "an event too much", "a text", "a text too much"),
        *("numbers", "texts", "files", "widgets"),
    ],
)
def test_a_message_is_read_as_far_as_a_page_needs(host, sent, is_answered):
    widgets = sent if isinstance(sent, list) else [{"id": "any", **sent}]
    wish = {"query_string": "", "widget_states": {"widgets": widgets}}
    kinds = []
    with connect(f"ws://{urlsplit(host.address).netloc}{STREAM}", max_size=None) as stream:
        stream.send(BackMsg(rerun_script=wish).SerializeToString())
        with suppress(ConnectionClosed):
            while "script_finished" not in kinds:
                kinds.append(ForwardMsg.FromString(stream.recv(30)).WhichOneof("type"))
        assert ("script_finished" in kinds) is is_answered
        assert is_answered or stream.protocol.close_code == 1009


@pytest.mark.parametrize(
    "sent",
    [
        {"file_urls_request": {"file_names": ["a"] * 10_000}},
        {"rerun_script": {"cached_message_hashes": ["a"] * 11_000}},
        {"rerun_script": {"query_string": "x" * 200_000}},
        {"rerun_script": {"widget_states": {"widgets": [{"id": "a" * 200_000, "int_value": 1}]}}},
        {
            "rerun_script": {
                "widget_states": {"widgets": [{"id": "a", "bytes_value": b"x" * 200_000}]}
            }
        },
    ],
    ids=["places of files", "what is known", "an address", "a name", "bytes"],
)
def test_no_message_is_much_but_for_what_somebody_wrote(host, sent):
    with connect(f"ws://{urlsplit(host.address).netloc}{STREAM}", max_size=None) as stream:
        stream.send(BackMsg(**sent).SerializeToString())
        with suppress(ConnectionClosed):
            while True:
                stream.recv(30)
        assert stream.protocol.close_code == 1009


def put(host: Server, session: str, file: str, size: int, chunked: bool = False) -> int:
    """The status of the upload of a file of so many bytes."""
    start = b'--X\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    body = start + b"x" * size + b"\r\n--X--\r\n"
    pieces = (body[at : at + 50_000] for at in range(0, len(body), 50_000))
    path = f"/_stcore/upload_file/{session}/{file}"
    return request(
        host,
        path,
        "PUT",
        pieces if chunked else body,
        Content_Type="multipart/form-data; boundary=X",
    ).status


def test_a_tab_may_hold_two_files_and_may_put_others_in_their_place(host):
    with tab(host) as session:
        assert [put(host, session, f"file-{n}", MB) for n in range(3)] == [204, 204, 413]
        assert put(host, session, "small", 10) == 204
        assert request(host, f"/_stcore/upload_file/{session}/file-0", "DELETE").status == 204
        assert put(host, session, "file-3", MB) == 204


@pytest.mark.parametrize("chunked", [False, True])
def test_a_file_that_is_too_large_is_refused_with_or_without_a_length(host, chunked):
    with tab(host) as session:
        assert put(host, session, "large", MB + 200_000, chunked) == 413
        assert put(host, session, "good", MB, chunked) == 204


def test_all_tabs_together_have_a_bound_and_closed_ones_give_way(host):
    with tab(host) as first, tab(host) as second:
        assert [put(host, first, f"f{n}", MB) for n in range(2)] == [204, 204]
        assert [put(host, second, f"f{n}", MB) for n in range(2)] == [204, 503]
    with tab(host) as third:
        assert put(host, third, "f", MB) == 204


LOOKS_OFTEN = """
import streamlit as st
from starlette.middleware import Middleware
from ui.middleware import BoundedUploads
app = st.App({main!r}, middleware=[Middleware(BoundedUploads, look=0.2)])
"""


def test_files_of_a_closed_tab_leave_memory_though_nobody_comes(tmp_path):
    script = tmp_path / "often.py"
    script.write_text(LOOKS_OFTEN.format(main=str(ROOT / "ui" / "main.py")))
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += ["--server.headless=true", "--server.port"]
    options = {"PYTHONPATH": str(ROOT), "STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false"}
    with running(tmp_path, command, **options) as host:
        server = psutil.Process(host.process.pid)
        with tab(host):
            pass  # what the first page brings into memory is there from now on
        with tab(host) as session:
            empty = server.memory_info().rss
            assert [put(host, session, f"f{n}", 40 * MB) for n in range(2)] == [204, 204]
            time.sleep(1)  # several looks
            assert server.memory_info().rss > empty + 60 * MB
        patience = time.monotonic() + 30
        while server.memory_info().rss > empty + 20 * MB:
            assert time.monotonic() < patience, "the files are still there"
            time.sleep(0.1)


FORGETS_SOON = """
import streamlit as st
from starlette.middleware import Middleware
from ui.middleware import BoundedMessages
app = st.App({main!r}, middleware=[Middleware(BoundedMessages, tab_seconds=0.5)])
"""
HOLDS = """
import streamlit as st
from streamlit.runtime import get_instance
# Streamlit keeps a closed tab for two minutes.
get_instance()._session_mgr._session_storage._cache._ttl = 0.1
st.session_state.setdefault("x", b"x" * 80_000_000)
"""


def test_what_a_closed_tab_held_leaves_memory_though_nobody_comes(tmp_path):
    (tmp_path / "main.py").write_text(HOLDS)
    script = tmp_path / "forgets.py"
    script.write_text(FORGETS_SOON.format(main=str(tmp_path / "main.py")))
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += ["--server.headless=true", "--server.port"]
    with running(tmp_path, command, PYTHONPATH=str(ROOT)) as host:
        memory = psutil.Process(host.process.pid).memory_info
        empty = memory().rss
        with tab(host), tab(host), tab(host):
            patience = time.monotonic() + 30
            while memory().rss < empty + 220 * MB:
                assert time.monotonic() < patience, "the tabs hold nothing"
                time.sleep(0.1)
        patience = time.monotonic() + 30
        # Of all tabs Streamlit's loop remembers the last one that it looked at.
        while memory().rss > empty + 120 * MB:
            assert time.monotonic() < patience, "the tabs are still there"
            time.sleep(0.1)


@pytest.mark.parametrize("file", ["x" * 65, "a%2Fb", "%C3%A9", "a.b"])
def test_a_file_has_an_id_as_streamlit_gives_them(host, file):
    with tab(host) as session:
        assert put(host, session, file, 10) == 404


def test_what_hostile_markup_would_load_is_refused_by_the_browser(host, page, seen):
    page.goto(host.address)
    expect(page.get_by_role("heading", name="Plumbline")).to_be_visible()
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        refused = page.evaluate(HOSTILE, f"http://127.0.0.1:{elsewhere.getsockname()[1]}")
        elsewhere.settimeout(0.2)
        with pytest.raises(TimeoutError):
            elsewhere.accept()  # nobody came
    kinds = ["connect-src", "img-src", "script-src-elem", "style-src-elem", "worker-src"]
    assert refused == kinds
    assert page.evaluate("window.stolen") is None
    seen.refused.clear()


HOSTILE = """async address => {
    const refused = new Set()
    addEventListener("securitypolicyviolation", event => refused.add(event.effectiveDirective))
    document.body.insertAdjacentHTML("beforeend", `
        <img src="${address}/image"><link rel="stylesheet" href="${address}/style">
        <p style="background: url(${address}/background)">.</p>`)
    for (const [name, value] of [["src", `${address}/script`], ["textContent", "window.stolen = 1"]])
        document.body.append(Object.assign(document.createElement("script"), {[name]: value}))
    fetch(`${address}/fetch`).catch(() => null)
    new Worker(URL.createObjectURL(new Blob(["fetch('/')"])))
    const end = Date.now() + 5000
    while (refused.size < 5 && Date.now() < end) await new Promise(wake => setTimeout(wake, 20))
    return [...refused].sort()
}"""


ADDRESSES = (
    "http://evil.example/x https://user:pw@evil.example:80/?a=b&c=d#e "
    "HTTP://EVIL.EXAMPLE ftp://evil.example "
    "www.evil.example WwW.evil.example/x a+b_c@evil.example mailto:a@evil.example "
    "xmpp:a@evil.example/b tel:+1 "
    "<http://evil.example> <a@evil.example> [x](http://evil.example) "
    "![x](http://evil.example) [x][1] "
    "<a href='http://evil.example'>x</a> javascript:alert(1) http&#58;//evil.example "
    "中http://evil.example中 "
    "(www.evil.example) “a@evil.example” x-www.evil.example @www.evil.example "
    "a@b@evil.example http://www.a@evil.example"
)
DRESSED = (
    ":material/home: :smile: :streamlit: :red[x] :gray[] a -> b <- c <-> d -- e >= f ~= g "
    "&amp; $x$ `y` **z** <b>b</b>"
)


@pytest.mark.parametrize("text", [ADDRESSES, DRESSED], ids=["addresses", "dressed"])
def test_hostile_text_is_shown_letter_by_letter_and_links_nowhere(server, page, text):
    row = Sample(id="1", question="Who?", response="Mina.", retrieved_documents=("Mina.",))
    run = create_run(
        server.store,
        RunPlan(Dataset(name="letters", samples=(row,)), inputs.evaluators("trace"), title=text),
        workspace="local",
    )
    server.store.results.save(run.id, SampleResult(position=0, status="failed", error=text))
    try:
        page.goto(f"{server.address}/sample?run={run.id}&sample=1")
        expect(page.get_by_test_id("stAlert").get_by_text(text, exact=True)).to_be_visible()
        expect(page.get_by_test_id("stCaptionContainer").filter(has_text=text)).to_be_visible()
        assert (
            page.locator("a[href*=evil], a[href^='tel:'], a[href^='javascript:'], .katex").count()
            == 0
        )
        page.goto(f"{server.address}/runs")
        expect(page.locator(".runs button.open").get_by_text(text, exact=True)).to_be_visible()
        assert page.locator("a[href*=evil]").count() == 0
    finally:
        server.store.runs.delete(run.id)
