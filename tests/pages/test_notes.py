"""Notes and tags: written on a sample's page, and chosen by on the run's."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup

from evaluators.records import Run
from evaluators.runs import examples
from evaluators.runs.notes import tags_in, written
from evaluators.runs.store import Answer
from tests.pages.conftest import OpenPage, checked
from tests.pages.screen import markdown, press, said, samples, segments
from ui import session
from ui.parts import people

AT = "2026-11-23T00:30:00+00:00"


def sample(open_page: OpenPage, run: Run, number: int = 1) -> AppTest:
    """The page of a sample with the fields open."""
    at = open_page("sample", run=run.id, sample=str(number))
    return checked(at.button(key="note").click().run())


def key(run: Run, part: str, position: int = 0) -> str:
    return f"note_{run.id}_{position}_0_{part}"


def tags(at: AppTest, run: Run, position: int = 0) -> list[str]:
    return list(at.multiselect(key=key(run, "tags", position)).value)


def enter(at: AppTest, run: Run, *names: str) -> AppTest:
    """The page after these tags were chosen or typed; AppTest itself takes options only."""
    field = at.multiselect(key=key(run, "tags"))
    field._value = list(names)
    field.proto.options.extend(name for name in names if name not in field.options)
    return checked(at.run())


def closed(at: AppTest) -> str:
    """What the button says once the fields are closed."""
    return checked(at.button(key="note").click().run()).button(key="note").label


def chips(at: AppTest, run: Run) -> ButtonGroup:
    return segments(at, f"tag_{run.id}")


def chosen_by(at: AppTest, run: Run, tag: str) -> list[str]:
    """The numbers of the samples that the chip of a tag leaves."""
    chips(at, run).set_value(tag)
    return [row["#"] for row in samples(checked(at.run()))]


def test_a_note_is_kept_as_it_is_typed_and_stands_on_the_button(open_page, filled):
    run = filled.trace
    at = open_page("sample", run=run.id, sample="1")
    assert at.button(key="note").label == "Add a note"
    assert "Note" not in [field.label for field in at.text_area]

    at = checked(at.button(key="note").click().run())
    at.text_area(key=key(run, "text")).set_value("  Says 1925. ")
    at = enter(checked(at.run()), run, "wrong date", "name, place")

    assert tags(at, run) == ["wrong date", "name", "place"]
    assert at.text_area(key=key(run, "text")).value == "Says 1925."
    note = filled.store.notes.get(run.id, Answer(0))
    assert note is not None
    assert (note.text, note.tags) == ("Says 1925.", ("wrong date", "name", "place"))
    assert "you, " in said(at)
    assert closed(at).startswith("wrong date, name, place · Says")


def test_a_sample_offers_the_tags_of_the_run_the_most_frequent_first(open_page, filled):
    run = filled.trace
    for position, names in enumerate((["name"], ["date", "place"], ["date"])):
        filled.store.notes.save(run.id, Answer(position), written("", names, AT))
    at = sample(open_page, run, 9)
    assert at.multiselect(key=key(run, "tags", 8)).options == ["date", "name", "place"]


def test_the_last_word_stands_and_the_other_part_stays(open_page, filled):
    run = filled.trace
    at = sample(open_page, run)
    # Another browser, meanwhile.
    filled.store.notes.save(run.id, Answer(0), written("Theirs.", ["theirs"], AT))

    at.session_state[people.NAME] = "Anna"
    at = enter(at, run, "mine")

    note = filled.store.notes.get(run.id, Answer(0))
    assert note is not None
    assert (note.text, note.tags, note.person) == ("Theirs.", ("mine",), "Anna")
    assert "Anna, " in said(at)
    assert at.text_area(key=key(run, "text")).value == "Theirs."


def test_what_is_too_long_is_said_and_stays_in_its_field(open_page, filled):
    at = enter(sample(open_page, filled.trace), filled.trace, "x" * 61)
    assert "has 61 characters. Shorten it to 60" in said(at, "error")
    assert tags(at, filled.trace) == ["x" * 61]
    assert filled.store.notes.by_answer(filled.trace.id) == {}


def test_an_example_takes_no_notes(open_page, filled):
    run = examples.find(session.store(), examples.INVENTED)
    assert run is not None
    at = sample(open_page, run)
    assert "Press “Make it yours” to write notes" in said(at)
    assert not at.text_area
    assert not at.multiselect


def test_the_fields_stay_open_from_sample_to_sample(open_page, filled):
    run = filled.trace
    at = enter(sample(open_page, run), run, "date")
    at = press(at, "Next")
    assert (tags(at, run, 1), at.multiselect(key=key(run, "tags", 1)).options) == ([], ["date"])


def test_chips_choose_by_tag_together_with_the_other_chips_and_the_search(open_page, filled):
    run = filled.trace
    at = open_page("trace", run=run.id)
    assert f"tag_{run.id}" not in [group.key for group in at.get("button_group")]
    unsupported = [row for row in samples(at) if "not supported" in row["Verdict"]]
    first = int(unsupported[0]["#"]) - 1
    for position, names in ((0, ["date"]), (first, ["date", "name"]), (23, [])):
        note = written("A note." if position == 23 else "", names, AT)
        filled.store.notes.save(run.id, Answer(position), note)

    at = checked(at.run())
    assert chips(at, run).options == ["Any note 3", "date 2", "name 1"]
    # The unsupported one first.
    assert chosen_by(at, run, "date") == [str(first + 1), "1"]
    segments(at, f"filter_{run.id}").set_value("Unsupported")
    assert [row["#"] for row in samples(checked(at.run()))] == [str(first + 1)]
    segments(at, f"filter_{run.id}").set_value("All")
    at.text_input(key=f"search_{run.id}").set_value(unsupported[0]["Question"])
    assert [row["#"] for row in samples(checked(at.run()))] == [str(first + 1)]


def test_chips_count_the_answers_of_the_model_that_is_looked_at(open_page, filled):
    run = filled.rgb
    rejection = next(
        row.position
        for row in filled.store.results.outlines(run)
        if row.ability == "negative_rejection"
    )
    filled.store.notes.save(run.id, Answer(0), written("", ["a"], AT))
    filled.store.notes.save(run.id, Answer(rejection), written("", ["a", "b"], AT))
    at = open_page("rgb", run=run.id)
    every = [group for group in at.get("button_group") if group.key == f"tag_{run.id}"]
    assert every[0].options[:2] == ["Any note 2", "a 2"]


HOSTILE = (
    "<script>alert(1)</script>",
    "![x](http://127.0.0.1:9/x.png)",
    ":material/home: :red[x] $x$",
    "' or 1=1 --",
    "\u202eevil",
)


def test_hostile_notes_and_tags_are_text(open_page, filled):
    run = filled.trace
    for position, text in enumerate(HOSTILE):
        filled.store.notes.save(run.id, Answer(position), written(text, [text], AT))

    at = open_page("trace", run=run.id)
    assert set(HOSTILE).isdisjoint(option[:-2] for option in chips(at, run).options[1:4])
    for position, text in enumerate(HOSTILE):
        (tag,) = tags_in([text])
        assert chosen_by(at, run, tag) == [str(position + 1)]

    for position, text in enumerate(HOSTILE[:3]):
        at = sample(open_page, run, position + 1)
        assert at.text_area(key=key(run, "text", position)).value == text
        assert tags(at, run, position) == [text]
        assert not [shown for shown in markdown(at) if text in shown]
        assert closed(at) != text
