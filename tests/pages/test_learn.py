"""Learn: each lesson is played, its numbers worked out by hand, and ends in the app."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from evaluators import rgb_rules
from evaluators.records import Ability, Support
from evaluators.runs.examples import INVENTED, NOISE
from evaluators.runs.glossary import terms
from evaluators.text.language import CHINESE, say, speaking
from tests.lesson import NO_CLAIM
from tests.pages.conftest import checked
from tests.pages.screen import (
    button,
    evidence,
    html,
    lines,
    markdown,
    press,
    said,
    segments,
    table_columns,
)
from ui.language import LANGUAGE
from ui.learn.lesson import material

LINK = re.compile(r" \[\?\]\(learn\?term=\w+ .*?\)")
CELL = re.compile(r"<div><b>(.*?)</b> <strong>(.*?)</strong>")


def strip(at: AppTest) -> dict[str, str]:
    """The values that stay in sight, by title."""
    return {unescape(title): value for title, value in CELL.findall(html(at))}


def rows_of_table(at: AppTest) -> list[list[str]]:
    """The cells of the first table, line by line."""
    return [list(row.values()) for row in at.table[0].value.to_dict("records")]


def tapped(at: AppTest, **choices: object) -> AppTest:
    """The lesson after each of these pills was set."""
    for key, value in choices.items():
        segments(at, f"learn_{key}").set_value(value)
    return checked(at.run())


def test_a_word_that_was_asked_for_stands_first_and_every_word_stands_once(open_page):
    at = open_page("learn", term="adherence")
    assert [header.value for header in at.header] == ["Adherence", "Glossary"]
    shown = html(at)
    asked, glossary = shown.split("<dl", 1)
    assert "<b>Ideal:</b> 1" in asked
    assert "1 if every sentence of the answer is fully supported, else 0" in asked
    assert glossary.count("<dt>") == len(terms())
    assert "Glossary" in [header.value for header in open_page("learn", term="<b>no</b>").header]


def test_values_columns_and_formulas_of_a_trace_run_link_to_their_words(open_page):
    at = open_page("trace", run=INVENTED)
    linked("adherence", "supported_share", "average", at=at)
    heads_linked(at)
    formula = segments(at, f"definition_{INVENTED}")
    assert "[More](learn?term=sentence)" in formula.help


def test_rates_columns_and_rules_of_an_rgb_run_link_to_their_words(open_page):
    at = open_page("rgb", run=NOISE)
    linked("negative_rejection", at=at)
    heads_linked(at)
    meaning = "declines when no document holds the answer"
    assert meaning in next(line.meaning for line in lines(at) if line.title == "Negative rejection")
    rules = segments(at, f"policy_{NOISE}")
    assert "[More](learn?term=documented)" in rules.help


def test_values_of_a_comparison_link_to_their_words(open_page):
    at = open_page("compare", first=f"{NOISE}.1", second=f"{NOISE}.2")
    # Accuracy, rejection and detection, as comparisons call them.
    linked("noise_robustness", "negative_rejection", "error_detection", at=at)


def linked(*names: str, at: AppTest) -> None:
    assert [name for name in names if f'href="learn?term={name}"' not in html(at)] == []


def heads_linked(at: AppTest) -> None:
    """Each column of values leads to its word from its head."""
    columns = [column for column in table_columns(at) if column["order"]]
    assert columns
    assert [column["title"] for column in columns if not column["term"]] == []


def test_each_number_of_a_sample_links_to_its_word(open_page):
    at = open_page("sample", run=INVENTED, sample="5")
    assert [number["term"][0] for number in evidence(at)["numbers"]] == [
        "learn?term=context_relevance",
        "learn?term=context_utilization",
        "learn?term=completeness",
        "learn?term=adherence",
        "learn?term=average",
    ]


def test_the_rule_that_decided_and_those_before_it_link_to_their_words(open_page):
    at = open_page("sample", run=NOISE, sample="1")
    link = '[?](learn?term=contains_the_answer "What is Contains the answer?")'
    assert f"It contains “23 June 2023”. {link}" in said(at, "markdown")
    rules = [row["Rule"] for row in at.table[0].value.to_dict("records")]
    assert [rule for rule in rules if "[?](learn?term=" not in rule] == []


def test_a_lesson_is_opened_by_its_address_and_an_unknown_one_shows_the_list(open_page):
    assert [title.value for title in open_page("learn", lesson="2").title] == ["TRACE on one page"]
    assert [title.value for title in open_page("learn", lesson="99").title] == ["Learn"]


GUESSES = [
    ("true", "Yes: it is true", "Adherence 1.00 · Completeness 1.00 · Holds the true answer yes"),
    # One of two relevant sentences is used, one of two sentences is supported.
    (
        "true",
        "it adds something",
        "Adherence 0.00 · Completeness 0.50 · Holds the true answer yes",
    ),
    (
        "contradicts",
        "Yes: it contradicts",
        "Adherence 0.00 · Completeness 0.00 · Holds the true answer no",
    ),
    (
        "declines",
        f"{NO_CLAIM} That it was wrong to decline is another matter: document 1 holds the answer",
        "Adherence 1.00 · Completeness 0.00 · Holds the true answer no · Declines yes",
    ),
]
"""Of each answer what is guessed, what is said then, and its numbers; the second guess is wrong."""

TAKEN = "An answer can be right, invented"


def test_answers_are_guessed_and_then_labelled_and_what_to_take_with_one_comes_last(open_page):
    at = open_page("learn", lesson="1")
    for number, (kind, told, numbers) in enumerate(GUESSES, 1):
        assert TAKEN not in said(at, "markdown")
        tapped(at, **{f"rag_{number}": kind})
        assert told in said(at)
        assert numbers in LINK.sub("", said(at)).replace("*", "")
        assert "[?](learn?term=adherence " in said(at)
        recognised = number - (number > 1)
        assert f"{recognised} of 4 recognised." in said(at, "markdown").replace("*", "")
    assert TAKEN in said(at, "markdown")


def test_whoever_skips_a_lesson_reads_what_to_take_as_well(open_page):
    at = open_page("learn", lesson="1")
    assert TAKEN in said(press(at, "Skip to what you take with you"), "markdown")


def test_the_four_formulas_follow_what_is_tapped(open_page):
    at = open_page("learn", lesson="2")
    # Nothing is known without a label, under any definition.
    assert set(strip(at).values()) == {"–"}
    assert {cell for row in rows_of_table(at) for cell in row[1:]} == {"–"}
    # Each by its formula, and none by a number that nobody labelled.
    formulas = re.findall("<span>(.*?)</span></div>", html(at))
    assert formulas == [
        "= relevant sentences / all document sentences",
        "= used sentences / relevant sentences",
        "= sentences both relevant and used / relevant sentences",
        "= 1 if every sentence of the answer is fully supported, else 0",
    ]
    tapped(
        at,
        trace_0b=["relevant", "used"],
        trace_0c=["relevant"],
        trace_a=Support.PARTIAL,
        trace_b=Support.FULL,
    )
    # 2 / 5, 1 / 2, 1 / 2, and 1 of 2 sentences fully supported.
    assert strip(at) == {
        "Context relevance": "0.40",
        "Context utilization": "0.50",
        "Completeness": "0.50",
        "Adherence": "0.00",
    }


def test_three_definitions_stand_beside_each_other(open_page):
    at = open_page("learn", lesson="2")
    tapped(at, trace_whose="Ours")
    heads = list(at.table[0].value.to_dict("records")[0])
    assert [LINK.sub("", head) for head in heads] == ["Value", "Sentence", "Fixed 20", "RAGBench"]
    assert all(LINK.search(head) for head in heads[1:])
    # Relevant and used are 0b and 0c of five; one sentence is partly, one fully supported.
    assert rows_of_table(at) == [
        ["Context relevance", "0.40", "0.10", "0.40"],
        ["Context utilization", "1.00", "1.00", "0.40"],
        ["Completeness", "1.00", "1.00", "1.00"],
        ["Adherence", "0.00", "0.00", "1.00"],
    ]


def test_what_one_saw_otherwise_is_told_with_the_reason_and_is_there_again_after_ours(open_page):
    at = open_page("learn", lesson="2")
    tapped(at, trace_0b=["relevant", "used"], trace_a=Support.FULL, trace_b=Support.FULL)
    mine = strip(at)
    assert strip(tapped(at, trace_whose="Ours")) != mine
    # Ours are to be read, not to be changed.
    assert segments(at, "learn_trace_a").disabled
    told = said(at, "markdown")
    assert "You saw 2 sentences differently:" in said(at)
    assert "0c: you said nothing, we say relevant + used." in told.replace("*", "")
    assert "0b says 20 millilitres and not 50." in told
    assert "With our labels they differ in" in told
    assert strip(tapped(at, trace_whose="Mine")) == mine
    assert segments(at, "learn_trace_a").value == Support.FULL
    assert "With your labels they differ in" in said(at, "markdown")


def test_the_end_of_a_lesson_opens_its_answer_and_ticks_it(open_page):
    at = open_page("learn", lesson="2")
    checked(at.button(key="lesson_place").click().run())
    # The same sum on the sample's own page.
    assert "relevant sentences / all document sentences = 2 / 5 = 0.40" in said(at, "text")
    at.switch_page("../pages/learn.py")
    checked(at.run())
    assert "1 of" in said(at)
    assert button(at, "Play again")


SLIP = {
    # The otters: B takes those of another year from 60 % on, A holds.
    0.0: ("A · Yes: it gives", "B · Yes: it gives"),
    0.4: ("A · Yes: it gives", "B · Yes: it gives"),
    0.6: ("A · Yes: it gives", "B · No: it does not give"),
    0.8: ("A · Yes: it gives", "B · No: it does not give"),
}


def test_the_slider_shows_what_each_model_answers_at_that_noise(open_page):
    at = open_page("learn", lesson="3")
    for noise, outcomes in SLIP.items():
        checked(at.select_slider(key="learn_rgb_noise").set_value(noise).run())
        told = said(at, "markdown").replace("*", "")
        assert all(f"Model {outcome}" in told for outcome in outcomes)
        assert f"{round(5 - 5 * noise)} of 5 documents hold the answer" in html(at)


def test_declining_and_planted_errors_are_shown_the_same_way(open_page):
    at = tapped(open_page("learn", lesson="3"), rgb_ability=Ability.REJECTION)
    told = said(at, "markdown").replace("*", "")
    assert "Model A · Yes: it declines." in told
    assert "Model B · No: it answers all the same." in told
    tapped(at, rgb_ability=Ability.COUNTERFACTUAL)
    told = said(at, "markdown").replace("*", "")
    assert "Model A · Yes, and it gives the true answer." in told
    assert "Model B · No: it repeats it." in told
    assert "3 of 3 documents forged" in html(at)


def test_every_phrase_of_the_rules_can_be_read(open_page):
    told = said(open_page("learn", lesson="3"), "markdown")
    phrases = (
        *rgb_rules.PRIMARY_REJECTION_PHRASES,
        *rgb_rules.REJECTION_KEYWORDS,
        *rgb_rules.ERROR_DETECTION_KEYWORDS,
        *rgb_rules.PAPER_REJECTIONS,
        *rgb_rules.PAPER_DETECTIONS,
    )
    assert [phrase for phrase in phrases if f"“{phrase}”" not in told] == []


@pytest.mark.parametrize(
    ("ability", "policy", "answer", "outcome", "rule"),
    [
        (Ability.NOISE, "documented", "£2.3 MILLION!", "Yes", "contains the answer"),
        (Ability.NOISE, "documented", "It is unclear.", "No: it declines, and invents no", "80 %"),
        (Ability.REJECTION, "paper", "That is unclear.", "No", "marker phrase"),
        (Ability.COUNTERFACTUAL, "documented", "It is not £750,000.", "Yes", "denies the planted"),
    ],
)
def test_an_answer_of_ones_own_is_tried_against_the_rules(
    open_page, ability, policy, answer, outcome, rule
):
    at = tapped(open_page("learn", lesson="3"), rgb_asked=ability, rgb_policy=policy)
    at.text_area(key=f"learn_rgb_own_{ability}_en").input(answer)
    at.text_input(key=f"learn_rgb_truth_{ability}_en").input("£2.3 million")
    if ability is Ability.COUNTERFACTUAL:
        at.text_input(key=f"learn_rgb_planted_{ability}_en").input("£750,000")
    checked(at.run())
    assert f"Your answer · {outcome}" in said(at, "markdown").replace("*", "")
    tried = at.table[0].value.to_dict("records")
    # A number and its sign stay together on a line.
    assert rule.replace(" %", "\N{NO-BREAK SPACE}%") in " ".join(row["Rule"] for row in tried)


@pytest.mark.parametrize("language", ["en", CHINESE])
def test_the_box_begins_with_an_answer_that_passes_and_offers_one_that_is_missed(
    open_page, language
):
    at = open_page("learn", lesson="3")
    at.session_state[LANGUAGE] = language
    checked(at.run())
    with speaking(language):
        assert begins(at) == say("Yes")
        # What was typed for another question does not stay.
        at.text_area(key=f"learn_rgb_own_{Ability.NOISE}_{language}").input("x")
        for ability in (Ability.REJECTION, Ability.COUNTERFACTUAL, Ability.NOISE):
            tapped(at, rgb_asked=ability)
            if ability is Ability.NOISE:
                passing = say(material("rgb")["tests"][ability]["riddle"]["passing"])
                at.text_area(key=f"learn_rgb_own_{ability}_{language}").input(passing)
                checked(at.run())
            assert begins(at) == say("Yes")
            checked(button(at, say("Show an answer that tricks the rule")).click().run())
            assert begins(at) == say("No")
            assert say(material("rgb")["tests"][ability]["riddle"]["why"]) in said(at)


def begins(at: AppTest) -> str:
    """How the verdict of the rules on the answer in the box begins: with yes or with no."""
    told = said(at, "markdown").replace("*", "")
    verdict = told.partition(f"{say('Your answer')} · ")[2]
    return next(word for word in (say("Yes"), say("No")) if verdict.startswith(word))


def test_images_and_html_typed_into_the_box_stay_letters(open_page):
    at = open_page("learn", lesson="3")
    hostile = '![x](http://127.0.0.1:9/x.png)<img src="http://127.0.0.1:9/y.png"><style>*{}</style>'
    at.text_area(key=f"learn_rgb_own_{Ability.NOISE}_en").input(hostile)
    checked(at.text_input(key=f"learn_rgb_truth_{Ability.NOISE}_en").input(hostile).run())
    assert not [text for text in markdown(at) if "![" in text]
    assert not [cell for cell in at.table[0].value.to_numpy().ravel() if "![" in cell]
    assert "<img" not in html(at)
    assert "<style>*" not in html(at)


def test_more_rows_make_the_intervals_narrow(open_page):
    at = open_page("learn", lesson="5")
    few = {line.title: line for line in lines(at)}
    # 15 of 20 are right: Wilson's interval is 0.531 to 0.888.
    assert few["Person 3"].mean == "0.75"
    assert few["Person 3"].interval == "0.53 to 0.89"
    checked(at.select_slider(key="learn_doubt_rows").set_value(2000).run())
    many = {line.title: line for line in lines(at)}
    # About 1 / √2000 on each side.
    assert many["Person 3"].interval == "0.73 to 0.77"
    press(at, "Other rows")
    assert {line.title: line for line in lines(at)} != many


def test_labels_of_people_move_the_mean_of_a_judge(open_page):
    at = open_page("learn", lesson="5")
    assert "Nobody knows yet." in said(at, "markdown")
    checked(at.select_slider(key="learn_doubt_labels").set_value(50).run())
    means = {line.title: line.mean for line in lines(at)}
    # 800 / 1000; 36 + 1 of 50; 0.8 * 36 / 40 + 0.2 * 1 / 10.
    assert means["The judge alone"] == "0.80"
    assert means["People alone"] == "0.74"
    assert means["Judge, corrected"] == "0.74"
    told = said(at, "markdown")
    assert "Of 40 answers that the judge calls supported people agree with 36" in told
    assert "of 10 that it does not they call 1 supported" in told
    assert "80 % · 36/40 + 20 % · 1/10 = **74 % (" in told
    # 0.60 to 0.84 against 0.65 to 0.82: a good judge says clearly more than people alone.
    widths = {}
    for line in lines(at):
        low, high = line.interval.split(" to ")
        widths[line.title] = float(high) - float(low)
    assert widths["Judge, corrected"] < 0.8 * widths["People alone"]


@pytest.mark.parametrize(
    ("trap", "toggle", "without", "with_it"),
    [
        # U+2011 stands where the true answer has a plain hyphen.
        ("Look-alike characters", "nfkc", "Wrong", "Right"),
        # The true answer stands in the thoughts alone.
        ("Thinking aloud", "reasoning", "Right", "Wrong"),
    ],
)
def test_an_option_changes_the_verdict_of_its_trap(open_page, trap, toggle, without, with_it):
    at = tapped(open_page("learn", lesson="4"), traps_chosen=trap)
    assert f"**{without}** by the rules." in said(at, "markdown")
    checked(at.toggle(key=f"learn_traps_{toggle}").set_value(True).run())
    assert f"**{with_it}** by the rules." in said(at, "markdown")


def test_phrases_are_missed_and_taken_for_others(open_page):
    at = tapped(open_page("learn", lesson="4"), traps_chosen="Phrases or a judge")
    rows = [list(row.values())[1:] for row in at.table[0].value.to_dict("records")]
    assert rows == [
        ["declines", "declines", "declines"],
        ["answers", "answers", "declines"],
        ["declines", "answers", "answers"],
    ]


@pytest.mark.parametrize(
    ("trap", "key", "cases"),
    [
        (
            "Prompt wording",
            "prompt",
            {0: "**Declines** by the rules.", 1: "**Answers**, say the rules."},
        ),
        # 1 of 2 sentences is relevant, none is used, none is wrong: (0.5 + 0 + 0 + 1) / 4.
        (
            "An empty answer",
            "empty",
            {
                "": "Context relevance **0.50** · Context utilization **0.00** · Completeness **0.00** · Adherence **1.00** · Average **0.38**",
                "480 metres.": "Completeness **1.00** · Adherence **1.00**",
                "840 metres.": "Completeness **0.00** · Adherence **0.00**",
            },
        ),
    ],
)
def test_a_trap_is_tried(open_page, trap, key, cases):
    at = tapped(open_page("learn", lesson="4"), traps_chosen=trap)
    for value, told in cases.items():
        tapped(at, **{f"traps_{key}": value})
        assert told in said(at, "markdown")


def test_noise_that_cannot_be_reached_is_told(open_page):
    at = tapped(open_page("learn", lesson="4"), traps_chosen="Noise out of reach")
    for documents, reached in ((3, 100), (5, 80), (10, 50)):
        checked(at.select_slider(key="learn_traps_documents").set_value(documents).run())
        # Of each question the data have five documents beside the point: 5 of 10 are half.
        assert f"Asked for: **80 %** noise. Reached: **{reached} %**." in said(at, "markdown")


def test_a_long_answer_with_inventions_is_rated_higher_and_is_not_supported(open_page):
    at = tapped(open_page("learn", lesson="4"), traps_chosen="A judge that likes length")
    rows = [list(row.values())[1:] for row in at.table[0].value.to_dict("records")]
    # One of three sentences is supported.
    assert rows == [["3 of 5", "1.00", "1.00"], ["5 of 5", "0.00", "0.33"]]


def test_a_document_that_speaks_to_the_judge_is_pointed_out(open_page):
    at = tapped(open_page("learn", lesson="4"), traps_chosen="A document that gives orders")
    assert "speaks to the judge; asks for a verdict" in said(at)
    at.text_area(key="learn_traps_document").input("The lift carries 400 kg. ![x](http://a/b.png)")
    checked(at.run())
    assert "Nothing in it looks like an instruction." in said(at)


@pytest.fixture
def in_chinese() -> Callable[[AppTest], AppTest]:
    """The page again, for somebody who reads Chinese."""

    def again(at: AppTest) -> AppTest:
        at.session_state[LANGUAGE] = CHINESE
        return checked(at.run())

    return again


def test_the_first_lesson_is_judged_in_chinese_as_in_english(open_page, in_chinese):
    at = in_chinese(open_page("learn", lesson="1"))
    # What is tapped is found by what is written on it.
    with speaking(CHINESE):
        tapped(at, rag_1="true", rag_2="adds", rag_3="contradicts", rag_4="declines")
    told = LINK.sub("", said(at)).replace("*", "")
    assert "在费尔霍姆商店买的大衣可以在 30 天内退货。" in html(at)
    # The same labels and rules, over Chinese sentences.
    for numbers in (
        "忠实度 1.00 · 完整性 1.00 · 含标准答案 是 · 拒答 否",
        "忠实度 0.00 · 完整性 0.50 · 含标准答案 是 · 拒答 否",
        "忠实度 0.00 · 完整性 0.00 · 含标准答案 否 · 拒答 否",
        "忠实度 1.00 · 完整性 0.00 · 含标准答案 否 · 拒答 是",
    ):
        assert numbers in told


def test_the_second_lesson_has_a_chinese_sample(open_page, in_chinese):
    at = in_chinese(open_page("learn", lesson="2"))
    with speaking(CHINESE):
        tapped(at, trace_whose="Ours")
    rows = [list(row.values())[1:] for row in at.table[0].value.to_dict("records")]
    # Two of four sentences are relevant and used; one is partly, one fully supported.
    assert rows == [
        ["0.50", "0.10", "0.50"],
        ["1.00", "1.00", "0.50"],
        ["1.00", "1.00", "1.00"],
        ["0.00", "0.00", "1.00"],
    ]


def test_the_third_lesson_has_chinese_questions(open_page, in_chinese):
    at = in_chinese(open_page("learn", lesson="3"))
    for noise, slips in ((0.4, []), (0.8, ["Model B"])):
        checked(at.select_slider(key="learn_rgb_noise").set_value(noise).run())
        told = said(at, "markdown").replace("*", "")
        assert "松鸣谷滑雪场最长的雪道叫什么？" in told
        models = ("Model A", "Model B")
        assert [model for model in models if f"{model} · 否：没有给出标准答案" in told] == slips
        # It takes the steepest one for the longest.
        assert html(at).count(">黑松道。<") == len(slips)


def test_the_glossary_is_searched(open_page):
    at = open_page("learn")
    found = {
        "reciprocal": ["Reciprocal rank"],
        "Rej*": ["By the judge (Rej*, ED*)"],
        "qqq": [],
    }
    for wanted, titles in found.items():
        checked(at.text_input(key="glossary_search").input(wanted).run())
        assert re.findall(r"<dt><a [^>]*>(.*?)</a>", html(at)) == titles
        assert not at.expander


def test_a_word_is_looked_up_in_chinese(open_page, in_chinese):
    at = in_chinese(open_page("learn", term="adherence"))
    assert [header.value for header in at.header] == ["忠实度", "术语表"]
    assert "理想范围：" in html(at)


def test_the_plan_of_a_lesson_takes_45_minutes_and_each_step_opens_its_page(open_page):
    at = open_page("learn", lesson="plan")
    assert "minutes 40 to 45" in said(at, "markdown")
    steps = [link.proto.url.partition("?") for link in at.get("link_button")]
    assert [page for page, _, _ in steps] == ["learn", "rgb", "sample", "round", "learn", "round"]
    for page, _, query in steps:
        opened = open_page(page, **dict(parse_qsl(query)))
        assert opened.get("html") or opened.title
