"""A class without keys on a Space: each signs in with Hugging Face in a tab of its own and has its
judge paid by its own account; of no token is anything written.
"""

from __future__ import annotations

import base64
import os
import re
import sys
from collections.abc import Iterator

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests import judge
from tests.e2e.conftest import LONG, ROOT, Server, mean, press, running, settled
from tests.e2e.test_access import shut_out
from tests.identity import Identity
from tests.loopback import Loopback

VISITORS = int(os.environ.get("VISITORS", "2"))
"""Of a class; ten of them take a quiet machine two minutes."""
# Its router is one on this computer, and it knows its own name as a Space does.
SPACE = """
import os, sys
from streamlit.web.cli import main
from evaluators.llm.providers import PROVIDERS
port = sys.argv[-1]
os.environ["SPACE_HOST"] = f"127.0.0.1:{port}"
moved = {"address": os.environ["ROUTER"]}
PROVIDERS["huggingface"] = PROVIDERS["huggingface"].model_copy(update=moved)
sys.argv = ["streamlit", "run", "app.py", f"--server.port={port}", "--server.headless=true"]
main()
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[Identity]:
    with Identity() as provider:
        yield provider


@pytest.fixture(scope="module")
def router() -> Iterator[Loopback]:
    with Loopback(answer=judge.labels_for, models=("openai/gpt-oss-20b",)) as router:
        yield router


@pytest.fixture(scope="module")
def space(
    browser_type_launch_args: dict[str, object],
    provider: Identity,
    router: Loopback,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """All that it writes, its log and what is temporary too, lies in one folder."""
    folder = tmp_path_factory.mktemp("space")
    script = folder / "space.py"
    script.write_text(SPACE)
    variables = provider.space("") | {
        "ROUTER": router.base_url,
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "TMPDIR": str(folder),
    }
    with running(folder, [sys.executable, str(script)], host="127.0.0.1", **variables) as served:
        yield served


def signed_in(page: Page, space: Server) -> Page:
    """The tab in which somebody goes on who signed in from this one."""
    page.goto(f"{space.address}/settings")
    settled(page)
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Sign in with Hugging Face").click()
    tab = opened.value
    settled(tab)
    expect(tab.get_by_text(re.compile(r"Signed in as visitor-\d+"))).to_be_visible()
    return tab


def judged(tab: Page) -> None:
    """A run of the usual judge, to its end."""
    tab.get_by_role("link", name="TRACE", exact=True).click()
    settled(tab)
    tab.get_by_text("One judge", exact=True).click()
    settled(tab)
    tab.get_by_role("button", name=re.compile("^(Evaluate|Label) all 24 samples")).click()
    expect(tab.get_by_text("24 answers checked").first).to_be_visible(timeout=LONG)
    expect(mean(tab, "Adherence")).not_to_have_text("–")


def test_visitors_judge_by_their_own_accounts_and_no_token_is_written(
    space, provider, router, new_context, tmp_path
):
    asked: list[str] = []
    for number in range(1, VISITORS + 1):
        context = new_context()
        context.on("request", lambda request: asked.append(f"{request.url} {request.post_data}"))
        page = context.new_page()
        tab = signed_in(page, space)
        judged(tab)
        # The tab that asked has nothing: it cannot be told from a stranger's.
        settled(page)
        expect(page.get_by_role("link", name="Sign in with Hugging Face")).to_be_visible()
        token = provider.tokens[f"visitor-{number}"]
        state = str(context.storage_state()) + tab.content() + page.content()
        state += tab.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
        assert token not in state
        context.close()

    tokens = list(provider.tokens.values())
    assert len({*tokens}) == VISITORS
    paid = [call.headers["authorization"] for call in router.asked]
    assert {line: paid.count(line) for line in paid} == {f"Bearer {token}": 24 for token in tokens}
    folder = space.store.path.parent
    written = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert {"server.log", "plumbline.sqlite3"} <= {path.name for path in written}
    for token in tokens:
        secret = token.encode()
        for form in (secret, secret[9:30], base64.b64encode(secret)[:-4]):
            assert not [path for path, content in written.items() if form in content]
            assert not [line for line in asked if form.decode() in line]
    assert not [path for path, content in written.items() if b"code=" in content]


def test_settings_with_the_sign_in_shut_nobody_out(space, page):
    page.goto(f"{space.address}/settings")
    settled(page)
    expect(page.get_by_role("link", name="Sign in with Hugging Face")).to_be_visible()
    found = {"to sign in": shut_out(page), "signed in": shut_out(signed_in(page, space))}
    assert {place: faults for place, faults in found.items() if faults} == {}


def test_signing_out_forgets_it_and_so_does_a_reload(space, page):
    tab = signed_in(page, space)
    press(tab, "Sign out")
    expect(tab.get_by_role("link", name="Sign in with Hugging Face")).to_be_visible()
    with tab.expect_popup() as opened:
        tab.get_by_role("link", name="Sign in with Hugging Face").click()
    again = opened.value
    settled(again)
    expect(again.get_by_text("Signed in as")).to_be_visible()
    again.reload()
    settled(again)
    expect(again.get_by_text("was forgotten with the reload")).to_be_visible()
    expect(again.get_by_text("Signed in as")).to_have_count(0)


def test_who_opens_the_address_of_a_strangers_sign_in_gives_the_stranger_nothing(
    space, provider, page
):
    stranger = httpx2.get(f"{space.address}/sign-in?w=strangers")
    before = len(provider.tokens)

    page.goto(stranger.headers["location"])

    settled(page)
    expect(page.get_by_text("This sign-in began in another browser")).to_be_visible()
    assert len(provider.tokens) == before
