"""The router: the frame around every page. Pages are listed here and nowhere else."""

import streamlit as st

from evaluators.config import ROOT
from evaluators.llm.keys import quiet_logs
from evaluators.text.language import say
from ui import language, session
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
        st.Page(
            "../pages/home.py",
            title=say("Home"),
            icon=":material/home:",
            default=True,
        ),
        st.Page("../pages/learn.py", title=say("Learn"), icon=":material/school:"),
        st.Page("../pages/datasets.py", title=say("Datasets"), icon=":material/database:"),
        st.Page("../pages/rgb.py", title="RGB", icon=":material/show_chart:"),
        st.Page("../pages/trace.py", title="TRACE", icon=":material/fact_check:"),
        st.Page("../pages/metrics.py", title=say("Metrics"), icon=":material/straighten:"),
        st.Page("../pages/runs.py", title=say("Runs"), icon=":material/history:"),
        st.Page("../pages/compare.py", title=say("Compare"), icon=":material/compare_arrows:"),
        st.Page(
            "../pages/sample.py",
            title=say("Sample"),
            icon=":material/search:",
            visibility="visible" if was_sample_opened else "hidden",
        ),
        # Reached from a run, or by the link of a queue.
        st.Page(
            "../pages/label.py",
            title=say("Label"),
            icon=":material/edit_note:",
            visibility="visible" if "queue" in st.query_params else "hidden",
        ),
        st.Page(
            "../pages/check.py",
            title=say("Check"),
            icon=":material/balance:",
            visibility="visible" if check_link.LAST in st.session_state else "hidden",
        ),
        # Reached from the list of runs, as the next one.
        st.Page(
            "../pages/leaderboard.py",
            title=say("Leaderboard"),
            icon=":material/leaderboard:",
            visibility="visible" if "ranked" in st.query_params else "hidden",
        ),
        st.Page(
            "../pages/batch.py",
            title=say("Batch"),
            icon=":material/stacks:",
            visibility="visible" if "batch" in st.query_params else "hidden",
        ),
        # Reached from a run, or by the link of a round.
        st.Page(
            "../pages/round.py",
            title=say("Round"),
            icon=":material/groups:",
            visibility="hidden",
        ),
        st.Page("../pages/settings.py", title=say("Settings"), icon=":material/key:"),
    ],
    # A line above the page, where the sidebar would take a third of the screen.
    position="top" if projector.is_on() else "sidebar",
)
st.set_page_config(page_title=f"{page.title} · Plumbline")
with problems.caught():
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
