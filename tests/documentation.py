"""The documentation site and what models read of it, from README.md, docs/ and their neighbours.

`make site` writes site/html. Links lead where they lead on GitHub: to a page of the site, or to the
file in the repository.
"""

import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAPERS = ("*.md", "docs/**/*.md", "docs/**/*.png", "docs/site.css")
LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)")
NAV_ENTRY = re.compile(r"^  - (.+?):(?: (\S+\.md))?$|^      - (\S+\.md)$", re.MULTILINE)
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n+", re.DOTALL)


def papers() -> dict[str, Path]:
    """The files of the site by their place in the repository."""
    found = (path for pattern in PAPERS for path in sorted(ROOT.glob(pattern)))
    return {path.relative_to(ROOT).as_posix(): path for path in found}


def written(name: str, names: set[str], repository: str) -> str:
    """A page, whose links to files that the site lacks lead into the repository."""

    def led(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link[1]))
        if target in names or not (ROOT / target).exists():
            return link[1]  # one that leads nowhere stays, and the strict build ends by it
        return f"https://github.com/{repository}/blob/main/{target}"

    return LINK.sub(led, (ROOT / name).read_text(encoding="utf-8"))


def sections() -> dict[str, list[str]]:
    """The pages under each heading of the menu."""
    found: dict[str, list[str]] = {}
    menu = (ROOT / "properdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    for heading, alone, page in NAV_ENTRY.findall(menu):
        if heading:
            pages = found[heading] = [alone] if alone else []
        else:
            pages.append(page)
    return found


def described() -> dict[str, str]:
    """What the list of pages in README says of each, and that of the Chinese one."""
    text = "".join((ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh-CN.md"))
    rows = re.findall(r"^\| (.*\]\(.*) \| (.*) \|$", text, re.MULTILINE)
    return {page: said for links, said in rows for page in LINK.findall(links)}


def for_models(pages: dict[str, str]) -> tuple[str, str]:
    """`llms.txt` (https://llmstxt.org) and `llms-full.txt`, all pages one after the other."""
    readme = FRONT_MATTER.sub("", pages["README.md"])
    title, summary = readme.split("\n\n")[:2]
    listed, full, said = [f"{title}\n\n> {summary}"], [], described()
    for heading, names in sections().items():
        lines = []
        for name in names:
            text = FRONT_MATTER.sub("", pages[name])
            page_title = text.partition("\n")[0].removeprefix("# ")
            about = f": {said[name]}" if name in said else ""
            lines.append(f"- [{page_title}]({name}){about}")
            full.append(f"<!-- {name} -->\n\n{text.strip()}")
        listed.append(f"## {heading}\n\n" + "\n".join(lines))
    return "\n\n".join(listed) + "\n", "\n\n".join(full) + "\n"


def render(folder: Path) -> None:
    """Makes `html` of `source`; `CalledProcessError` for a link that leads nowhere."""
    shutil.copyfile(ROOT / "properdocs.yml", folder / "properdocs.yml")
    subprocess.run([sys.executable, "-m", "properdocs", "build"], cwd=folder, check=True)


def build(folder: Path, repository: str) -> Path:
    """Makes the folder anew: `source`, and `html`, which is the site."""
    shutil.rmtree(folder, ignore_errors=True)
    files = papers()
    pages = {n: written(n, set(files), repository) for n in files if n.endswith(".md")}
    for name, path in files.items():
        copy = folder / "source" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if name in pages:
            copy.write_text(pages[name], encoding="utf-8")
        else:
            shutil.copyfile(path, copy)
    render(folder)
    html = folder / "html"
    # Beside each page its Markdown, which llms.txt leads to.
    shutil.copytree(folder / "source", html, dirs_exist_ok=True)
    for name, text in zip(("llms.txt", "llms-full.txt"), for_models(pages), strict=True):
        (html / name).write_text(text, encoding="utf-8")
    return html


if __name__ == "__main__":
    print(build(ROOT / "site", os.environ.get("GITHUB_REPOSITORY", "OWNER/plumbline")))
