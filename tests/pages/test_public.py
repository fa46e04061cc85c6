"""A public host: what belongs to one visitor is there for nobody else, and the visitor's link leads
back to it.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

from evaluators.llm import Access
from evaluators.llm.providers import PROVIDERS, Provider
from evaluators.records import Dataset, Run
from evaluators.runs import samples
from evaluators.runs.engine import registry
from evaluators.runs.examples import INVENTED
from tests.loopback import Loopback
from tests.pages.by_hand import LUNA
from tests.pages.conftest import checked, finish
from tests.pages.screen import button, cards, listed, press, said, select, settled, state
from tests.pages.test_settings import KEY, choose, enter, sample_run
from ui import session

MINE = "mine-4fT9qLx2Vb7Rz1_KcW"
YOURS = "yours-8sJ3nHd6Yp0Qm5-GaE"
ROW = b"question,response\nWhen?,In May."


@pytest.fixture(autouse=True)
def public_host(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two visitors were here before."""
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    for workspace in (MINE, YOURS):
        session.store().mappings.save(workspace, ["question"], {})


@pytest.fixture
def my_run() -> Run:
    """A finished run in the workspace MINE."""
    run = samples.trace(session.store(), MINE)
    finish(run, session.store())
    return run


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """Stands where this host believes OpenAI to be."""
    with Loopback(key=KEY) as server:
        monkeypatch.setitem(PROVIDERS, "openai", moved(server))
        yield server


def test_an_example_is_open_to_all_and_a_copy_belongs_to_one_visitor(open_page):
    for visitor in (MINE, YOURS):
        at = open_page("trace", w=visitor, run=INVENTED)
        assert "not measurements of a named model" in said(at)
    copied = press(at, "Make it yours").query_params["run"]
    assert session.store().runs.ids(YOURS) == [copied]
    assert session.store().runs.ids(MINE) == []


def moved(server: Loopback) -> Provider:
    """OpenAI at the address of a server on this computer."""
    return PROVIDERS["openai"].model_copy(update={"address": server.base_url})


# The workspace


def test_two_visitors_get_workspaces_that_nobody_can_guess(open_page):
    first, second = (open_page("home").query_params["w"] for _ in range(2))
    assert first != second
    assert len(first) >= 22


def test_the_link_brings_back_the_runs(open_page, my_run):
    assert listed(open_page("runs", w=MINE))[my_run.id]["State"] == "24 answers checked"
    assert "Adherence" in cards(open_page("trace", w=MINE, run=my_run.id))


DEAD = "That link is unknown or expired here. This is a new, empty workspace."


@pytest.mark.parametrize("link", ["A" * 22, "made-by-somebody-else-0123456789", "short"])
def test_a_link_that_this_host_never_issued_opens_a_new_workspace_and_says_so(open_page, link):
    at = open_page("datasets", w=link)
    assert at.query_params["w"] != link
    assert DEAD in said(at, "warning")
    upload(at, "mine.csv")
    assert not session.store().uploads.names(link)
    assert DEAD not in said(checked(at.run()))  # it is no longer empty


def test_a_visit_alone_writes_nothing_and_a_reload_stays_in_its_workspace(open_page):
    issued = open_page("home").query_params["w"]
    assert not session.store().workspaces.knows(issued)
    again = open_page("home", w=issued)
    assert again.query_params["w"] == issued
    assert DEAD not in said(again)


def test_a_new_link_takes_everything_along_and_the_old_one_leads_nowhere(open_page, my_run):
    upload(open_page("datasets", w=MINE), "mine.csv")
    other_tab, at = open_page("runs", w=MINE), open_page("settings", w=MINE)
    at.button(key="move_workspace").click()
    new = checked(at.run()).query_params["w"]
    assert new != MINE
    assert f"/?w={new}" in at.code[0].value
    assert listed(open_page("runs", w=new))[my_run.id]["State"] == "24 answers checked"
    assert "mine.csv (uploaded)" in open_page("datasets", w=new).selectbox(key="dataset").options
    for old in (open_page("runs", w=MINE), checked(other_tab.run())):
        assert DEAD in said(old, "warning")
        assert "No run yet." in said(old)


def test_a_tab_with_the_old_link_can_change_nothing_any_more(open_page, my_run):
    tab = select(open_page("runs", w=MINE), my_run.id)
    registry.move_workspace(MINE, session.store())
    checked(tab.button(key="runs_delete_for_good").click().run())
    assert session.store().runs.get(my_run.id)


def test_no_new_link_while_a_run_is_at_work(open_page, loopback):
    server = loopback(fault=lambda _: "hang")
    run = sample_run([LUNA]).model_copy(update={"id": "mine", "workspace": MINE})
    session.store().runs.save(run, Dataset(name="kept already", samples=()))
    access = Access(provider="openai", base_url=server.base_url, key=SecretStr(KEY))
    registry.start(run, session.store(), {"openai": access})
    at = open_page("settings", w=MINE)
    at.button(key="move_workspace").click()
    assert "A run of yours is at work" in said(checked(at.run()), "error")
    assert at.query_params["w"] == MINE
    registry.cancel(run.id)


@pytest.mark.parametrize(
    "odd", ["", "local", "short", "x" * 21, "x" * 87, "../" * 10, "a b" * 10, "é" * 30]
)
def test_what_cannot_be_a_workspace_is_replaced(open_page, odd):
    at = open_page("home", w=odd)
    assert at.query_params["w"] == at.session_state["workspace"] != odd


def test_the_workspace_stays_in_the_address_from_page_to_page(open_page, my_run):
    at = open_page("runs", w=MINE)
    at.query_params.clear()  # as a click on the menu does
    assert checked(at.switch_page("../pages/home.py").run()).query_params["w"] == MINE
    at.button(key=f"open_{my_run.id}").click()
    assert checked(at.run()).query_params == {"w": MINE, "run": my_run.id}


@pytest.mark.parametrize("name", ["home", "runs", "trace"])
def test_pages_with_runs_say_that_only_the_link_leads_back(open_page, my_run, name):
    run = {"run": my_run.id} if name == "trace" else {}
    assert f"Your workspace is only at [this link](./?w={MINE}): keep it." in said(
        open_page(name, w=MINE, **run)
    )


def test_a_laptop_says_nothing_of_links_and_workspaces(open_page, my_run, monkeypatch):
    monkeypatch.delenv("PLUMBLINE_PUBLIC")
    at = open_page("settings")
    assert "w" not in at.query_params
    assert "Your link" not in said(at, "header")
    assert "another workspace" not in said(open_page("rgb", run="unknown"), "warning")
    assert "link" not in said(open_page("runs"))
    finish(samples.trace(session.store(), "local"), session.store())
    assert "link" not in said(open_page("runs"))


# Others


@pytest.mark.parametrize("name", ["trace", "rgb", "metrics", "sample"])
def test_the_run_of_another_is_not_there_even_for_who_knows_its_id_and_that_stands_above_all_else(
    open_page, my_run, name
):
    at = open_page(name, w=YOURS, run=my_run.id)
    assert "There is no such run here" in said(at, "warning")
    assert not cards(at)
    assert "the run belongs to another workspace" in said(at, "warning")
    above = list(at.main.children.values())[:2]
    assert [element.value for element in above[0].title] == [at.title[0].value]
    assert above[1].type == "warning"


@pytest.mark.parametrize("name", ["home", "runs"])
def test_the_runs_of_another_are_in_no_list_and_an_empty_one_asks_for_the_link_of_earlier_runs(
    open_page, my_run, name
):
    at = open_page(name, w=YOURS)
    assert "No run yet." in said(at)
    assert "Had runs here before? Open them with your link." in said(at)


def test_the_uploads_of_another_are_not_there(open_page):
    upload(open_page("datasets", w=MINE), "mine.csv")
    for visitor in (MINE, YOURS):
        offered = open_page("datasets", w=visitor).selectbox(key="dataset").options
        assert ("mine.csv (uploaded)" in offered) is (visitor == MINE)


def test_a_key_belongs_to_its_session_and_not_to_the_link(open_page, server):
    at = enter(open_page("settings", w=MINE), "openai", KEY)
    assert "Works" in said(at, "success")
    for workspace in (MINE, YOURS):
        other = choose(open_page("settings", w=workspace), "openai")
        assert "No key yet." in said(other)
        assert "keys" not in other.session_state or other.session_state["keys"] == {}
        # A reload of the same workspace says what it forgot; to others there is nothing to say.
        lost = "Your key was forgotten with the reload. Enter it again." in said(other, "warning")
        assert lost is (workspace == MINE)
        # So does a form, where a model would need the key.
        form = open_page("trace", w=workspace)
        form.radio(key="trace_method").set_value("One judge")
        words = said(checked(form.run()))
        assert "needs a key; the price is shown without one." in words
        assert ("Your key was forgotten with the reload." in words) is (workspace == MINE)


def test_a_key_of_the_hosts_environment_is_for_nobody(open_page, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    at = open_page("settings")
    assert "No key yet. Groq" in said(at)
    assert "GROQ_API_KEY" not in said(at)


def test_custom_endpoints_are_not_offered(open_page):
    offered = open_page("settings").selectbox(key="provider").options
    assert offered == ["Groq", "OpenAI", "Hugging Face"]


def test_no_form_offers_a_model_that_no_visitor_can_have_a_key_for(open_page):
    options = open_page("rgb").multiselect(key="rgb_models").options
    assert any(option.startswith("✕ GPT-6 Luna") for option in options)
    assert not [option for option in options if "Mistral" in option or "Together" in option]


def test_an_address_of_the_hosts_environment_gets_no_visitors_key(open_page, server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert "Works" in said(enter(open_page("settings"), "openai", KEY), "success")


# Settings


def test_settings_show_the_link_and_what_the_host_allows(open_page, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_UPLOADS_PER_VISITOR", "7")
    monkeypatch.setenv("PLUMBLINE_UNWATCHED_SECONDS", "300")
    at = open_page("settings", w=MINE)
    at.context["url"] = "https://me-plumbline.hf.space/settings"
    checked(at.run())
    assert [code.value for code in at.code] == [f"https://me-plumbline.hf.space/?w={MINE}"]
    text = said(at, "markdown")
    assert "1 run of yours may be at work at a time, 8 of all" in text
    assert "up to 2,000 samples" in text
    assert "Up to 7 uploads of yours are kept" in text
    assert "for 5 minutes is paused" in text
    assert "they may take up 200 MB" in text
    assert re.search(
        r"Kept until \d+ \w+ 20\d\d unless you come back; after 7 days without a visit", text
    )


# Limits


def test_a_host_that_has_many_newcomers_lets_the_next_one_wait_and_loses_nothing(
    open_page, monkeypatch
):
    monkeypatch.setenv("PLUMBLINE_WORKSPACES_PER_MINUTE", "2")  # MINE and YOURS are new
    at = upload(open_page("datasets"), "new.csv")
    assert "2 new visitors a minute are the most that this host takes" in said(at, "error")
    assert not upload(open_page("datasets", w=MINE), "mine.csv").error


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("WORKSPACE_BYTES", "this host keeps 0.0 MB for each visitor"),
        ("STORE_BYTES", "This host has no space left"),
    ],
)
def test_an_upload_or_a_run_beyond_the_bytes_says_so(open_page, monkeypatch, variable, words):
    monkeypatch.setenv(f"PLUMBLINE_{variable}", "10")
    assert words in said(upload(open_page("datasets", w=MINE), "mine.csv"), "error")
    at = open_page("home", w=MINE)
    assert words in said(press(at, "Run the TRACE sample"), "error")
    assert session.store().runs.newest(MINE) == []


def test_an_upload_over_the_limit_says_so_and_is_not_kept(open_page, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_UPLOADS_PER_VISITOR", "1")
    assert not upload(open_page("datasets", w=MINE), "first.csv").error
    at = upload(open_page("datasets", w=MINE), "second.csv")
    assert (
        "This host keeps 1 upload for each visitor, and you have that many. Delete one first."
        in said(at, "error")
    )
    assert list(session.store().uploads.names(MINE)) == ["first.csv"]
    # One can still be replaced, and others have room.
    for workspace in (MINE, YOURS):
        assert not upload(open_page("datasets", w=workspace), "first.csv").error


@pytest.fixture
def full(loopback: Callable[..., Loopback], monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The host's one place is taken by a run that does not end."""
    monkeypatch.setenv("PLUMBLINE_RUNS_IN_ALL", "1")
    monkeypatch.setitem(PROVIDERS, "openai", moved(loopback(fault=lambda _: "hang")))
    another = sample_run([LUNA])
    access = Access(provider="openai", base_url=PROVIDERS["openai"].address, key=SecretStr(KEY))
    registry.start(another, session.store(), {"openai": access})
    yield another
    for run in (another, *session.store().runs.newest(MINE)):
        registry.cancel(run.id)


def test_a_run_that_the_host_has_no_room_for_waits_on_every_page_and_starts_by_itself(
    open_page, full
):
    at = open_page("home", w=MINE)
    button(at, "Run the TRACE sample").click()
    waits = re.compile(r"Waiting · 1st(, about \d+ s)? · 0 of 24 checked")
    assert waits.search(state(checked(at.run())))  # on the run's page
    assert not waits.search(said(at))  # the sidebar leaves out the run that the page shows
    assert "Nothing is checked yet." in said(at)  # rather than means without numbers
    (run,) = session.store().runs.newest(MINE)
    listed = checked(at.switch_page("../pages/runs.py").run())
    assert said(listed).count("Waiting · 1st") == 2
    assert button(listed, "Cancel").key == f"cancel_{run.id}"
    registry.cancel(full.id)
    for _ in range(200):
        if not session.store().results.counts(run).open:
            break
        time.sleep(0.05)
    assert state(settled(open_page("trace", w=MINE, run=run.id))) == "24 answers checked"


def test_whoever_waits_is_told_about_how_long(open_page, full, monkeypatch):
    at = open_page("home", w=MINE)
    monkeypatch.setattr(registry, "_recent", deque([20.0]))
    assert "Waiting · 1st, about 20 s" in state(press(at, "Run the TRACE sample"))


def test_a_waiting_run_can_be_cancelled_and_resumed(open_page, full):
    at = open_page("home", w=MINE)
    button(at, "Run the TRACE sample").click().run()
    (run,) = session.store().runs.newest(MINE)
    at = open_page("trace", w=MINE, run=run.id)
    at.button(key=f"cancel_{run.id}").click()
    assert state(checked(at.run())) == "Stopped · 0 of 24 checked"
    at.button(key=f"resume_{run.id}").click()
    assert "Waiting · 1st" in state(checked(at.run()))


def upload(at: AppTest, name: str) -> AppTest:
    return checked(at.file_uploader(key="upload_0").upload(name, ROW).run())
