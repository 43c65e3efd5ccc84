"""Examples as policies are trained on them, and the conditional logit that is fitted to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from policies import random_policy_model
from recorded import write_archive

from kr.archives.archive import ReadSettings
from kr.evaluation.kinds import load_scorer
from kr.policy.model_file import PolicyModel
from kr.policy.policy import Policy
from kr.policy.shape import PolicyShape
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.examples import Examples, make_examples
from kr.studies.people.logit import ChoiceData, ChoiceObjective, choice_data, logit_arrays
from kr.studies.people.nets import choice_logits, choice_losses
from kr.threads import thread_pool

SHAPES = [
    PolicyShape(hidden=(24, 8)),
    PolicyShape(hidden=(16, 16), sight="none", before=False),
    PolicyShape(hidden=(16, 8), sight="reply", years=(1860.0, 1900.0), strengths=(0.01, 0.02)),
]


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> Decisions:
    path = tmp_path_factory.mktemp("archive") / "games.pdn"
    write_archive(path, 40)
    return read_decisions(ReadSettings((path,)))


# --- examples


@pytest.mark.slow
def test_examples_are_what_the_compiled_policy_is_told(decisions: Decisions) -> None:
    """A net of JAX on examples says what the compiled one says of the boards."""
    some = decisions.of(np.arange(0, len(decisions), 3))
    eyes = load_scorer()
    strengths = np.where(np.arange(len(some)) % 3 == 0, np.nan, np.arange(len(some)) % 4 / 100).astype(np.float32)
    for shape in SHAPES:
        model = random_policy_model(shape)
        examples = make_examples(some, shape, eyes, strengths)
        batch = examples.padded(np.arange(len(some)), 20)
        logits = np.asarray(choice_logits(shape, dict(model.arrays), batch, 0.5, None))
        found = Policy(model).predict(
            some.boards, some.before, strengths, np.where(some.year > 0, some.year, np.nan).astype(np.float32)
        )
        assert found.first.tolist() == examples.first.tolist()
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        expected = weights / weights.sum(axis=1, keepdims=True)
        assert expected[np.arange(20) < examples.counts[:, None]] == pytest.approx(found.probability, abs=2e-5)
        played = np.exp(-np.asarray(choice_losses(logits, batch)))
        assert played == pytest.approx(found.probability[examples.first[:-1] + examples.played], abs=2e-5)


def test_examples_say_what_was_played_and_what_nobody_chose(decisions: Decisions) -> None:
    examples = make_examples(decisions, PolicyShape(sight="none"), None)
    assert (examples.counts == decisions.choices).all()
    assert (examples.target[examples.first[:-1] + examples.played] == decisions.moves[:, 1]).all()
    assert (examples.chosen == ((decisions.choices > 1) & ~decisions.prescribed)).all()
    assert not examples.best.any()


@pytest.mark.parametrize("field", ["moves", "captured"])
def test_a_move_that_is_not_legal_is_no_example(decisions: Decisions, field: str) -> None:
    wrong = getattr(decisions, field).copy()
    wrong[5] = 31
    with pytest.raises(ValueError, match="not legal"):
        make_examples(replace(decisions, **{field: wrong}), PolicyShape(sight="none"), None)


def test_no_examples_without_eyes(decisions: Decisions) -> None:
    with pytest.raises(ValueError, match="sight needs an evaluation"):
        made: Examples = make_examples(decisions, PolicyShape(), None)
        del made


# --- the logit


@pytest.fixture(scope="module")
def small_choices(decisions: Decisions) -> Iterator[tuple[ChoiceObjective, ChoiceData, Decisions]]:
    """The objective of a logit with sight on a few games, the data of others, and their decisions."""
    chosen = np.flatnonzero((decisions.choices > 1) & ~decisions.prescribed)
    shape = PolicyShape("logit", before=False, layout="small")
    mine, others = (decisions.of(chosen[part]) for part in (slice(0, None, 2), slice(1, None, 2)))
    with thread_pool(2) as pool:
        examples = (make_examples(each, shape, load_scorer()) for each in (mine, others))
        data, held = choice_data(next(examples), next(examples), shape, pool)
        yield ChoiceObjective(data, shape, 0.5, pool), held, others


@pytest.mark.slow
def test_the_gradient_of_a_logit_is_that_of_its_loss(
    small_choices: tuple[ChoiceObjective, ChoiceData, Decisions],
) -> None:
    objective, _, _ = small_choices
    source = np.random.default_rng(1)
    x = source.normal(0, 0.5, objective.size)
    loss, gradient = objective(x)
    assert loss > 0
    # along each part of the vector, and all of it
    ends = objective.ends
    for start, end in [*pairwise(ends), (0, objective.size)]:
        direction = np.zeros(objective.size)
        direction[start:end] = source.normal(0, 1, end - start)
        if not gradient[start:end].any():
            continue
        step = 1e-2 / np.sqrt(end - start)
        ahead, back = (objective(x + sign * step * direction)[0] for sign in (1, -1))
        assert (ahead - back) / (2 * step) == pytest.approx(gradient @ direction, rel=0.02, abs=0.05)


@pytest.mark.slow
def test_a_logit_in_a_file_is_the_one_that_was_fitted(
    small_choices: tuple[ChoiceObjective, ChoiceData, Decisions],
) -> None:
    """The compiled policy's tables in whole numbers say what the sums of the fit say."""
    objective, held, others = small_choices
    x = np.random.default_rng(2).normal(0, 1, objective.size)
    arrays, clipped = logit_arrays(objective, x)
    assert not clipped
    eyes = load_scorer()
    model = PolicyModel(objective.shape, arrays, eyes.signature, eyes.scale)
    found = Policy(model).predict(others.boards, others.before)
    logits = objective.logits(held, x).astype(float)
    powers = np.exp(logits)
    sums = np.repeat(np.add.reduceat(powers, found.first[:-1]), np.diff(found.first))
    assert powers / sums == pytest.approx(found.probability, abs=0.02)
    losses = -np.log(found.probability[held.examples.first[:-1] + held.examples.played])
    assert objective.loss_of(held, x) == pytest.approx(losses.mean(), rel=0.01)
