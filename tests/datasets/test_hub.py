"""The hub's real library against a hub on this computer: what there is, the first rows of a split,
and what fails.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from evaluators.datasets import hub
from evaluators.datasets.download import received
from evaluators.datasets.guess import Shape
from evaluators.datasets.mapping import open_table
from evaluators.errors import DatasetError
from tests.datasets.files import json_lines, packed, parquet, xlsx
from tests.hub import ENDLESS, PIECE, RAGBENCH_CARD, REVISION, Hub, Repo, ragbench_row

ROOT = Path(__file__).parents[2]
LINES = json_lines({"question": f"q{number}", "response": "r"} for number in range(5))
TABLE = b"question,response\nq0,r\nq1,r\n"
RAGBENCH = Repo(
    {
        "covidqa/test-00000-of-00001.parquet": parquet(
            [ragbench_row(number) for number in range(3)]
        ),
        "covidqa/train-00000-of-00002.parquet": parquet(
            [ragbench_row(number) for number in range(4)]
        ),
        "covidqa/train-00001-of-00002.parquet": parquet(
            [ragbench_row(number) for number in range(4, 7)]
        ),
    },
    RAGBENCH_CARD,
)
PLAIN = Repo({"qa.jsonl": LINES})


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Hub]]:
    """`host(repos)` starts a hub that the library asks instead of the real one."""
    with ExitStack() as hubs:

        def start(**options: object) -> Hub:
            started = hubs.enter_context(Hub(**options))
            monkeypatch.setenv("HF_ENDPOINT", started.address)
            return started

        yield start


def table_of(name, config="default", split="qa", **options):
    return hub.fetch(hub.files(name), config, split, **options).table


# What there is


def test_a_subset_of_ragbench_becomes_samples_with_labels(host):
    host(repos={hub.RAGBENCH: RAGBENCH})

    listing = hub.files(hub.RAGBENCH)
    fetched = hub.fetch(listing, "covidqa", "train")
    loaded = open_table(fetched.name, fetched.table)

    assert (listing.license, listing.revision) == ("cc-by-4.0", REVISION)
    assert list(listing.configs) == [
        "covidqa"
    ]  # the card also declares hotpotqa, which has no files here
    assert list(listing.configs["covidqa"]) == ["train", "test"]
    assert fetched.name == "ragbench covidqa train"
    assert loaded.guess.shape is Shape.RAGBENCH
    assert [sample.question[-2:-1] for sample in loaded.data.samples] == list("0123456")
    assert fetched.origin == {
        "hub": {
            "id": "rungalileo/ragbench",
            "config": "covidqa",
            "split": "train",
            "rows": 20_000,
            "revision": REVISION,
            "license": "cc-by-4.0",
        }
    }


@pytest.mark.parametrize(
    ("card", "paths", "expected"),
    [
        (
            {},
            ["train.csv", "test.csv"],
            {"default": {"test": ["test.csv"], "train": ["train.csv"]}},
        ),
        (
            {},
            ["a/train-00000-of-00002.parquet", "a/train-00001-of-00002.parquet", "b/x.jsonl.gz"],
            {
                "a": {
                    "train": ["a/train-00000-of-00002.parquet", "a/train-00001-of-00002.parquet"]
                },
                "b": {"x": ["b/x.jsonl.gz"]},
            },
        ),
        (
            {},
            ["a.csv", "dataset_infos.json", ".cache/b.csv", "image.png", "load.py"],
            {"default": {"a": ["a.csv"]}},
        ),
        (
            {"configs": [{"config_name": "c", "data_files": "a.csv"}]},
            ["a.csv", "b.csv"],
            {"c": {"train": ["a.csv"]}},
        ),
        (
            {"configs": [{"config_name": "c", "data_files": ["a.csv", "b.csv"]}]},
            ["a.csv", "b.csv"],
            {"c": {"train": ["a.csv", "b.csv"]}},
        ),
        (
            {
                "configs": [
                    {"config_name": "c", "data_files": {"test": "x/*.csv", "dev": ["a.csv"]}}
                ]
            },
            ["a.csv", "x/b.csv", "x/y/c.csv"],
            {"c": {"test": ["x/b.csv"], "dev": ["a.csv"]}},
        ),
        (
            {
                "configs": [
                    {"config_name": "c", "data_files": [{"split": "test", "path": "**/*.csv"}]}
                ]
            },
            ["a.csv", "x/y/c.csv", "d.jsonl"],
            {"c": {"test": ["a.csv", "x/y/c.csv"]}},
        ),
        (
            {
                "configs": [
                    {"config_name": "c", "data_dir": "x", "data_files": "*.csv"},
                    {"config_name": "d", "data_dir": "y"},
                ]
            },
            ["a.csv", "x/b.csv", "y/c.csv"],
            {"c": {"train": ["x/b.csv"]}, "d": {"c": ["y/c.csv"]}},
        ),
        (
            {"configs": [{"config_name": "gone", "data_files": "z.csv"}]},
            ["a.csv"],
            {"default": {"a": ["a.csv"]}},
        ),
        ({"configs": "odd"}, ["a.csv"], {"default": {"a": ["a.csv"]}}),
        (
            {"configs": [None, {"data_files": [{"path": None}, 7]}]},
            ["a.csv"],
            {"default": {"a": ["a.csv"]}},
        ),
    ],
)
def test_configurations_and_splits_are_those_of_the_card_or_else_folders_and_files(
    host, card, paths, expected
):
    host(repos={"owner/name": Repo(dict.fromkeys(paths, TABLE), card)})

    found = hub.files("owner/name").configs

    assert {
        name: {split: [file.path for file in files] for split, files in splits.items()}
        for name, splits in found.items()
    } == expected


@pytest.mark.parametrize(
    "configs",
    [
        [{"data_files": ["[" * 50_000]}],
        [{"config_name": str(at), "data_files": ["*a" * 99] * 5} for at in range(1000)],
        [{"data_files": {str(at): ["data/" + "?" * 190] * 5 for at in range(10_000)}}],
        [{"config_name": str(at), "data_dir": "data"} for at in range(20_000)],
    ],
    ids=["brackets", "stars", "question marks", "folders"],
)
def test_a_card_made_to_cost_hours_costs_a_second_or_two(configs):
    usable = tuple(hub.File(f"data/{'a' * 150}{number:04}.csv", 1) for number in range(500))
    before = time.thread_time()

    hub._declared(configs, usable)

    assert time.thread_time() - before < 3


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ({}, ""),
        ({"license": "mit"}, "mit"),
        ({"license": ["mit", "cc0-1.0"]}, "mit, cc0-1.0"),
        ({"license": "other", "license_name": "our-own"}, "our-own"),
    ],
)
def test_the_licence_is_the_one_that_the_card_states(host, card, expected):
    host(repos={"owner/name": Repo({"a.csv": TABLE}, card)})

    assert hub.files("owner/name").license == expected


@pytest.mark.parametrize(
    "name", ["owner/name", " owner/name ", "https://huggingface.co/datasets/owner/name"]
)
def test_a_data_set_is_found_by_its_id_or_the_address_of_its_page(host, name):
    host(repos={"owner/name": PLAIN})

    assert hub.files(name).id == "owner/name"


def test_a_name_without_its_owner_is_told_what_it_lacks(host):
    started = host()

    with pytest.raises(
        DatasetError,
        match=r"^'squad' has no owner\. Write it as owner/name, such as rajpurkar/squad\.$",
    ):
        hub.files(" squad ")

    assert started.asked == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../../etc/passwd",
        "a/b/c",
        "a/..",
        "a/b?x=1",
        "a/b#c",
        "http://127.0.0.1/a/b",
        "a--b/c",
        "ä/b",
    ],
)
def test_what_cannot_be_an_id_is_never_asked_for(host, name):
    started = host()

    with pytest.raises(
        DatasetError, match=re.escape("is not a data set of the hub. Write it as owner/name.")
    ):
        hub.files(name)
    assert started.asked == []


# Rows


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("qa.jsonl", LINES),
        ("qa.jsonl.gz", packed(LINES)),
        (
            "qa.json",
            json.dumps(
                [{"question": f"q{number}", "response": "r"} for number in range(5)]
            ).encode(),
        ),
        ("qa.csv", b"question,response\n" + b"".join(b"q%d,r\n" % number for number in range(5))),
        ("qa.tsv", b"question\tresponse\n" + b"".join(b"q%d\tr\n" % number for number in range(5))),
        (
            "qa.parquet",
            parquet([{"question": f"q{number}", "response": "r"} for number in range(5)]),
        ),
        (
            "qa.xlsx",
            xlsx([["question", "response"], *[[f"q{number}", "r"] for number in range(5)]]),
        ),
    ],
)
@pytest.mark.parametrize(("rows", "expected"), [(None, 5), (2, 2), (5, 5), (9, 5)])
def test_only_so_many_rows_are_taken_of_every_format(host, file, data, rows, expected):
    host(repos={"owner/name": Repo({file: data})})

    found = table_of("owner/name", rows=rows)

    assert [cells["question"] for _, cells in found.rows] == ["q0", "q1", "q2", "q3", "q4"][
        :expected
    ]
    assert ("These are the first" in found.note) is (rows in (2, 5))


def test_a_data_set_has_no_more_rows_than_the_limit(host, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_ROWS_PER_DATASET", "3")
    host(repos={"owner/name": Repo({"qa.parquet": parquet([{"question": "q"}] * 500)})})

    found = table_of("owner/name")

    assert len(found.rows) == 3
    assert found.note == "These are the first 3 rows of the split."


def test_rows_of_several_files_are_numbered_on_and_bad_ones_are_told(host):
    parts = {
        "qa-00000-of-00002.jsonl": b'{"question": "a"}\n7\n',
        "qa-00001-of-00002.jsonl": b'{"question": "b"}\nx\n',
    }
    host(repos={"owner/name": Repo(parts)})

    found = table_of("owner/name")

    assert [(number, cells["question"]) for number, cells in found.rows] == [(1, "a"), (3, "b")]
    assert [problem.row for problem in found.problems] == [2, 4]


@pytest.mark.parametrize(
    ("file", "start", "line"),
    [
        ("qa.csv", b"question,response\n", b'"a ""quoted""\nquestion, in two lines",r\n'),
        ("qa.jsonl", b"", b'{"question": "one \\" mark in it", "response": "r"}\n'),
    ],
)
def test_a_large_text_file_is_not_read_to_its_end_for_a_few_rows(host, file, start, line):
    started = host(repos={"owner/name": Repo({file: start + line * 400_000})})

    found = table_of("owner/name", rows=1000)

    assert len(found.rows) == 1000
    assert found.problems == []
    assert (
        started.sent < 100 * PIECE
    )  # 6.5 MB of more than 15, most of them on their way before the end was known


def test_files_behind_the_last_row_that_is_wanted_are_not_asked_for(host):
    started = host(repos={hub.RAGBENCH: RAGBENCH})

    table_of(hub.RAGBENCH, "covidqa", "train", rows=4)

    assert not any(path.endswith("train-00001-of-00002.parquet") for path in started.paths)


def test_progress_counts_the_bytes_of_all_files(host):
    host(repos={hub.RAGBENCH: RAGBENCH})
    told = []

    table_of(
        hub.RAGBENCH,
        "covidqa",
        "train",
        on_progress=lambda here, in_all: told.append((here, in_all)),
    )

    size = sum(len(data) for path, data in RAGBENCH.files.items() if "train" in path)
    assert told[-1] == (size, size)
    assert told == sorted(told)


def test_the_libraries_are_not_loaded_before_they_are_needed():
    code = """if True:
        import sys
        from evaluators.datasets import hub, official
        assert not {"huggingface_hub", "httpx2", "yaml"} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=120)


def test_no_key_is_sent_and_nothing_is_kept_on_disk(tmp_path):
    """In a process of its own, as the library reads its environment when it is imported."""
    code = (
        "from evaluators.datasets import hub; hub.fetch(hub.files('owner/name'), 'default', 'qa')"
    )
    home = tmp_path / "home"
    (home / "huggingface").mkdir(parents=True)
    (home / "huggingface" / "token").write_text("hf_stored")
    before = sorted(home.rglob("*"))
    with Hub({"owner/name": PLAIN}) as started:
        given = {
            "HF_ENDPOINT": started.address,
            "HF_TOKEN": "hf_given",
            "HF_HOME": str(home / "huggingface"),
        }
        environment = {**os.environ, **given, "HOME": str(home), "XDG_CACHE_HOME": str(home)}
        subprocess.run(
            [sys.executable, "-c", code], check=True, cwd=ROOT, env=environment, timeout=120
        )

    assert len(started.asked) == 3  # the description, the file, and where it really lies
    assert not any("authorization" in asked.headers for asked in started.asked)
    assert not any(
        key in str(asked) for asked in started.asked for key in ("hf_given", "hf_stored")
    )
    assert sorted(home.rglob("*")) == before


# What fails


@pytest.mark.parametrize(
    ("repo", "message"),
    [
        (None, "127.0.0.1:* has no data set owner/name that anybody may read. Check its name."),
        (PLAIN._replace(gated="auto"), "owner/name asks its readers to accept conditions first."),
        (Repo({"load.py": b"import os"}), "owner/name holds no CSV, JSON, Parquet or XLSX files."),
        (Repo({}), "owner/name holds no CSV, JSON, Parquet or XLSX files."),
    ],
)
def test_a_data_set_that_cannot_be_read_is_told(host, repo, message):
    host(repos={"owner/name": repo} if repo else {})

    assert_told(message, lambda: hub.files("owner/name"))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("403", "owner/name asks its readers to accept conditions first."),
        ("404", "127.0.0.1:* has no data set owner/name"),
        ("429", "127.0.0.1:* does not answer for now"),
        ("500", "127.0.0.1:* answers with error 500."),
        ("html", "127.0.0.1:* does not answer as the hub does."),
    ],
)
def test_a_hub_that_refuses_is_told(host, fault, message):
    host(repos={"owner/name": PLAIN}, fault=lambda path: fault)

    assert_told(message, lambda: hub.files("owner/name"))


def test_a_file_that_breaks_off_is_told(host):
    host(repos={"owner/name": PLAIN}, fault=lambda path: "cut" if "cdn" in path else "")

    assert_told(
        "The connection to 127.0.0.1:* broke off. Try again. Download the file",
        lambda: table_of("owner/name"),
    )


def test_a_file_that_vanished_is_told(host):
    started = host(repos={"owner/name": PLAIN})
    listing = hub.files("owner/name")
    started.repos["owner/name"] = Repo({})

    assert_told(
        "owner/name has changed while it was read.", lambda: hub.fetch(listing, "default", "qa")
    )


def test_a_hub_that_says_nothing_is_told(host, monkeypatch):
    monkeypatch.setattr(hub, "SECONDS", 0.2)
    host(repos={"owner/name": PLAIN}, fault=lambda path: "hang")

    assert_told("127.0.0.1:* said nothing for 10 seconds.", lambda: hub.files("owner/name"))


def test_without_a_connection_the_remedy_is_an_upload(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as free:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{free.getsockname()[1]}")

    message = (
        "No connection to 127.0.0.1:*: this computer seems to be offline. Download the file "
        "elsewhere and upload it."
    )
    assert_told(message, lambda: hub.files("owner/name"))


@pytest.mark.parametrize(
    ("config", "split", "message"),
    [
        (
            "cuad",
            "test",
            "rungalileo/ragbench has no configuration 'cuad'. Choose one of: covidqa.",
        ),
        ("covidqa", "dev", "rungalileo/ragbench has no split 'dev'. Choose one of: train, test."),
    ],
)
def test_a_split_that_is_not_there_is_told_with_those_that_are(host, config, split, message):
    host(repos={hub.RAGBENCH: RAGBENCH})

    assert_told(message, lambda: table_of(hub.RAGBENCH, config, split))


@pytest.mark.parametrize("fault", ["", "unannounced"])
@pytest.mark.parametrize("file", ["qa.jsonl", "qa.parquet"])
def test_a_file_beyond_the_limit_is_not_read_to_its_end(host, monkeypatch, file, fault):
    monkeypatch.setenv("PLUMBLINE_DECODED_BYTES", str(2**20))
    started = host(
        repos={"owner/name": Repo({file: b'{"question": "' + b"x" * 20 * 2**20})},
        fault=lambda path: fault if "cdn" in path else "",
    )

    assert_told(
        f"{file} has more than 1 MB, the limit. Take fewer rows", lambda: table_of("owner/name")
    )
    assert started.sent < 10 * 2**20


@pytest.mark.parametrize(
    ("asked", "fault", "message"),
    [
        ("/api", "endless", "The list of files of owner/name has more than 8 MB, the limit."),
        ("/api", "endless 500", "127.0.0.1:* answers with error 500."),
        ("/cdn", "endless 500", "127.0.0.1:* answers with error 500."),
    ],
)
def test_an_answer_without_an_end_is_not_read_to_its_end(host, asked, fault, message):
    started = host(
        repos={"owner/name": PLAIN},
        fault=lambda path: fault if path.startswith(asked) else "",
    )

    assert_told(message, lambda: table_of("owner/name"))
    assert started.sent < ENDLESS / 2


@pytest.mark.parametrize(
    "described",
    [
        b"[]",
        b'{"siblings": 7}',
        b'{"siblings": [{"rfilename": 7}]}',
        b'{"siblings": [{"rfilename": "qa.csv", "size": "much"}]}',
        b'{"siblings": [], "cardData": ["mit"]}',
        b'{"siblings": [], "gated": {}}',
        b'{"x": ' + b"[" * 100_000,
        b'{"siblings": [{"rfilename": "\xff.csv"}]}',
    ],
    ids=lambda described: described[:40].decode(errors="replace"),
)
def test_a_hub_that_answers_otherwise_is_told(host, described):
    host(pages={"/api/datasets/owner/name": described})

    assert_told("127.0.0.1:* does not answer as the hub does.", lambda: hub.files("owner/name"))


def test_a_file_that_comes_byte_by_byte_is_not_waited_for():
    with (
        Hub(pages={"/a.csv": b"x" * 10_000}, fault=lambda path: "drip") as started,
        httpx2.stream("GET", f"{started.address}/a.csv") as response,
        pytest.raises(DatasetError, match=re.escape("a.csv takes longer than 1 seconds.")),
    ):
        received("a.csv", response, 2**20, seconds=1)


def assert_told(message, act):
    """The act raises a `DatasetError` that begins so; * stands for a port."""
    with pytest.raises(DatasetError) as caught:
        act()
    start, _, end = message.partition("*")
    assert str(caught.value).startswith(start)
    assert end in str(caught.value)
