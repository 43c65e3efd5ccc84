"""Pages of annotated games: whole, safe whatever a PDN file says, and the same each time."""

import base64
import hashlib
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from html_page import Page

from kr.analysis.annotation import pages
from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.files import AnnotateSettings, annotate_files
from kr.analysis.annotation.game_text import game_text
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.annotation.pages import page_name
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.pdn import Game, read_game

pytest.importorskip("jinja2")

HOSTILE = r"""[Event "<script>alert(1)</script>"]
[Black "<img src=x onerror=alert(2)>"]
[White "../../etc/passwd\" onclick=\"alert(3)"]
[Date "javascript:alert(4)"]
[Result "*"]
[Evil "</style><script src=//evil.example></script>"]
[Jinja "{{ 7 * 7 }} {% include 'annotate.js' %}"]

{</script><script>alert(5)</script>} 1. 11-15 {&lt;b&gt; <b>bold</b> "q" 'x' {{ 6 * 7 } 24-20 $14 2. 8-11 28-24
(2... 22-18 {</title><svg onload=alert(6)>} 15x22 (2... 22-17 {<a href="//evil.example">})) 3. 9-13 22-18
4. 15x22 25x18 5. 3-8 $2 20-16 6. 12x28 23-19 *
"""
GAME = """[Black "One"]
[White "Two"]
[Result "1-0"]

{About} 1. 11-15 24-20 2. 8-11 28-24 {[%clk 0:01:00] said} 3. 9-13 22-18 4. 15x22 25x18 5. 3-8 20-16 6. 12x28 23-19 1-0
"""
WHITE_BEGINS = """[SetUp "1"]
[FEN "W:W22,23,K32:B1,2,K12"]

1... 32-28 1-6 2. 28-24 1/2-1/2
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine("manual", hash_mb=1)


def page_of(text: str, engine: Engine, tmp_path: Path) -> str:
    game = read_game(text)
    assert game is not None
    annotation = annotate(game, engine, JudgeSettings(tc=Limits(nodes=3000)))
    return pages.page(1, game, annotation, "kr 1 (<test>)")


@pytest.mark.parametrize("text", [GAME, HOSTILE, WHITE_BEGINS, '[Event "none"]\n\n*\n'])
def test_a_page_is_whole_and_asks_for_nothing(text: str, engine: Engine, tmp_path: Path) -> None:
    source = page_of(text, engine, tmp_path)
    page = Page(source)
    game = read_game(text)
    assert game is not None
    data = json.loads(source.split('<script type="application/json" id="game">')[1].split("</script>")[0])
    assert [node["fen"] for node in data["document"]["nodes"] if node["fen"]][: len(game.moves) + 1] == (
        [position.fen for position in game.positions()]
    )
    for tag, attributes in page.elements:
        assert tag not in ("img", "link", "iframe", "object", "image", "use", "base")
        for name in attributes:
            assert not name.startswith("on")
            assert name not in ("src", "srcset", "xlink:href", "action", "style")
    for target in (attributes["href"] or "" for attributes in page.all("a")):
        assert target == "index.html"
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert "url(" not in source
    assert "@import" not in source


def test_hostile_text_is_only_text(engine: Engine, tmp_path: Path) -> None:
    source = page_of(HOSTILE, engine, tmp_path)
    page = Page(source)
    assert [script.get("type") for script in page.all("script")] == ["application/json", None]
    assert page.all("b") == []
    assert all(attributes["href"] != "//evil.example" for attributes in page.all("a"))
    said = " ".join(page.text)
    for text in ("<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "{{ 7 * 7 }}", "&lt;b&gt; <b>bold</b>"):
        assert text in said
    assert "alert(" not in re.sub(r"&lt;.*?&gt;|&#34;.*", "", source.split("<body")[0])


def test_a_page_has_its_own_script_and_style_only(engine: Engine, tmp_path: Path) -> None:
    source = page_of(GAME, engine, tmp_path)
    (policy,) = (meta["content"] or "" for meta in Page(source).all("meta") if "http-equiv" in meta)
    assert policy.startswith("default-src 'none';")
    for tag in ("script", "style"):
        text = source.split(f"<{tag}>")[1].split(f"</{tag}>")[0]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy


def test_a_page_tells_all(engine: Engine, tmp_path: Path) -> None:
    page = Page(page_of(GAME, engine, tmp_path))
    said = " ".join(" ".join(page.text).split())
    assert "One v Two" in said
    assert "1-0, Black won" in said
    assert "“About”" in said
    assert "“said”" in said
    assert "[%" not in said
    assert "5... 20-16 ??" in said
    assert "Blunder: White expects" in said
    # without scripts: the start, and the moves
    moves = " ".join(page.words.split())
    assert sum((attributes.get("class") or "").startswith("piece") for attributes in page.all("g")) == 24 + 4
    assert "1. 11-15 24-20 2. 8-11 28-24 3. 9-13 22-18 4. 15x22 25x18 5. 3-8 20-16?? 6. 12x28 23-19" in moves


def test_a_page_has_the_event_and_no_empty_tags(engine: Engine, tmp_path: Path) -> None:
    tags = '[Event "Open"]\n[Site "?"]\n[Date "1886.??.??"]\n[Round "8"]\n'
    page = Page(page_of(tags + GAME, engine, tmp_path))
    said = " ".join(" ".join(page.text).split())
    assert "Open · 1886 · round 8 · 1-0, Black won" in said


def test_variations_are_numbered(engine: Engine, tmp_path: Path) -> None:
    said = " ".join(Page(page_of(HOSTILE, engine, tmp_path)).words.split())
    assert """2... 22-18 [</title><svg onload=alert(6)>] 3. 15x22 (3. 22-17 [<a href="//evil.example">])""" in said


@pytest.mark.slow
def test_hostile_comments_are_quick(engine: Engine, tmp_path: Path) -> None:
    many = " ".join(["11-15"] * 30_000)
    text = f"1. 11-15 {{{'[%kr ' * 50_000}}} 24-20 {{{'[%' * 100_000}}} 2. 8-11 28-24 (27-24 {many}) *"
    page_of(text, engine, tmp_path)
    page_of("1. 11-15 24-20 2. 8-11 28-24 " + "(27-24 {[%kr line]})" * 5000 + " *", engine, tmp_path)


@pytest.mark.parametrize(
    ("black", "white", "name"),
    [
        ("MF Tinsley", "D. Lafferty", "00007-mf-tinsley-v-d-lafferty.html"),
        ("", "", "00007.html"),
        ("../..", "/\\\0", "00007.html"),
        ("Ünï", "Šťastný", "00007-uni-v-stastny.html"),
        ("漢字", "<b>", "00007-v-b.html"),
        ("CON" * 100, "x", f"00007-{'con' * 20}.html"),
    ],
)
def test_names_of_pages_are_safe(black: str, white: str, name: str) -> None:
    assert page_name(7, {"Black": black, "White": white}) == name


def test_the_index_lists_games_and_players(tmp_path: Path) -> None:
    (tmp_path / "games.pdn").write_text(GAME + "\n" + HOSTILE)
    settings = AnnotateSettings(
        files=(tmp_path / "games.pdn",), html=tmp_path / "pages", tc=Limits(nodes=300), hash=1 << 20, weights="manual"
    )
    records: list[dict[str, Any]] = []
    annotate_files(settings, lambda record, earlier: records.append(record))
    names = sorted(path.name for path in (tmp_path / "pages").iterdir())
    assert names == sorted(["index.html", *(record["page"] for record in records)])
    page = Page((tmp_path / "pages" / "index.html").read_text())
    assert [link["href"] for link in page.all("a")] == [record["page"] for record in sorted(records, key=_number)]
    assert len(page.all("script")) == 1
    said = " ".join(page.text)
    for name in ("One", "Two", "<img src=x onerror=alert(2)>"):
        assert name in said


def _number(record: dict[str, Any]) -> int:
    return int(record["number"])


def test_a_page_tells_the_story(engine: Engine) -> None:
    game = read_game(GAME)
    assert game is not None
    annotation = annotate(game, engine, JudgeSettings(tc=Limits(nodes=1000)))
    text = "".join(Page(pages.page(1, game, annotation, "kr")).text)
    assert "White lost in a worse position. White came into a worse position at 5... 20-16" in text
    assert f"One{annotation.black.accuracy:.1f}" in text
    assert "Accuracy: Each move that mattered counts 100" in text


def test_a_game_in_words() -> None:
    """By recorded cases, which the page is held to as well when it sends a game."""
    for case in json.loads((Path(__file__).with_name("cases") / "game_text.json").read_text("utf-8")):
        game = read_game(case["pdn"])
        assert game is not None
        assert json.loads(json.dumps(asdict(game_text(game)))) == case["text"], case["name"]
        # a judgement of the start, which no move led to, is left out
        game.nags = ["!", "*", "$14"]
        assert game_text(game).moves == case["text"]["moves"]


def test_a_game_that_is_not_judged_makes_a_page(tmp_path: Path) -> None:
    game = Game({}, None, ["11-15", "22-18", "15x22", "25x18", "8-11"])
    engine = Engine("manual", hash_mb=1, database="none")
    annotation = annotate(game, engine, JudgeSettings(tc=Limits(nodes=300), from_ply=9))
    page = Page(pages.page(1, game, annotation, "kr"))
    rows = page.words.split("Moves")[0].splitlines()
    assert [row for row in rows if "00\N{EN DASH}0.0000000" in row] == [
        f"{side}\N{EN DASH}00\N{EN DASH}0.0000000" for side in ("Black", "White")
    ]
