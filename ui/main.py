"""The router: the frame around every page. Pages are listed here and nowhere else."""

import streamlit as st

from evaluators.config import ROOT
from evaluators.llm.keys import quiet_logs
from evaluators.runs import giving_way
from evaluators.text.language import say
from ui import language, menu, session
from ui.parts import check_link, problems, projector
from ui.runs import progress
from ui.settings import backup

# Before a page loads an SDK, which would turn its own loggers up.
quiet_logs()
language.set_up()
# A picture of our own, as the browser would fetch a `:material/` icon from Google.
st.set_page_config(
    page_icon=str(ROOT / "ui" / "static" / "favicon.png"),
    layout="wide",
    # Pixels, the least that Streamlit takes: the menu has one word a line.
    initial_sidebar_state=200,
)
st.html(ROOT / "ui" / "static" / "app.css")
# In the menu a page of one sample is a way back, and nothing before that.
was_sample_opened = "sample" in st.query_params or "sample_address" in st.session_state

page = st.navigation(
    [
        menu.page("home", say("Home"), "home", is_default=True),
        menu.page("learn", say("Learn"), "school"),
        menu.page("datasets", say("Datasets"), "database"),
        menu.page("rgb", "RGB", "show_chart"),
        menu.page("trace", "TRACE", "fact_check"),
        menu.page("metrics", say("Metrics"), "straighten"),
        menu.page("runs", say("Runs"), "history"),
        menu.page("compare", say("Compare"), "compare_arrows"),
        menu.page("sample", say("Sample"), "search", is_hidden=not was_sample_opened),
        # Reached from a run, or by the link of a queue.
        menu.page("label", say("Label"), "edit_note", is_hidden="queue" not in st.query_params),
        menu.page(
            "check", say("Check"), "balance", is_hidden=check_link.LAST not in st.session_state
        ),
        # Reached from the list of runs, as the next one.
        menu.page(
            "leaderboard",
            say("Leaderboard"),
            "leaderboard",
            is_hidden="ranked" not in st.query_params,
        ),
        menu.page("batch", say("Batch"), "stacks", is_hidden="batch" not in st.query_params),
        # Reached from a run, or by the link of a round.
        menu.page("round", say("Round"), "groups", is_hidden=True),
        menu.page("settings", say("Settings"), "key"),
    ],
    # A line above the page, where the sidebar would take a third of the screen.
    position="top" if projector.is_on() else "sidebar",
)
st.set_page_config(page_title=f"{page.title} · Plumbline")
with giving_way.drawing(), problems.caught():
    if not backup.is_store_there():
        st.stop()
    if page.url_path == "round" and "run" not in st.query_params:
        # A class sees it: nothing of the workspace around, nor its token in the address.
        language.tell_browser()
        page.run()
        st.stop()
    # A click on the menu drops the parameters, and with them the way back to the workspace.
    st.query_params.update(session.address())
    if projector.is_on():
        language.tell_browser()
        projector.show()
    else:
        with st.sidebar:
            progress.sidebar(page.url_path)
            language.switch()
            projector.begin()
    if st.query_params.pop(session.NO_PAGE, None):
        words = say("There is no page at this address. This is Home.")
        st.warning(words, icon=":material/link_off:")
    if session.is_link_dead():
        st.warning(
            say("That link is unknown or expired here. This is a new, empty workspace."),
            icon=":material/link_off:",
        )
    page.run()
    # Only the page knows which run it shows; it leaves it in the address.
    shown = session.find_run(st.query_params.get("run"))
    if shown is not None:
        st.set_page_config(page_title=f"{page.title} · {shown.title} · Plumbline")
    session.forget_earlier_widgets()
