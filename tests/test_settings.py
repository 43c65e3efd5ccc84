"""Settings: one check and one message for every field, from Python and from the command line."""

import dataclasses
import importlib
import math
import pkgutil
import re
from dataclasses import dataclass
from pathlib import Path
from typing import get_type_hints

import pytest

import kr
from kr import cli
from kr.errors import InvalidSettingError
from kr.settings import REQUIRED, Settings, one_of, option, same_option
from kr.units import Range, format_size, parse_size


@dataclass(frozen=True)
class Sizes(Settings):
    """Settings with one field of every kind."""

    count: int = option(3, "Count, {allowed}.", low=1, high=8, zero="all")
    share: float = option(0.5, "Share.", above=0, below=1)
    memory: int = option(1 << 20, "Memory.", parse=parse_size, show=format_size, low=1 << 10, high=1 << 30)
    color: str = option("black", "Color: {allowed}.", choices=("black", "white", "random"))
    limit: int | None = option(None, "Limit.", low=1)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"count": 9}, "count: 9 is out of range; expected 1 to 8, or 0 for all"),
        ({"count": -1}, "count: -1 is out of range; expected 1 to 8, or 0 for all"),
        ({"count": 1.5}, "count is 1.5, not a whole number"),
        ({"count": "3"}, "count is '3', not a whole number"),
        ({"count": None}, "count is None, not a whole number"),
        ({"share": 0}, "share: 0 is out of range; expected more than 0 and less than 1"),
        ({"share": 1.0}, "share: 1 is out of range; expected more than 0 and less than 1"),
        ({"share": float("inf")}, "share: inf is out of range; expected more than 0 and less than 1"),
        ({"memory": 0}, "memory: 0B is out of range; expected 1kB to 1GB"),
        ({"memory": -5}, "memory: -5 is out of range; expected 1kB to 1GB"),
        ({"color": "red"}, "color: 'red' is unknown; expected black, white or random"),
        ({"limit": 0}, "limit: 0 is out of range; expected 1 or more"),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(fields, message):
    with pytest.raises(InvalidSettingError) as found:
        Sizes(**fields)
    assert str(found.value) == message


def test_values_in_range_are_kept_as_plain_numbers():
    sizes = Sizes(count=1e0, share=0.999, memory=1 << 30, color="random", limit=None)
    assert (sizes.count, sizes.share, sizes.memory, sizes.limit) == (1, 0.999, 1 << 30, None)
    assert type(sizes.count) is int
    assert Sizes(count=0).count == 0


def test_text_serves_as_a_path() -> None:
    settings = kr.FitSettings(directories=["one", Path("two")], out="mine.h5")
    assert settings == kr.FitSettings(directories=(Path("one"), Path("two")), out=Path("mine.h5"))
    assert isinstance(settings.out, Path)
    assert kr.TrainSettings(out="run").out == Path("run")


def test_help_names_what_is_allowed():
    words = {field.name: field.metadata for field in dataclasses.fields(Sizes)}
    assert words["count"]["help"] == "Count, 1 to 8, or 0 for all."
    assert words["color"]["help"] == "Color: black, white or random."
    assert words["color"]["metavar"] == "black|white|random"


def test_the_same_option_has_the_same_range():
    @dataclass(frozen=True)
    class Copy(Settings):
        count: int = same_option(Sizes, "count")

    with pytest.raises(InvalidSettingError, match="count: 9 is out of range"):
        Copy(9)


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        (Range(1, 60), "1 to 60"),
        (Range(low=1), "1 or more"),
        (Range(high=0.5), "at most 0.5"),
        (Range(above=0, high=1), "more than 0 and at most 1"),
        (Range(0, below=1), "0 or more and less than 1"),
        (Range(2, 8, zero="all"), "2 to 8, or 0 for all"),
    ],
)
def test_ranges_in_words(bounds, text):
    assert str(bounds) == text


@pytest.mark.parametrize(
    ("choices", "text"), [((), ""), (("a",), "a"), (("a", "b"), "a or b"), (("", "a", "b", "c"), "a, b or c")]
)
def test_choices_in_words(choices, text):
    assert one_of(choices) == text


def settings_classes() -> list[type]:
    """Every settings class of kr."""
    for module in pkgutil.walk_packages(kr.__path__, "kr."):
        if not module.name.startswith(("kr._", "kr.cli", "kr.__", "kr.system")):
            importlib.import_module(module.name)
    found, todo = [], [Settings]
    while todo:
        below = [each for each in todo.pop().__subclasses__() if each.__module__.startswith("kr.")]
        found += below
        todo += below
    return sorted(set(found), key=lambda each: each.__name__)


def test_every_settings_class_checks_its_fields() -> None:
    # not parameters, for which every process of the tests would have to import all of kr
    for settings in settings_classes():
        check_fields(settings)


CHECKED_TOGETHER = {
    "draw_after", "draw_moves", "draw_score", "egdb_memory", "hidden", "margin", "memory", "shares", "sprt",
    "win_moves", "win_score", "BookSettings.time", "FitSettings.seed", "LadderSettings.seed", "LearnSettings.rating",
    "ListenSettings.games", "MatchSettings.patience", "MatchSettings.seed", "PlaySettings.patience",
    "TrainSettings.games",
}  # fmt: skip
"""Numbers without a range of their own: what they may be depends on others, or any will do."""
WITHOUT_MOST = {
    "l2", "l2_parts", "most", "timeout", "tolerance", "AnalyzeSettings.game", "AnnotateSettings.line",
    "BookSettings.nodes", "BookSettings.positions", "ConnectSettings.games", "ConvertSettings.width",
    "CookSettings.count", "CookSettings.nodes", "EndnetFitSettings.limit", "EndnetFitSettings.patience",
    "FitSettings.max_iter", "GradeSettings.sample", "MarkSettings.lost_score", "PlaySettings.seed",
    "PolicyTestSettings.seed", "SampleSettings.count", "SearchSettings.limit", "TrainSettings.max_iter",
    "VerifySettings.sample",
}  # fmt: skip


CHOSEN = {
    "asked", "chance", "color", "deck", "decider", "format", "frame", "goal", "inputs", "layout", "loss", "model",
    "net", "paper", "results", "scheme", "set", "share", "side", "sight", "split", "stratify", "theme",
    "usual_start", "write_results",
}  # fmt: skip
"""Texts that are one of a few."""
FROM_ZERO = {
    "clear_score", "comparisons", "compression", "decay", "difference", "dropout", "from_ply", "generations", "holdout",
    "l2", "l2_parts", "leaf_margin", "leaf_nodes", "line", "noise", "oversight", "patience", "random_plies", "rating",
    "sample", "seed", "tolerance", "trap", "width", "window", "within",
}  # fmt: skip
"""Numbers that may be 0, which means no more than that. All others are more, and none is less."""


def check_fields(settings: type) -> None:
    """Each number has a range, and what is beyond it is refused, as is what is not among the choices."""
    fields = [field for field in dataclasses.fields(settings) if field.init]
    required = {field.name: Path("x") for field in fields if field.default is REQUIRED}
    types = get_type_hints(settings)
    for field in fields:
        where = f"{settings.__name__}.{field.name}"
        # a deck to mark may be a file
        if field.name in CHOSEN and types[field.name] is str and where != "MarkSettings.deck":
            assert field.metadata["choices"], where
            with pytest.raises(InvalidSettingError, match=f"^{field.name}: 'no such' is unknown; expected "):
                settings(**required | {field.name: "no such"})
        bounds, is_float = field.metadata.get("range"), "float" in str(types[field.name])
        if not (is_float or re.search(r"\bint\b", str(types[field.name]))):
            continue
        assert (bounds is None) == bool({where, field.name} & CHECKED_TOGETHER), where
        if bounds is None:
            continue
        if bounds.above is None:
            assert bounds.low is not None, where
            assert bounds.low > 0 or (bounds.low == 0 and field.name in FROM_ZERO and not bounds.zero), where
        else:
            assert bounds.above >= 0, where
        endless = bounds.high is None and bounds.below is None
        assert endless == bool({where, field.name} & WITHOUT_MOST), where
        many = isinstance(field.default, tuple)
        values = field.default if many else [field.default]
        assert field.default is None or all(each in bounds for each in values), where
        refused = [
            bound + beyond for bound, beyond in (
                (bounds.low, -1), (bounds.above, 0), (bounds.high, 1), (bounds.below, 0)
            ) if bound is not None and not (bounds.zero and bound + beyond == 0)
        ]  # fmt: skip
        for value in [*refused, *([math.nan, math.inf] if is_float else [])]:
            with pytest.raises(InvalidSettingError, match=rf"^{field.name}(: .* is out of range; expected | is nan, )"):
                settings(**required | {field.name: (value,) if many else value})


def test_the_command_line_says_the_same_of_its_option(capsys):
    assert cli.main(["match", "--hash", "0MB"]) == 2
    assert capsys.readouterr().err == "kr: --hash: 0B is out of range; expected 1MB to 1TB\n"
