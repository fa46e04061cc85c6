"""The documentation site: built strictly from the Markdown, every inner link followed, and what
models read of it.
"""

import importlib.util
import re
import shutil
import subprocess
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from tests.documentation import FRONT_MATTER, LINK, ROOT, build, papers, render

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("properdocs"),
    reason="the site's builder of requirements-dev.txt is not installed",
)


class Page(HTMLParser):
    """Where a page leads, what it loads, and the ids in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.ids.add(told.get("id"))
        if tag == "a" and "href" in told:
            self.links.append(told["href"])
        elif tag in ("img", "script", "link"):
            self.loads.append(told.get("src") or told.get("href"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("documentation") / "site"
    build(place, "somebody/plumbline")
    return place


@pytest.fixture(scope="module")
def site(folder):
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    """The pages by the address of their folder; the one for what is not found has none."""
    files = (path for path in site.rglob("*.html") if path.name == "index.html")
    return {path.parent: Page(path.read_text("utf-8")) for path in files}


def test_every_paper_is_a_page(pages):
    assert len(pages) == len([name for name in papers() if name.endswith(".md")])


def test_every_inner_link_leads_to_a_page_and_to_a_place_on_it(pages, site):
    followed, broken = 0, []
    for place, page in pages.items():
        for link in {*page.links, *filter(None, page.loads)}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link in ("#", ""):
                continue
            target = (place / unquote(parts.path)).resolve() if parts.path else place
            if not target.is_relative_to(site.resolve()):
                broken.append((place.name, link))
            elif target.is_dir():
                on_it = pages.get(target)
                if not on_it or (parts.fragment and unquote(parts.fragment) not in on_it.ids):
                    broken.append((place.name, link))
            elif not target.is_file():
                broken.append((place.name, link))
            followed += 1
    assert broken == []
    assert followed > 500


def test_a_file_that_is_no_page_is_shown_by_the_repository(pages):
    outside = {link for page in pages.values() for link in page.links if "/somebody/" in link}
    places = {link.removeprefix("https://github.com/somebody/plumbline/blob/main/") for link in outside}  # fmt: skip

    assert {"LICENSE", "data/models.toml"} <= places
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_nothing_is_loaded_from_elsewhere(pages):
    loads = {load for page in pages.values() for load in page.loads if load}

    assert [load for load in loads if urlsplit(load).netloc] == []


@pytest.mark.parametrize(
    "said", ["[gone](gone.md)", "[gone](measures.md#gone)", "![gone](gone.png)", "[top](/docs/)"]
)
def test_a_link_that_leads_nowhere_ends_the_build(folder, tmp_path, said, capfd):
    shutil.copytree(folder / "source", tmp_path / "source")
    with (tmp_path / "source" / "docs" / "learn.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{said}\n")

    with pytest.raises(subprocess.CalledProcessError):
        render(tmp_path)

    assert "1 warnings in strict mode" in capfd.readouterr().out


def test_the_list_for_models_is_laid_out_as_llmstxt_org_asks(site):
    """A title, a summary, and sections of links, each with what stands there."""
    title, summary, *sections = (site / "llms.txt").read_text("utf-8").rstrip().split("\n\n")

    assert title == "# Plumbline"
    assert re.fullmatch(r"> Plumbline shows, .+\.", summary)
    listed = []
    for heading, links in zip(sections[::2], sections[1::2], strict=True):
        assert re.fullmatch(r"## [^\n]+", heading)
        for line in links.splitlines():
            assert re.fullmatch(r"- \[[^]]+\]\(\S+\.md\)(: .+)?", line)
            listed += LINK.findall(line)
    assert sorted(listed) == sorted(name for name in papers() if name.endswith(".md"))
    assert all((site / name).is_file() for name in listed)


def test_readme_says_of_every_page_what_it_holds(site):
    lines = (site / "llms.txt").read_text("utf-8").splitlines()
    without = [line for line in lines if line.startswith("- ") and "): " not in line]

    assert without == ["- [Plumbline](README.md)", "- [Plumbline（简体中文）](README.zh-CN.md)"]


def test_all_papers_stand_one_after_the_other_for_models(site):
    full = (site / "llms-full.txt").read_text("utf-8")
    papers_of_site = [site / name for name in papers() if name.endswith(".md")]

    for path in papers_of_site:
        text = FRONT_MATTER.sub("", path.read_text("utf-8")).strip()
        assert full.count(text) == 1, path.name
    assert full.count("<!-- ") >= len(papers_of_site)
