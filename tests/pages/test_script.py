"""Events of components: of one on the page, and of one that left it, which strangers may send."""

import json

from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import checked


def page():
    import streamlit as st

    from ui import script

    def note():
        st.session_state["noted"] = script.event("shown", "changed")

    st.session_state["noted"] = st.session_state.get("noted", "nothing")
    if not st.checkbox("Leave"):
        component = st.components.v2.component("shown", js="export default () => {}")
        component(key="shown", on_changed_change=note)


def send(at: AppTest, component_id: str) -> AppTest:
    trigger = WidgetState(id=_make_trigger_id(component_id, "events"))
    trigger.json_trigger_value = json.dumps([{"event": "changed", "value": ["a"]}])
    states = at._tree.get_widget_states()
    states.widgets.append(trigger)
    return checked(at._run(states))


def test_an_event_is_what_was_sent_and_of_a_component_that_left_the_page_nothing():
    at = AppTest.from_function(page).run()
    component_id = at.get("bidi_component")[0].proto.id

    assert send(at, component_id).session_state["noted"] == ["a"]
    at = at.checkbox[0].check().run()
    assert send(at, component_id).session_state["noted"] is None
