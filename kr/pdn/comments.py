"""Notes of a game: put into its tree, and listed from it."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Sequence

from kr.errors import InvalidFenError, InvalidPdnError
from kr.game.position import Bits, Move, Position
from kr.language.sentences import Sentence, Told, sentence, told_by
from kr.notation import SIDE_NAMES
from kr.pdn.drafts import DraftLine, DraftNote, DraftSetup, Judgement
from kr.pdn.grammar import plain_move
from kr.pdn.notes import Comment, Nag, Note, Setup, Variation
from kr.pdn.replay import Replay
from kr.pdn.tree import NOT_KNOWN, ChildNode, GameNode, RootNode


def notes_of(game: RootNode) -> tuple[Note, ...]:
    """Notes of a game in the order in which they are written."""
    heads: list[tuple[GameNode, ChildNode | None]] = [(game, None)]
    lines: list[tuple[list[str], list[Note | tuple[int, ChildNode]]]] = []
    line_of: dict[int, int] = {}
    for parent, first in heads:
        line_of[id(first)] = len(lines)
        moves: list[str] = []
        notes: list[Note | tuple[int, ChildNode]] = []
        if first is None:
            notes += _node_notes(parent, 0)
        node = first or parent.next()
        while node is not None:
            notes += [Comment(len(moves), text) for text in node.starting_comments]
            moves.append(node.text)
            notes += _node_notes(node, len(moves))
            if node is not first and node.parent is not None:
                others = node.parent.variations[1:]
                notes += [(len(moves), other) for other in others]
                heads += [(node.parent, other) for other in others]
            node = node.next()
        lines.append((moves, notes))
    # from the innermost variations out
    line_notes: list[tuple[Note, ...]] = [()] * len(lines)
    for number in reversed(range(len(lines))):
        nested: list[Note] = []
        for note in lines[number][1]:
            if isinstance(note, tuple):
                inner = line_of[id(note[1])]
                nested.append(Variation(note[0], tuple(lines[inner][0]), line_notes[inner]))
            else:
                nested.append(note)
        line_notes[number] = tuple(nested)
    return line_notes[0]


def _node_notes(node: GameNode, ply: int) -> list[Note]:
    setup = [Setup(ply, node.setup.fen)] if node.setup is not None else []
    return [*(Nag(ply, text) for text in node.nags), *setup, *(Comment(ply, text) for text in node.comments)]


def set_notes(game: RootNode, notes: Iterable[Note]) -> None:
    """Put notes into a game that has none but its setups. Raises InvalidPdnError for a note after the last move."""
    nodes: list[GameNode] = [game, *game.mainline()]
    drafts: list[tuple[int, DraftNote]] = []
    waiting = [(drafts, note) for note in notes]
    for _, note in waiting:
        if not 0 <= note.ply < len(nodes):
            raise InvalidPdnError(f"a note is at ply {note.ply} of a game of {len(nodes) - 1} plies")
    for into, note in waiting:
        if isinstance(note, Variation):
            line = DraftLine(list(note.moves), [0] * len(note.moves))
            into.append((note.ply, line))
            waiting += [(line.notes, inner) for inner in note.notes if 0 <= inner.ply <= len(note.moves)]
        elif isinstance(note, Setup):
            if into is not drafts:
                into.append((note.ply, DraftSetup(note.fen, 0)))
        else:
            into.append((note.ply, Judgement(note.text) if isinstance(note, Nag) else note.text))
    game.warnings = (*game.warnings, *map(str, plant_notes(nodes, drafts)))


def plant_notes(line: list[GameNode], notes: Sequence[tuple[int, DraftNote]]) -> list[Sentence]:
    """Put the notes of a line into the tree; returns warnings about illegal variations.

    line: the root of a game and the nodes of its main continuation, still without notes.
    """
    warnings: list[Sentence] = []
    waiting: list[tuple[list[GameNode], Sequence[tuple[int, DraftNote]], int]] = [(line, notes, 0)]
    while waiting:
        nodes, entries, before = waiting.pop()
        for ply, note in entries:
            if isinstance(note, DraftSetup):
                nodes[ply]._setup = note.board
        # a comment at the beginning is about the game, or about the first move of the variation
        first = 0 if nodes is line else 1
        queue = deque(entries)
        after_variation = -1
        while queue:
            ply, note = queue.popleft()
            node = nodes[max(ply, first)]
            if isinstance(note, Judgement):
                if note not in node.nags:
                    node.nags.append(str(note))
            elif isinstance(note, str):
                following = nodes[ply + 1] if ply + 1 < len(nodes) and ply in (first - 1, after_variation) else None
                if isinstance(following, ChildNode):
                    following.starting_comments.append(note)
                else:
                    node.comments.append(note)
            elif isinstance(note, DraftSetup):
                continue
            elif not _end_at_unknown(note).moves:
                queue.extendleft((ply, inner) for _, inner in reversed(note.notes))
            elif len(nodes) == 1:
                node.comments.append(" ".join(note.moves))
                warnings.append(sentence("pdn.no_move"))
            else:
                index = max(ply, 1) - 1
                branch = _branch(nodes[index], before + index, note, warnings)
                waiting.append((branch, note.notes, before + index))
                # before the first move of the game all comments are about the game
                after_variation = ply or -1
    return warnings


def _end_at_unknown(line: DraftLine) -> DraftLine:
    """End a variation at an unknown move: the moves after it would be taken for moves of the position before it."""
    end = line.replayable
    if rest := line.moves[end:]:
        line.notes = [note for note in line.notes if note[0] <= end or not isinstance(note[1], DraftLine | Judgement)]
        # a position that is set up behind the unknown move is text as the moves are
        line.notes = [
            (min(ply, end), note.text if ply > end and isinstance(note, DraftSetup) else note)
            for ply, note in line.notes
        ]
        line.notes.append((end, f"{NOT_KNOWN}: {' '.join(rest)}"))
        line.moves, line.offsets, line.unknown_from = line.moves[:end], line.offsets[:end], None
    return line


def _branch(anchor: GameNode, ply: int, line: DraftLine, warnings: list[Sentence]) -> list[GameNode]:
    """The node before a variation and the new nodes of its moves; text from the first illegal move on."""
    moves: list[Move | str] = [plain_move(text) for text in line.moves]
    if anchor.is_legal:
        replay, line.notes, refused = replay_line(
            anchor.bits, [str(each) for each in moves[: line.replayable]], line.notes
        )
        warnings += replay.ambiguous
        if refused:
            warnings.append(sentence("pdn.in_variation", why=refused[1]))
        if replay.error:
            ply += len(replay.moves) + 1
            warnings.append(sentence("pdn.in_variation_at", ply=str(ply), why=told_by(replay.error)))
        line.notes = moved_notes(line.notes, replay.firsts, replay.failed)
        moves[: replay.failed] = replay.moves
    nodes = [anchor]
    for move in moves:
        child = ChildNode(nodes[-1], move)
        nodes[-1].variations.append(child)
        nodes.append(child)
    return nodes


def replay_line(
    board: Bits, texts: Sequence[str], notes: list[tuple[int, DraftNote]]
) -> tuple[Replay, list[tuple[int, DraftNote]], tuple[DraftSetup, Told] | None]:
    """Play the moves of a line, with the positions that its notes set up.

    Returns the notes too, with the setups that are not played as comments, and the setup at which the moves end because
    its position can't be set up there, with the reason.
    """
    setups = [(ply, note) for ply, note in notes if isinstance(note, DraftSetup)]
    if not setups:
        return Replay(board, texts), notes, None
    ends = [ply for ply, _ in setups[1:]] + [len(texts)]
    replay = Replay(board, texts[: setups[0][0]])
    refused = None
    for (ply, setup), end in zip(setups, ends, strict=True):
        if replay.failed < ply or refused:
            break
        try:
            setup.board = settable(setup.fen, replay.boards[-1]).bits
        except InvalidPdnError as error:
            refused = setup, told_by(error)
        else:
            replay.resume(setup.board, texts[ply:end])
    remaining: list[tuple[int, DraftNote]] = [
        (ply, note.text if isinstance(note, DraftSetup) and note.board is None else note) for ply, note in notes
    ]
    return replay, remaining, refused


def settable(fen: str, board: Bits) -> Position:
    """The position of a setup command in place of a board. Raises InvalidPdnError if it can't be set up there."""
    try:
        position = Position.from_fen(fen)
    except InvalidFenError as error:
        raise InvalidPdnError(sentence("pdn.bad_setup", why=told_by(error))) from None
    if position.side != board[3]:
        side = SIDE_NAMES[board[3]]
        raise InvalidPdnError(sentence("pdn.other_side", letter=side[0], side=side.lower(), fen=repr(fen)))
    return position


def moved_notes(
    notes: list[tuple[int, DraftNote]], firsts: Sequence[int], replayed: int
) -> list[tuple[int, DraftNote]]:
    """Notes whose plies count texts, for moves of which some were given in several texts.

    firsts: number of the first text of each move. replayed: number of the texts of them all.
    """
    if len(firsts) == replayed:
        return notes
    joined = replayed - len(firsts)
    return [(bisect_left(firsts, ply) if ply <= replayed else ply - joined, note) for ply, note in notes]
