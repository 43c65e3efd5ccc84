"""Numbers in files whose checksums are right: each is of its type, finite and in range, or refused in one line."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from champions import SUMS, a_run
from hdf5_files import edited, write_games, write_weights
from models import random_model
from policies import random_policy_model

from kr import storage
from kr.errors import InvalidModelError, InvalidNumberError, InvalidSettingError, InvalidWeightsError, KrError
from kr.evaluation import files, weights
from kr.evaluation.evolved import ChampionRun, EvolvedNetwork, save_champions
from kr.evaluation.kinds import load_evaluation, load_file
from kr.hdf5 import FINITE, check_array, number_in
from kr.learn import games
from kr.players.evolved import decider_settings
from kr.policy.model_file import read_policy, save_policy
from kr.policy.shape import PolicyShape
from kr.studies.endings.model_file import load_model, save_model
from kr.studies.endings.shape import NetShape
from kr.units import Range

NUMBERS = [
    (3, Range(0, 5), False, 3),
    (3.0, Range(0, 5), True, 3),
    (0.5, Range(0, 5), False, 0.5),
    (np.float32(0.5), FINITE, False, 0.5),
    (np.int64(-3), FINITE, True, -3),
]
NO_NUMBERS = [
    (None, FINITE, False, "n is missing"),
    ("3", FINITE, False, "n is '3'; expected a number that is finite"),
    (True, FINITE, False, "n is True; expected a number that is finite"),
    ([1], FINITE, False, "n is [1]; expected a number that is finite"),
    (float("nan"), FINITE, False, "n is nan; expected a number that is finite"),
    (float("inf"), FINITE, False, "n is inf; expected a number that is finite"),
    (float("inf"), FINITE, True, "n is inf; expected a whole number that is finite"),
    (10**400, Range(0, 5), False, f"n is 1{'0' * 39}; expected a number: 0 to 5"),
    ("x" * 10_000, Range(0), False, f"n is '{'x' * 39}; expected a number: 0 or more"),
    (1.5, Range(0, 5), True, "n is 1.5; expected a whole number: 0 to 5"),
    (-1, Range(0, 5), True, "n is -1; expected a whole number: 0 to 5"),
]


@pytest.mark.parametrize(("value", "allowed", "whole", "number"), NUMBERS)
def test_a_number_is_a_plain_one(value: object, allowed: Range, whole: bool, number: float) -> None:
    found = number_in("n", value, allowed, whole=whole)
    assert found == number
    assert type(found) is type(number)


@pytest.mark.parametrize(("value", "allowed", "whole", "said"), NO_NUMBERS)
def test_what_is_no_such_number_is_told_in_one_line(value: object, allowed: Range, whole: bool, said: str) -> None:
    with pytest.raises(InvalidNumberError) as caught:
        number_in("n", value, allowed, whole=whole)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("numbers", "allowed", "said"),
    [
        ([1.0, np.nan], FINITE, "a has the number nan"),
        ([1.0, -np.inf], FINITE, "a has the number -inf"),
        ([1.0, 3e38], Range(-1e6, 1e6), "a has the number 3e"),
        ([1, -7], Range(0, 5), "a has the number -7; expected a whole number: 0 to 5"),
    ],
)
def test_numbers_of_an_array_are_checked(numbers: list[float], allowed: Range, said: str) -> None:
    dtype = np.float32 if isinstance(numbers[0], float) else np.int16
    with pytest.raises(InvalidNumberError, match=said):
        check_array("a", np.array(numbers, dtype=dtype), allowed)


def test_unknown_numbers_of_an_array_may_be_allowed() -> None:
    check_array("a", np.array([np.nan, 0.5], dtype=np.float32), Range(0, 1), unknown=True)
    with pytest.raises(InvalidNumberError):
        check_array("a", np.array([np.nan, np.inf], dtype=np.float32), FINITE, unknown=True)


# Champions


def champions_with(path: Path, genomes: Any = None, about: dict[str, Any] | None = None, **network: Any) -> Path:
    """A file of champions with other genomes, another description, or another network."""
    run = a_run()
    described = {**run.about, "network": {**asdict(SUMS), **network}, **(about or {})}
    if genomes is not None:
        run = ChampionRun(run.name, run.about, genomes(run.genomes.copy()), run.generations)
    save_champions(path, [ChampionRun(run.name, described, run.genomes, run.generations)], {})
    return path


def all_last(value: float) -> Callable[[Any], Any]:
    def changed(genomes: np.ndarray) -> np.ndarray:
        genomes[-1] = value
        return genomes

    return changed


CHAMPIONS: dict[str, tuple[dict[str, Any], str]] = {
    "king a text": ({"king": "2"}, "king is '2', not a number"),
    "king a list": ({"king": [1]}, r"king is \[1\], not a number"),
    "king a truth value": ({"king": True}, "king is True, not a number"),
    "king not finite": ({"king": float("nan")}, "king is nan, not a number"),
    "king without end": ({"king": float("inf")}, "king: inf is out of range; expected 0 to 100"),
    "king a huge number": ({"king": 10**400}, "king: 10*"),
    "king below 0": ({"king": -1}, "king: -1 is out of range"),
    "difference a text": ({"difference": "1"}, "difference is '1', not a number"),
    "difference nothing": ({"difference": None}, "difference is None, not a number"),
    "difference not finite": ({"difference": float("-inf")}, "difference: -inf is out of range"),
    "absolute a number": ({"absolute": 1}, "absolute: 1; expected true or false"),
    "inputs a list": ({"inputs": ["sums"]}, "inputs"),
    "inputs unknown": ({"inputs": "sunsets"}, "inputs 'sunsets'; one of"),
    "a setting unknown": ({"colour": 1}, "the attribute runs is not a description of runs"),
    "genomes of 3e38": ({"genomes": all_last(3e38)}, r"genomes\.thesis-1 has the number 3e\+38; expected a number"),
    "genomes not finite": ({"genomes": all_last(np.nan)}, r"genomes\.thesis-1 has the number nan"),
    "decider a list": ({"about": {"decider": [1]}}, "the attribute runs is not"),
    "decider of no kind": ({"about": {"decider": {"plies": 4}}}, "the attribute runs is not"),
    "kind a number": ({"about": {"decider": {"kind": 3}}}, "the attribute runs is not"),
}


@pytest.mark.parametrize("name", CHAMPIONS)
def test_champions_of_odd_numbers_are_refused(tmp_path: Path, name: str) -> None:
    changes, said = CHAMPIONS[name]
    path = champions_with(tmp_path / "bad.h5", **changes)
    for text in (str(path), f"evolved:{path}"):
        with pytest.raises(InvalidWeightsError, match=rf"bad\.h5: damaged weights file: .*{said}") as caught:
            load_evaluation(text)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 600


def test_a_king_in_a_genome_has_a_range(tmp_path: Path) -> None:
    network = EvolvedNetwork("sums", king=None)
    run = a_run(network=network)
    run.genomes[1, -1] = 101
    save_champions(tmp_path / "bad.h5", [run], {})
    with pytest.raises(InvalidWeightsError, match="a king has the number 101; expected a number: 0 to 100"):
        load_file(tmp_path / "bad.h5")


def test_a_name_with_a_path_in_it_is_not_followed(tmp_path: Path) -> None:
    """On the way there could be a link to another file."""
    run = a_run("a/b")
    save_champions(tmp_path / "good.h5", [a_run("c")], {})

    def edit(file: h5py.File) -> None:
        told = json.dumps({"a/b": dict(run.about)})
        sums = storage.checksum(run.genomes, run.generations, told.encode())
        file.attrs.update({"runs": told, "checksum": sums})
        attrs = {name: files._plain(value) for name, value in file.attrs.items()}
        header = ("kind", "format_version", "checksum", "attributes_checksum")
        attrs = {name: value for name, value in attrs.items() if name not in header}
        file.attrs["attributes_checksum"] = files._attributes_checksum(attrs)
        for part, array in (("genomes", run.genomes), ("generations", run.generations)):
            file.create_dataset(f"{part}.a/b", data=array)

    with pytest.raises(InvalidWeightsError, match=r"'genomes\.a/b' is not the name of a dataset"):
        load_file(edited(tmp_path / "good.h5", tmp_path / "bad.h5", edit))


@pytest.mark.parametrize(
    ("decider", "said"),
    [
        ({"kind": "minimax", "plies": "4"}, "plies is '4', not a whole number"),
        ({"kind": "minimax", "plies": -1}, "plies: -1 is out of range"),
        ({"kind": "mcts", "rounds": 1e300, "playout_plies": None}, "rounds: 1"),
    ],
)
def test_the_decider_of_a_champion_has_ranges(tmp_path: Path, decider: dict[str, Any], said: str) -> None:
    champion = load_evaluation(f"evolved:{champions_with(tmp_path / 'run.h5', about={'decider': decider})}")
    with pytest.raises(InvalidSettingError, match=said):
        decider_settings(champion, {})


# Tables, policies, models, games


@pytest.mark.slow
def test_material_is_what_the_core_can_add_up(tmp_path: Path) -> None:
    value = (1 << 20) + 1
    write_weights(tmp_path / "good.h5")
    made = weights.load_tables(tmp_path / "good.h5")
    tables = [made.men_table, made.kings_table, made.men_material.copy(), made.kings_material]
    tables[2][0, 0] = value
    weights.save_tables(tmp_path / "bad.h5", made.layout, *tables, attrs={})
    with pytest.raises(InvalidWeightsError, match=f"men_material has the number {value};"):
        weights.load_tables(tmp_path / "bad.h5")


@pytest.mark.slow
def test_material_of_a_policy_is_checked_too(tmp_path: Path) -> None:
    model = random_policy_model(PolicyShape(model="logit", layout="small", sight="none"))
    model.arrays["men_material"][0, 0] = 2**31 - 1
    save_policy(tmp_path / "bad.h5", model)
    with pytest.raises(KrError, match="men_material has the number"):
        read_policy(tmp_path / "bad.h5")


def test_a_model_has_no_numbers_without_bounds(tmp_path: Path) -> None:
    model = random_model(NetShape())
    name = next(iter(model.parameters))
    model.parameters[name].flat[0] = 3e38
    save_model(tmp_path / "bad.h5", model)
    with pytest.raises(InvalidModelError, match=f"p_{name} has the number"):
        load_model(tmp_path / "bad.h5")


@pytest.mark.parametrize("attrs", [{"seed": float("inf")}, {"seed": float("nan")}, {"games_per_second": "2"}], ids=repr)
def test_numbers_of_games_are_numbers(tmp_path: Path, attrs: dict[str, Any]) -> None:
    write_games(tmp_path / "good.h5")
    bad = edited(tmp_path / "good.h5", tmp_path / "bad.h5", lambda file: file.attrs.update(attrs))
    with pytest.raises(KrError, match=f"{next(iter(attrs))} is"):
        games.read_shard(bad)
