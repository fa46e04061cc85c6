"""A column of versions beside repeated questions: which one is proposed, and which is none."""

import pytest

from evaluators.datasets.mapping import load, open_file

HEADER = "question,response,prompt_version"
TWO = ["Who?,Anna.,v1", "What?,Rye.,v1", "Who?,Berg.,v2", "What?,Oats.,v2"]


def opened(*lines, header=HEADER):
    return open_file("a.csv", "\n".join([header, *lines]).encode())


def test_versions_that_answered_the_same_questions_are_the_groups():
    loaded = opened(*TWO)

    assert [sample.situation for sample in loaded.data.samples] == ["v1", "v1", "v2", "v2"]
    assert loaded.guess.is_sure
    assert loaded.note.startswith("Compare by prompt_version.")
    assert loaded.data.origin == {"group": "prompt_version"}


@pytest.mark.parametrize(
    ("header", "lines"),
    [
        # Each question stands once
        (HEADER, ["Who?,Anna.,v1", "What?,Rye.,v2", "Where?,Here.,v1", "Why?,So.,v2"]),
        # What a question is about is the same for all of its answers
        ("question,response,subject", ["Who?,A.,x", "Who?,B.,x", "What?,C.,y", "What?,D.,y"]),
        # Two annotators of the same answers
        ("question,response,who_read", ["Who?,A.,x", "Who?,A.,y", "What?,C.,x", "What?,C.,y"]),
        # A value that comes out as it comes out: v1 twice for one question, both for the other
        (
            "question,response,happy",
            ["Who?,A.,0", "Who?,B.,0", "What?,C.,0", "What?,D.,1", "How?,E.,1", "How?,F.,1"],
        ),
        # Named for what else they are
        ("question,response,score", ["Who?,A.,1", "Who?,B.,2", "What?,C.,1", "What?,D.,2"]),
        ("question,response,seed", ["Who?,A.,1", "Who?,B.,2", "What?,C.,1", "What?,D.,2"]),
        # 25 values, as ids have
        (HEADER, [f"{q},{q}{v}.,v{v}" for q in ("Who?", "What?") for v in range(25)]),
        # One value
        (HEADER, ["Who?,A.,v1", "Who?,B.,v1", "What?,C.,v1", "What?,D.,v1"]),
        # A question that is repeated by mistake, among many
        (HEADER, [*TWO[:1], "Who?,B.,v2", *(f"Q{n}?,A.,v{1 + n % 2}" for n in range(20))]),
    ],
)
def test_other_columns_are_none(header, lines):
    assert opened(*lines, header=header).guess.versions == ()


def test_passages_of_a_question_are_no_versions():
    passages = [f"{q},A passage of some words on {q} {n}.,{n}" for q in "ABC" for n in (1, 2)]

    loaded = opened(*passages, header="question,passage,number")

    assert loaded.guess.versions == ()
    assert len(loaded.data.samples) == 3


def test_a_known_name_comes_first_and_others_are_named():
    lines = [f"{q}?,{q}{v}.,a{v},{5 * v}" for q in ("Who", "What") for v in (1, 2)]

    loaded = opened(*lines, header="question,response,owner,top_k")

    assert loaded.guess.versions == ("top_k", "owner")
    assert loaded.guess.columns["group"] == "top_k"
    assert "Compare by top_k. It could be owner as well." in loaded.note


def test_the_rows_of_a_version_may_stand_far_down():
    lines = [f"Q{n}?,A{n}.,old" for n in range(200)] + [f"Q{n}?,B{n}.,new" for n in range(200)]

    assert opened(*lines).guess.versions == ("prompt_version",)


def test_a_field_in_an_object_is_a_version():
    rows = ",".join(
        f'{{"question": "{q}?", "response": "{v}", "metadata": {{"prompt_version": "{v}"}}}}'
        for v in ("v1", "v2")
        for q in ("Who", "What")
    )

    loaded = open_file("a.json", f"[{rows}]".encode())

    assert loaded.guess.columns["group"] == "metadata.prompt_version"


def test_whoever_names_another_group_or_none_has_that():
    data = "\n".join([f"{HEADER},owner", *(f"{line},{line[-1]}" for line in TWO)]).encode()

    other = load("a.csv", data, {"group": "owner"})
    none = load("a.csv", data, {"group": ""})

    assert [sample.situation for sample in other.samples] == ["1", "1", "2", "2"]
    assert other.origin == {"group": "owner"}
    assert {sample.situation for sample in none.samples} == {""}
