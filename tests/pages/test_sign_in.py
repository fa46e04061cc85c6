"""Sign in with Hugging Face on the Settings page of a Space."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from tests.identity import SPACE
from tests.llm.test_sign_in import OVER, Browser
from tests.pages.conftest import checked
from tests.pages.screen import button, press, said

SIGN_IN = "Sign in with Hugging Face"
CameBack = Callable[[Browser], AppTest]


@pytest.fixture
def come_back(open_page, monkeypatch: pytest.MonkeyPatch) -> CameBack:
    """The page that a browser is sent to, which has its cookies."""

    def opened(browser: Browser) -> AppTest:
        context = SimpleNamespace(cookies=dict(browser.client.cookies), headers={}, remote_ip=None)
        # Where Streamlit reads them; its own test of a page has no browser.
        monkeypatch.setattr("streamlit.runtime.context._get_client_context", lambda: context)
        return open_page("settings", signed_in="1")

    return opened


def sign_in_link(at: AppTest) -> str:
    links = [link.proto.url for link in at.get("link_button") if link.proto.label == SIGN_IN]
    return links[0] if links else ""


def test_a_space_offers_it_and_no_other_host(open_page, identity, monkeypatch):
    at = open_page("settings")
    assert sign_in_link(at) == f"http://{SPACE}/sign-in?w={at.query_params['w']}"
    assert "No key needed: your own account pays." in said(at)
    for name in ("OAUTH_CLIENT_ID", "PLUMBLINE_PUBLIC"):
        monkeypatch.delenv(name)
        assert not sign_in_link(open_page("settings"))


def test_the_session_that_comes_back_is_signed_in_and_signs_out(identity, come_back):
    browser = Browser()
    browser.come_back(browser.allow(browser.begin()))
    at = come_back(browser)
    token = identity.tokens["visitor-1"]
    assert "Signed in as visitor-1, for another 8 h 0 min. Your account pays." in said(at)
    assert "signed_in" not in at.query_params
    assert at.selectbox(key="provider").value == "huggingface"
    assert token not in str(at.session_state)
    assert not sign_in_link(at)
    assert at.session_state["keys"]["huggingface"].key.get_secret_value() == token

    at = press(at, "Sign out")
    assert at.session_state["keys"] == {}
    assert sign_in_link(at)
    assert "Signed in" not in said(at)


def test_whoever_comes_back_without_what_they_began_with_is_told_so(identity, come_back):
    at = come_back(Browser())
    assert f"{OVER} Sign in again." in said(at, "error")
    assert sign_in_link(at)
    assert "keys" not in at.session_state or not at.session_state["keys"]


def test_who_declines_is_told_that_nothing_was_shared(identity, come_back):
    identity.fault = "declined"
    browser = Browser()
    browser.come_back(browser.allow(browser.begin()))
    assert "You declined at 127.0.0.1" in said(come_back(browser), "error")


def test_its_end_is_told_and_the_token_is_gone(identity, come_back):
    identity.expires_in = 2
    browser = Browser()
    browser.come_back(browser.allow(browser.begin()))
    at = come_back(browser)
    assert "for another 0 h 1 min" in said(at)
    time.sleep(2)
    checked(at.run())
    assert "Your sign-in with Hugging Face has ended. Sign in again." in said(at, "warning")
    assert at.session_state["keys"] == {}
    assert "forgotten with the reload" not in said(at)
    assert not [each for each in at.button if each.label == "Sign out"]


def test_an_account_that_may_not_ask_models_is_told(identity, come_back, monkeypatch):
    monkeypatch.setenv("OAUTH_SCOPES", "openid profile email")
    browser = Browser()
    browser.come_back(browser.allow(browser.begin()))
    at = come_back(browser)
    assert "you did not allow it to ask models" in said(at)
    assert button(at, "Sign out")
