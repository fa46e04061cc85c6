"""Sign in with Hugging Face, against a provider on this computer: what a browser gets, what a
stranger does not, and where the token is not.
"""

from __future__ import annotations

import logging
import re
import time
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
import yaml
from starlette.applications import Starlette
from starlette.testclient import TestClient

from evaluators.config import ROOT
from evaluators.errors import AccessError
from evaluators.llm import sign_in
from evaluators.llm.keys import quiet_logs
from evaluators.llm.sign_in import COOKIE, SignedIn, app_of_host, finish
from tests.identity import SPACE
from ui.routes import ROUTES

OVER = "This sign-in began in another browser, was used already, or took longer than 10 minutes."


class Browser:
    """Somebody's browser, with cookies of its own."""

    def __init__(self, at: str = "127.0.0.1") -> None:
        self.client = TestClient(
            Starlette(routes=ROUTES),
            base_url=f"http://{SPACE}",
            follow_redirects=False,
            client=(at, 50_000),
        )

    def begin(self, workspace: str = "mine") -> str:
        """Where the app sends it."""
        answer = self.client.get(f"/sign-in?w={workspace}")
        assert answer.status_code == 303
        return answer.headers["location"]

    def allow(self, there: str) -> str:
        """Where the provider sends it back to, once its visitor agrees."""
        return httpx2.get(there).headers["location"]

    def come_back(self, address: str) -> str:
        """Where the app lets it go on."""
        return self.client.get(address).headers["location"]

    def finish(self) -> SignedIn:
        app = app_of_host()
        assert app
        return finish(app, self.client.cookies.get(COOKIE) or "")

    def sign_in(self) -> SignedIn:
        self.come_back(self.allow(self.begin()))
        return self.finish()


def test_a_visitor_signs_in_and_has_the_token_of_their_own_account(identity):
    browser = Browser()
    assert browser.come_back(browser.allow(browser.begin())) == "/settings?signed_in=1&w=mine"
    access = browser.finish()
    assert access.key.get_secret_value() == identity.tokens["visitor-1"]
    assert (access.provider, access.name) == ("huggingface", "visitor-1")
    assert access.base_url == "https://router.huggingface.co/v1"
    assert access.scopes == ("openid", "profile", "inference-api")
    assert not access.has_ended


def test_the_lines_of_the_docs_are_those_of_the_space_and_let_models_be_asked(
    identity, monkeypatch
):
    docs = (ROOT / "docs" / "space.md").read_text(encoding="utf-8")
    [recipe] = re.findall(r"^## Sign in.*?```yaml\n(.*?)```", docs, re.DOTALL | re.MULTILINE)
    head = yaml.safe_load((ROOT / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    lines = yaml.safe_load(recipe)
    assert len(recipe.splitlines()) <= 15
    assert {name: head[name] for name in head if name in lines} == {
        name: lines[name] for name in ("hf_oauth", "hf_oauth_scopes")
    }
    # As a Space passes them on.
    monkeypatch.setenv("OAUTH_SCOPES", " ".join(lines["hf_oauth_scopes"]))
    assert {*lines["hf_oauth_scopes"]} < {*Browser().sign_in().scopes}


def test_the_browser_is_sent_with_a_challenge_and_a_state_that_do_not_tell_its_secret(identity):
    browser = Browser()
    there = urlsplit(browser.begin())
    query = parse_qs(there.query)
    cookie = browser.client.cookies[COOKIE]
    assert f"{there.scheme}://{there.netloc}{there.path}" == f"{identity.address}/oauth/authorize"
    assert query["redirect_uri"] == [f"http://{SPACE}/sign-in/back"]
    assert query["scope"] == ["openid profile inference-api"]
    assert query["code_challenge_method"] == ["S256"]
    assert len(query["state"][0]) == len(query["code_challenge"][0]) == 43
    assert cookie not in there.query


def test_the_cookie_is_for_no_script_for_no_other_site_and_on_a_space_for_tls_only(
    identity, monkeypatch
):
    cookie = Browser().client.get("/sign-in?w=mine").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Max-Age=600" in cookie
    monkeypatch.setenv("SPACE_HOST", "someone-plumbline.hf.space")
    assert "Secure" in Browser().client.get("/sign-in?w=mine").headers["set-cookie"]
    app = app_of_host()
    assert app
    assert app.home == "https://someone-plumbline.hf.space"


def reply(address: str, **changed: str) -> str:
    """The address of a reply with other values in it."""
    parts = urlsplit(address)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()} | changed
    return str(httpx2.URL(f"http://{SPACE}{parts.path}", params=query))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"state": ""}, OVER),
        ({"state": "A" * 43}, OVER),
        ({"state": "\udcff" * 43}, OVER),
        ({"iss": "https://elsewhere.example"}, OVER),
        ({"code": ""}, "refused the sign-in (no_code)"),
        ({"code": "a" * 5000}, "refused the sign-in (no_code)"),
        ({"code": "made-up"}, "did not complete the sign-in"),
        ({"error": "access_denied"}, "You declined at"),
        ({"error": "server_error"}, "refused the sign-in (server_error)"),
        ({"error": "<script>alert(1)</script>"}, "refused the sign-in (error)"),
        ({"error": "e" * 60_000}, "refused the sign-in (error)"),
    ],
)
def test_a_reply_that_is_not_right_gives_nothing(identity, changed, said):
    browser = Browser()
    address = browser.allow(browser.begin())
    changed = {name: value.encode("utf-8", "replace").decode() for name, value in changed.items()}
    assert browser.come_back(reply(address, **changed)).startswith("/settings?")
    with pytest.raises(AccessError) as caught:
        browser.finish()
    assert said in str(caught.value)
    assert not identity.tokens


def test_the_issuer_that_was_asked_may_say_so(identity):
    browser = Browser()
    browser.come_back(reply(browser.allow(browser.begin()), iss=identity.address))
    assert browser.finish().name == "visitor-1"


def test_whoever_gets_the_address_of_a_strangers_sign_in_gives_the_stranger_nothing(identity):
    """The stranger waits in a session of their own; the other one agrees, and comes back."""
    stranger, other = Browser(), Browser()
    address = other.allow(stranger.begin("strangers"))
    assert other.come_back(address) == "/settings?signed_in=1"
    for browser in (stranger, other):
        with pytest.raises(AccessError, match="another browser"):
            browser.finish()
    assert not identity.tokens


def test_nobody_is_signed_in_as_a_stranger_by_the_strangers_reply(identity):
    stranger, other = Browser(), Browser()
    address = stranger.allow(stranger.begin())
    other.begin()
    assert other.come_back(address) == "/settings?signed_in=1"
    with pytest.raises(AccessError, match="another browser"):
        other.finish()
    stranger.come_back(address)
    assert stranger.finish().name == "visitor-1"


def test_a_strangers_code_is_refused_also_with_a_state_that_was_stolen(identity):
    stranger, other = Browser(), Browser()
    stolen = parse_qs(urlsplit(other.begin()).query)["state"][0]
    other.come_back(reply(stranger.allow(stranger.begin()), state=stolen))
    with pytest.raises(AccessError, match="did not complete"):
        other.finish()
    assert not identity.tokens


def test_a_stolen_state_without_its_browser_is_no_use_and_harms_nobody(identity):
    stranger, other = Browser(), Browser()
    address = other.allow(other.begin())
    assert stranger.come_back(address) == "/settings?signed_in=1"
    other.come_back(address)
    assert other.finish().name == "visitor-1"


def test_a_reply_counts_once_and_so_does_its_end(identity):
    browser = Browser()
    address = browser.allow(browser.begin())
    browser.come_back(address)
    assert browser.come_back(address) == "/settings?signed_in=1"
    browser.finish()
    browser.come_back(address)
    with pytest.raises(AccessError, match="used already"):
        browser.finish()
    assert identity.asked.count("/oauth/token") == 1


def test_a_link_to_the_page_of_return_ends_no_sign_in_that_is_on_its_way(identity):
    browser = Browser()
    there = browser.begin()
    with pytest.raises(AccessError, match=OVER):
        browser.finish()
    browser.come_back(browser.allow(there))

    assert browser.finish().name


def test_a_sign_in_that_takes_too_long_is_over(identity, monkeypatch):
    monkeypatch.setattr(sign_in, "SECONDS", 0.2)
    for wait_first in (True, False):
        browser = Browser()
        address = browser.allow(browser.begin())
        time.sleep(0.3 * wait_first)
        browser.come_back(address)
        time.sleep(0.3)
        with pytest.raises(AccessError, match="took longer"):
            browser.finish()


def test_what_nobody_finishes_is_forgotten_and_bounded(identity, monkeypatch):
    monkeypatch.setattr(sign_in, "MOST_STARTED", 3)
    app = app_of_host()
    assert app
    for _ in range(10):
        sign_in.begin(app, "mine")
    assert len(sign_in._started) == 3
    monkeypatch.setattr(sign_in, "SECONDS", 0.0)
    sign_in.begin(app, "mine")
    assert len(sign_in._started) <= 1


@pytest.mark.parametrize(
    "fault",
    [
        "no token",
        "long token",
        "long enough",
        "split token",
        "foreign letters",
        "other kind",
        "large reply",
        "deep",
        "html",
        "elsewhere",
        "echo",
        "slow",
        "drip",
    ],
)
def test_a_provider_that_errs_is_told_in_words_without_what_it_sent(
    identity, fault, monkeypatch, caplog
):
    monkeypatch.setattr(sign_in, "REPLY_SECONDS", 1.0)
    caplog.set_level(logging.DEBUG)
    identity.fault = fault
    begun = time.monotonic()
    with pytest.raises(AccessError) as caught:
        Browser().sign_in()
    assert time.monotonic() - begun < 5
    assert "did not complete the sign-in, or not in time. Sign in again." in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    tokens = list(identity.tokens.values())
    assert tokens
    quiet_logs()
    for text in (str(caught.value), repr(caught.value), caplog.text):
        assert not any(token[:20] in text for token in tokens)
    assert "/stolen" not in identity.asked


@pytest.mark.parametrize(("site", "status"), [("same-origin", 303), ("cross-site", 403)])
def test_only_a_page_of_this_host_begins_one(identity, site, status):
    answer = Browser().client.get("/sign-in?w=mine", headers={"Sec-Fetch-Site": site})
    assert answer.status_code == status
    assert ("set-cookie" in answer.headers) == (status == 303)


def test_a_link_cannot_choose_where_the_browser_goes_on(identity):
    browser = Browser()
    back = browser.come_back(browser.allow(browser.begin("//evil.example/%0d%0aX:1&next=x")))
    assert back.startswith("/settings?signed_in=1&w=%2F%2Fevil.example")
    assert "\r" not in back
    for query in ("next=//evil.example", "redirect_uri=//evil.example", "w=a"):
        assert Browser().come_back(f"/sign-in/back?{query}") == "/settings?signed_in=1"


def test_an_address_that_begins_very_many_has_to_wait(identity):
    begun = [Browser("203.0.113.9").client.get("/sign-in?w=mine") for _ in range(61)]
    assert [answer.status_code for answer in begun[-2:]] == [303, 429]
    assert Browser("203.0.113.10").client.get("/sign-in?w=mine").status_code == 303


@pytest.mark.parametrize("missing", ["OAUTH_CLIENT_ID", "SPACE_HOST", "PLUMBLINE_PUBLIC"])
def test_without_an_app_or_on_ones_own_machine_there_is_no_sign_in(identity, missing, monkeypatch):
    monkeypatch.setenv(missing, "")
    assert app_of_host() is None
    assert Browser().client.get("/sign-in").status_code == 403
    assert Browser().come_back("/sign-in/back?code=a&state=b") == "/settings?signed_in=1"


def test_a_token_shows_in_no_text_of_its_access_and_has_an_end(identity):
    identity.expires_in = 1
    access = Browser().sign_in()
    token = identity.tokens["visitor-1"]
    assert token not in repr(access)
    assert token not in access.model_dump_json()
    time.sleep(1.1)
    assert access.has_ended
