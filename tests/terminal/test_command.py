"""A run as a command: read back by the command line itself, it asks for the same run."""

import shutil
import subprocess

import pytest
from pydantic import SecretStr

from evaluators.datasets.bundled import CHINESE_BED, ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.datasets.rgb import all_with_ability, compose
from evaluators.datasets.sampling import sampled
from evaluators.llm import Access
from evaluators.llm.catalogue import OFFLINE, find
from evaluators.llm.providers import PROVIDERS
from evaluators.own_command import own_command
from evaluators.prompts import load
from evaluators.records import Ability, Cap, Dataset, EvaluatorSpec, ModelSpec, Sample
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.terminal import cli
from evaluators.terminal.arguments import plan_of_options
from evaluators.terminal.command import OWN_PROMPT, command, quoted

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")

KEY = "sk-very-secret-key"
KEYS = {
    name: Access(provider=name, base_url=provider.address, key=SecretStr(KEY))
    for name, provider in PROVIDERS.items()
    if provider.address
}
OSS = find("groq/openai/gpt-oss-20b").spec()
LUNA = find("openai/gpt-6-luna").spec()
JUDGE = find("groq/openai/gpt-oss-120b").spec(answer_tokens=2048)
OWN = {"id", "created", "title", "is_title_suggested"}
"""What a run has for itself."""
TRACE = EvaluatorSpec(name="trace")
RGB = EvaluatorSpec(name="rgb")
LABELS = EvaluatorSpec(name="gpt_labeling", params={"chunk_size": 300})


def match(kind):
    return EvaluatorSpec(name="answer_match", params={"type": kind})


def made(data, specs, **options):
    """The run that these make, in this test's store."""
    return create_run(
        inputs.local_store(),
        RunPlan(data, inputs.evaluators(specs), **options),
        workspace=inputs.WORKSPACE,
    )


def composed(name, *arguments, **options):
    bed = bundled()[name]
    return compose(bed, *(arguments or (bed.abilities,)), **options)


def in_bash(text):
    """The words that a shell makes of a command, without those that it begins with."""
    text = text.replace(own_command(), "plumbline")
    script = f"plumbline() {{ printf '%s\\0' \"$@\"; }}\n{text}\n"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    return done.stdout.decode().split("\0")[:-1]


def read_back(text):
    """The run that the command line would begin with the command."""
    words = in_bash(text)
    assert words[0] == "run"
    options = cli.run.make_context("run", words[1:]).params
    store = inputs.local_store()
    plan = plan_of_options(options, store, KEYS)
    return create_run(store, plan, workspace=inputs.WORKSPACE)


RUNS = {
    "TRACE": lambda: made(bundled()[TRACE_SAMPLES], TRACE),
    "some samples": lambda: made(
        sampled(bundled()[TRACE_SAMPLES], 3, seed=1),
        TRACE,
        seed=1,
    ),
    "parameters": lambda: made(
        bundled()[TRACE_SAMPLES],
        EvaluatorSpec(name="trace", params={"chunk_size": 300, "chunk_overlap": 0}),
    ),
    "a judge": lambda: made(
        bundled()[TRACE_SAMPLES],
        [LABELS, match("f1_score")],
        judges=[JUDGE],
        cap=Cap(calls=9, cost=0.25),
    ),
    "two of one metric": lambda: made(
        bundled()[TRACE_SAMPLES],
        [TRACE, match("exact_match"), match("f1_score")],
        title="It's a title",
    ),
    "hybrid": lambda: made(
        bundled()[TRACE_SAMPLES],
        EvaluatorSpec(name="hybrid", params={"doubt_from": 0.1 + 0.2}),
        judges=[JUDGE, OSS.model_copy(update={"answer_tokens": 2048})],
    ),
    "words to a judge": lambda: made(
        bundled()[TRACE_SAMPLES],
        EvaluatorSpec(
            name="llm_judge",
            params={"judgement_query": 'Is "it" true?\nSay $HOME; \\ and `ls`, don\'t'},
        ),
        judges=[JUDGE],
    ),
    "a question of one's own": lambda: made(
        bundled()[TRACE_SAMPLES],
        EvaluatorSpec(
            name="prompt",
            params={
                "title": "Polite",
                "question": "Is it polite?",
                "answer": "1 to 5",
                "fields": ["response", "question"],
            },
        ),
        judges=[JUDGE],
    ),
    "RGB": lambda: made(
        composed(ENGLISH_BED),
        EvaluatorSpec(name="rgb"),
        models=[OFFLINE],
        prompt=load("rgb_en"),
        seed=0,
    ),
    "a model and a judge, each with its usual budget": lambda: made(
        composed(ENGLISH_BED, sample=1),
        EvaluatorSpec(name="rgb"),
        models=[OSS],
        judges=[JUDGE],
        prompt=load("rgb_en"),
        seed=0,
    ),
    "RGB, in part": lambda: made(
        composed(
            CHINESE_BED, (Ability.NOISE,), noise_levels=(0.0, 0.25), passages=3, seed=7, sample=2
        ),
        EvaluatorSpec(name="rgb", params={"policy": "paper", "nfkc": False}),
        models=[spec.model_copy(update={"temperature": 0.7}) for spec in (OSS, LUNA)],
        judges=[JUDGE.model_copy(update={"answer_tokens": 1024, "temperature": 0.7})],
        prompt=load("rgb_zh"),
        seed=7,
        use_cache=False,
        repeats=3,
        overnight=True,
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_command_begins_the_same_run(name):
    run = RUNS[name]()

    again = read_back(command(run))

    assert again.model_dump(exclude=OWN) == run.model_dump(exclude=OWN)
    # A suggested one is of that run: the new one gets its own.
    assert again.title == (f"{run.title} (2)" if run.is_title_suggested else run.title)


def test_answers_judged_for_another_ability_are_so_again(data_folder):
    file = data_folder / "said.jsonl"
    file.write_text(
        '{"id": 1, "query": "Who?", "prediction": "Mina", "ans": "Mina", "docs": []}',
        encoding="utf-8",
    )
    data = all_with_ability(inputs.load_data(file), Ability.REJECTION)

    text = command(made(data, RGB))

    assert in_bash(text)[1:] == [
        "--data",
        str(file),
        "--metric",
        "rgb",
        "--ability",
        "negative_rejection",
    ]
    assert read_back(text).fingerprint == data.fingerprint


def test_a_short_command_is_one_line_and_a_long_one_has_an_option_to_a_line():
    short, long = command(RUNS["TRACE"]()), command(RUNS["a judge"]())

    assert short == f"{own_command()} run --data 'TRACE sample (English)' --metric trace"
    assert long.splitlines() == [
        "# GROQ_API_KEY holds the key.",
        f"{own_command()} run \\",
        "    --data 'TRACE sample (English)' \\",
        "    --metric gpt_labeling \\",
        "    --metric answer_match \\",
        "    --param gpt_labeling.chunk_size=300 \\",
        "    --param answer_match.type=f1_score \\",
        "    --judge groq/openai/gpt-oss-120b \\",
        "    --max-calls 9 \\",
        "    --max-cost 0.25",
    ]


def test_a_prompt_of_ones_own_is_a_file_to_save_first(data_folder):
    template = "Say what $documents say about $question."
    run = made(
        composed(ENGLISH_BED, sample=1),
        EvaluatorSpec(name="rgb"),
        models=[OFFLINE],
        prompt=template,
        seed=0,
    )

    text = command(run)

    assert text.startswith(
        f"# The prompt of this run is not one that ships: save it as {OWN_PROMPT} first.\n"
    )
    (data_folder / OWN_PROMPT).write_text(template, encoding="utf-8")
    assert read_back(text).prompt == template


def test_another_address_is_named_and_no_key():
    spec = ModelSpec(
        provider="custom", model="llama", base_url="http://127.0.0.1:11434/v1", answer_tokens=2048
    )

    text = command(made(bundled()[TRACE_SAMPLES], LABELS, judges=[spec]))

    assert "# PLUMBLINE_CUSTOM_BASE_URL holds the address: http://127.0.0.1:11434/v1" in text
    assert KEY not in text


def test_a_provider_that_is_no_longer_known_is_noted():
    judges = [ModelSpec(provider="gone", model="llama")]

    text = command(made(bundled()[TRACE_SAMPLES], LABELS, judges=judges))

    assert "# gone is not a provider that Plumbline knows: name another model." in text


def test_what_one_command_cannot_say_is_noted():
    models = [OSS, LUNA.model_copy(update={"temperature": 0.7})]

    text = command(
        made(composed(ENGLISH_BED, sample=1), RGB, models=models, prompt=load("rgb_en"), seed=0)
    )

    assert (
        "# The models were asked in different ways; here all have the highest temperature" in text
    )
    assert "--temperature 0.7" in text


def test_a_metric_that_is_gone_keeps_its_name_and_parameters():
    run = RUNS["TRACE"]().model_copy(
        update={"evaluators": (EvaluatorSpec(name="mine", params={"words": 3}),)}
    )

    assert in_bash(command(run))[-4:] == ["--metric", "mine", "--param", "mine.words=3"]


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "two words",
        "",
        "-x",
        '$(rm -rf ~) `ls` $HOME !! \\ "',
        "it's",
        "two\nlines, don't\t\\",
        "\x1b[201~ls\n",
        "right\u202eleft",
        "中文 é\x85",
    ],
)
def test_a_strange_name_stays_one_word_and_steers_no_terminal(text):
    assert in_bash(f"plumbline {quoted(text)}") == [text]
    assert quoted(text).isprintable()


def test_a_data_set_with_a_strange_name_is_one_word():
    data = Dataset(
        name="a; rm -rf ~ #.csv", samples=(Sample(id="1", question="?", response="It is."),)
    )

    text = command(made(data, EvaluatorSpec(name="hedging")))

    assert in_bash(text)[1:3] == ["--data", data.name]
