from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from ctxlint.diagnostic import Diagnostic, Step
from ctxlint.ir.span import NOWHERE, Span
from ctxlint.report.html import render_html
from ctxlint.report.surroundings import Surroundings
from ctxlint.result import Coverage, NotAnalysed, Report
from tests.findings import finding
from tests.report.test_sarif import RULE

TEXT = "".join(f"{text}\n" for text in [
    *["x = 1"] * 30,
    "class Agent:",
    "    def other(self):",
    "        pass",
    "",
    "    async def say(self, m):",
    "        # first",
    *["        pass"] * 4,
    "        self.messages.append(m)",
    "        if m is None:",
    "            await self._wal.write('late')",
    *["x = 1"] * 60,
])
HERE = Surroundings(Path("/project"), Path("/project"), lambda path: TEXT if path == "/project/agent.py" else None)
VOID = {"meta", "input", "wbr"}


class Page(HTMLParser):
    """What a page consists of; it fails on a tag that is closed by another one."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[tuple[str, dict[str, str]]] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] not in (["style"], ["script"]):
            self.text += data

    def classes(self, tag: str) -> list[str]:
        return [attributes.get("class", "") for name, attributes in self.tags if name == tag]


def page(
    *diagnostics: Diagnostic, suppressed: Sequence[Diagnostic] = (), failures: tuple[NotAnalysed, ...] = ()
) -> str:
    return render_html(Report(diagnostics, (), Coverage(3, 9, failures)), [RULE], HERE, "0.1.0", suppressed)


def test_the_steps_stand_beside_their_lines() -> None:
    text = page(finding(flow=finding().flow[:2]))
    rows = re.findall(r'<div class="line([^"]*)"><span class="marks">(.*?)</span><span class="number">(\d+)</span>', text)
    assert [int(number) for _, _, number in rows] == [35, *range(36, 46)]
    assert [(number, re.sub("<.*?>", "", marks)) for kinds, marks, number in rows if "hit" in kinds] == [("41", "1"), ("43", "2")]
    assert '<span class="at">self.messages.append(m)</span>' in text
    assert '<span class="keyword">async</span>' in text and '<span class="comment"># first</span>' in text
    assert '<span class="string">&#x27;late&#x27;</span>' in text
    assert "<p><b>2</b>can fail here</p>" in text


def test_a_file_that_cannot_be_read_shows_the_line_that_is_known() -> None:
    text = Page(page(finding())).text
    assert "/elsewhere/log.py" in text and 'self._undo.append(("pop", m))' in text


def test_an_interleaving_has_two_columns() -> None:
    first, second, third = finding().flow
    waits = msgspec.structs.replace(second, by="another writer")
    text = page(finding(flow=(first, waits, third)))
    head, *turns = text.split('<div class="lanes"')[1].split("<figure")[0].split('<div class="turn')[1:]
    assert "Agent.say" in head and "another writer" in head
    mine, theirs = turns[1].split('<div class="lane">')[1:]
    assert "waits, at line 43" in mine and "can fail here" in theirs and '<b class="step other">2</b>' in theirs
    assert "reads" not in turns[0].split('<div class="lane">')[2]
    assert '<div class="lanes"' not in page(finding())


HOSTILE = "</script><img src=x onerror=alert(1)>\" onload='x' `<b>` \u202e\x00&amp;"


def test_texts_of_the_code_are_shown_and_are_no_markup() -> None:
    one = finding(
        path=f"/project/{HOSTILE}", symbol=HOSTILE, message=HOSTILE, scenario=HOSTILE, evidence=(HOSTILE,), code="A\"'<", name=HOSTILE,
        flow=(Step(f"/project/{HOSTILE}", Span(1, 1, 1, 2), HOSTILE, HOSTILE, HOSTILE),),
    )
    failure = NotAnalysed(f"/project/{HOSTILE}", HOSTILE, HOSTILE)
    parsed = Page(page(one, suppressed=[one], failures=(failure,)))
    tags = {tag for tag, _ in parsed.tags}
    assert "img" not in tags and parsed.text.count("<img src=x onerror=alert(1)>") > 10
    assert [tag for tag, _ in parsed.tags].count("script") == 1
    assert "\u202e" not in parsed.text and "\\u202e\\x00" in parsed.text and "&amp;amp;" in page(one)
    for _, attributes in parsed.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes)


def test_the_page_needs_nothing_from_elsewhere_and_runs_only_its_own_script() -> None:
    text = page(finding(), finding(), suppressed=[finding()])
    parsed = Page(text)
    for _, attributes in parsed.tags:
        assert "src" not in attributes and attributes.get("href", "#").startswith("#")
    assert "url(" not in text and "@import" not in text
    policy = next(attributes["content"] for tag, attributes in parsed.tags if attributes.get("http-equiv"))
    for element in ("style", "script"):
        (content,) = re.findall(f"<{element}>(.*?)</{element}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy


def test_every_link_leads_somewhere_and_every_name_is_unique() -> None:
    parsed = Page(page(finding(fingerprint="a"), finding(fingerprint="a"), suppressed=[finding(fingerprint="a")]))
    names = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(set(names)) == len(names)
    assert {attributes["href"][1:] for _, attributes in parsed.tags if "href" in attributes} <= set(names)


def test_what_does_not_count_says_so_and_is_not_counted() -> None:
    parsed = Page(page(finding(), suppressed=[finding(severity="note")]))
    assert parsed.classes("article") == ["finding error", "finding note hushed"]
    assert parsed.classes("li")[:3] == ["tile error", "tile warning none", "tile note none"]


def test_what_was_not_analysed_is_told() -> None:
    parsed = Page(page(failures=(NotAnalysed("/project/bad.py", "syntax error", "line 3", NOWHERE),)))
    assert "Not analysed" in parsed.text and "bad.py: syntax error (line 3)" in parsed.text


def test_a_fix_shows_what_goes_and_what_comes() -> None:
    text = page(finding())
    for kind, line in (("gone", "a"), ("come", "b")):
        assert re.search(rf'<div class="line {kind}">.*?<code>{line}\n</code>', text)


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

CLICKS = """<script>
const box = (name, value) => document.querySelector(`input[name="${name}"][value="${value}"]`);
const shown = () => document.querySelector(".shown").textContent;
const told = [shown()];
box("confidence", "low").click(); told.push(shown());
document.querySelector("input[type=search]").value = "AGENT";
document.getElementById("filters").dispatchEvent(new Event("input")); told.push(shown());
box("rule", "AA101").click(); told.push(shown() + document.querySelector(".nothing").hidden);
document.getElementById("theme").click(); told.push(document.documentElement.dataset.theme);
location.hash = "rule-AA101"; dispatchEvent(new Event("hashchange"));
told.push(document.querySelector(".rules details").open);
document.title = told.join("|");
</script>"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_the_filters_in_a_browser(tmp_path: Path) -> None:
    text = page(finding(), finding(confidence="low"), finding(path="/project/b.py"))
    assert _title(tmp_path, text.replace("</body>", CLICKS + "</body>")) == "ctxlint: project"    # the policy forbids the clicks
    allowed = re.sub("<meta http-equiv.*?>", "", text).replace("</body>", CLICKS + "</body>")
    assert _title(tmp_path, allowed) == "3 of 3 shown|2 of 3 shown|1 of 3 shown|0 of 3 shownfalse|dark|true"


def _title(folder: Path, text: str) -> str:
    (folder / "page.html").write_text(text, encoding="utf-8")
    command = [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--dump-dom"]
    done = subprocess.run([*command, (folder / "page.html").as_uri()], capture_output=True, text=True, timeout=60, check=True)
    (title,) = re.findall("<title>(.*?)</title>", done.stdout)
    return str(title)
