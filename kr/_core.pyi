# A position is black, white and kings as 32-bit bitboards (bit s for square s, 0-31) and the side to move (0 Black, 1
# White). Scores are centi-men from the side to move.

from _thread import LockType
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from kr._egdb import EndgameDatabase

_Position: TypeAlias = tuple[int, int, int, int]
_Move: TypeAlias = tuple[int, int, int]

NO_PROGRESS_PLIES: Final[int]
SCORE_INFINITE: Final[int]
SCORE_WIN: Final[int]
SCORE_DECIDED: Final[int]
SCORE_DATABASE_WIN: Final[int]
SCORE_KEPT_WIN: Final[int]
SCORE_STATIC_MAX: Final[int]
SCORE_NONE: Final[int]
MATERIAL_MAN: Final[int]
MATERIAL_KING: Final[int]

# rules
def legal_moves(black: int, white: int, kings: int, side: int) -> list[tuple[tuple[int, ...], int]]: ...
def play(black: int, white: int, kings: int, side: int, origin: int, target: int, captured: int) -> _Position: ...
def position_key(black: int, white: int, kings: int, side: int) -> int: ...
def perft(black: int, white: int, kings: int, side: int, depth: int) -> int: ...
def perft_by_moves(black: int, white: int, kings: int, side: int, depth: int) -> int: ...
def read_line(
    text: str,
    at: int,
    black: int,
    white: int,
    kings: int,
    side: int,
    keys: NDArray[np.uint64],
    codes: NDArray[np.uint16],
) -> tuple[int, int, int] | None: ...
def pending_captures(boards: NDArray[np.uint32]) -> NDArray[np.bool_]: ...
def successors(boards: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
def capture_leaves(boards: NDArray[np.uint32]) -> CaptureTree: ...

class CaptureTree:
    @property
    def leaves(self) -> NDArray[np.uint32]: ...
    @property
    def length(self) -> int: ...
    def __len__(self) -> int: ...
    def back_up(self, probabilities: NDArray[np.float32]) -> NDArray[np.float32]: ...

# coach
def line_facts(
    black: int,
    white: int,
    kings: int,
    side: int,
    played: Sequence[_Move],
    better: Sequence[_Move],
    database: EndgameDatabase | None = None,
    every: bool = False,
) -> list[tuple[str, bool, int, int, int, int, int, int]]: ...

# evaluation
class Evaluator:
    def evaluate(self, black: int, white: int, kings: int, side: int) -> int: ...
    def evaluate_batch(self, positions: NDArray[np.uint32], scores: NDArray[np.int16]) -> None: ...

class EvolvedEvaluator(Evaluator):
    def __new__(
        cls,
        layers: list[tuple[NDArray[np.float32], NDArray[np.float32]]],
        king: float,
        difference: float,
        absolute: bool,
        scale: float = 1,
    ) -> EvolvedEvaluator: ...
    def outputs(self, boards: NDArray[np.uint32]) -> NDArray[np.float32]: ...

EVALUATORS: Final[dict[str, Callable[..., Evaluator]]]

# policy
def policy_choices(
    boards: NDArray[np.uint32],
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint32]]: ...
def choice_boards(boards: NDArray[np.uint32]) -> NDArray[np.uint32]: ...
def choice_scores(boards: NDArray[np.uint32], evaluator: Evaluator, plies: int = 0) -> NDArray[np.int16]: ...

class PolicyAsker:
    def predict(
        self,
        boards: NDArray[np.uint32],
        before: NDArray[np.uint8],
        strength: NDArray[np.uint8],
        year: NDArray[np.uint8],
        first: NDArray[np.int64],
    ) -> NDArray[np.float32]: ...

class PolicyNet(PolicyAsker):
    def __new__(
        cls,
        arrays: Mapping[str, NDArray[np.float32]],
        move_ids: NDArray[np.uint8],
        has_before: bool,
        strengths: int,
        years: int,
        eyes: Evaluator | None,
        plies: int,
        scale: float,
        best: Sequence[float],
        behind: Sequence[float],
    ) -> PolicyNet: ...

class PolicyLogit(PolicyAsker):
    def __new__(
        cls,
        regions: Evaluator,
        unit: float,
        arrays: Mapping[str, NDArray[np.float32]],
        move_ids: NDArray[np.uint8],
        eyes: Evaluator | None,
        plies: int,
        scale: float,
        best: Sequence[float],
        behind: Sequence[float],
    ) -> PolicyLogit: ...

# search
MAX_LINES: Final[int]
SEARCH_OPTIONS: Final[dict[str, tuple[int, int, int, int, str]]]

def only_kings_moved(before: _Position, after: _Position) -> bool: ...

class SearchingError(RuntimeError): ...
class ThreadError(RuntimeError): ...

class Stop:
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

class SearchRequest:
    def __init__(
        self,
        root: _Position,
        history: list[_Position],
        *,
        time: float | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        usual_time: float | None = None,
        lines: int = 1,
        forced_at_once: bool = False,
        listener: Callable[[SearchReply], None] | None = None,
        stop: Stop | None = None,
        draws_for: int | None = None,
        within: int | None = None,
    ) -> None: ...

class SearchReply:
    @property
    def lines(self) -> list[tuple[int, list[_Move]]]: ...
    @property
    def depth(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def probes(self) -> int: ...
    @property
    def hits(self) -> int: ...
    @property
    def value(self) -> int: ...

class Searcher:
    def __new__(
        cls,
        evaluator: Evaluator,
        hash_bytes: int,
        threads: int = 1,
        database: EndgameDatabase | None = None,
        options: dict[str, int] | None = None,
    ) -> Searcher: ...
    def clear(self) -> None: ...
    def set_options(self, options: dict[str, int]) -> None: ...
    def stop(self) -> None: ...
    def search(self, request: SearchRequest) -> SearchReply: ...
    def start(self, request: SearchRequest, on_end: Callable[[SearchReply | BaseException], object]) -> None: ...
    def forget_search(self) -> None: ...
    def progress(self, request: SearchRequest) -> tuple[int, int, float] | None: ...
    def search_apart(self, request: SearchRequest, on_end: Callable[[SearchReply | BaseException], object]) -> None: ...
    def help(self, index: int, root: _Position, end: LockType) -> None: ...

# proofs: a claim is a root, a side and a goal, VALUE_DRAW or VALUE_WIN
_Board: TypeAlias = tuple[int, int, int]
_CertifiedColumns: TypeAlias = tuple[bytes, bytes, bytes] | _StrategyFault
_StrategyFault: TypeAlias = tuple[int, _Position, _Move, int, list[_Board]]
_Ask: TypeAlias = Callable[[_Position, list[_Position], int, int | None], tuple[int, list[_Move], int]]
PROVE_VALUE: Final[int]
PROVE_WIN: Final[int]
PROVE_DRAW: Final[int]
PROVE_LOSS: Final[int]
MOST_CERTIFIED: Final[int]
MOST_RANK: Final[int]
FAULT_NONE: Final[int]
FAULT_GAP: Final[int]
FAULT_ILLEGAL: Final[int]
FAULT_AGAINST: Final[int]
FAULT_CYCLE: Final[int]
FAULT_LONG: Final[int]
FAULT_LARGE: Final[int]
FAULT_UNKNOWN: Final[int]
FAULT_NO_MEMORY: Final[int]
BY_NOTHING: Final[int]
BY_RULES: Final[int]
BY_DATABASE: Final[int]
BY_CERTIFICATE: Final[int]

class ProvedMoves:
    def __new__(cls, items: Iterable[tuple[_Board, _Move]] = ()) -> ProvedMoves: ...
    def update(self, items: Iterable[tuple[_Board, _Move]]) -> None: ...
    def __len__(self) -> int: ...
    def __contains__(self, board: object, /) -> bool: ...
    def __iter__(self) -> Iterator[_Board]: ...
    def __getitem__(self, board: _Board, /) -> _Move: ...
    def keys(self) -> list[_Board]: ...
    def items(self, most: int | None = None) -> list[tuple[_Board, _Move]]: ...

def settled_claim(
    root: _Position, side: int, goal: int, position: _Position, database: EndgameDatabase | None = None
) -> bool | None: ...
def proof_numbers(goal: int, score: int) -> tuple[float, float]: ...
def claims_of(goal: int, root: _Position) -> list[tuple[int, int]]: ...
def value_bounds(goal: int, root: _Position, proved: list[tuple[int, int]]) -> tuple[int, int, bool]: ...

class ProofAsker:
    def __init__(self, ask: _Ask, clear: Callable[[], object]) -> None: ...

def ask_leaf(
    asker: ProofAsker,
    leaf: _Position,
    side: int,
    goal: int,
    nodes: int,
    proofs: ProvedMoves,
    database: EndgameDatabase | None = None,
    stop: Stop | None = None,
) -> tuple[int, _Move, int, list[tuple[_Board, _Move]]]: ...
def certify_moves(
    root: _Position, side: int, goal: int, strategy: ProvedMoves, database: EndgameDatabase | None = None
) -> _CertifiedColumns: ...

class ProofTaskOf:
    nodes: int
    @property
    def number(self) -> int: ...
    @property
    def position(self) -> _Position: ...
    @property
    def of_root(self) -> bool: ...
    @property
    def length(self) -> int: ...

class ClaimQuestion:
    @property
    def holds(self) -> bool | None: ...
    @property
    def numbers(self) -> tuple[float, float]: ...
    @property
    def nodes(self) -> int: ...
    @property
    def searches(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def strategy(self) -> ProvedMoves: ...
    def note(self) -> None: ...
    def next_leaf(self) -> ProofTaskOf | None: ...
    def enter(
        self, task: ProofTaskOf, score: int, move: _Move | None, nodes: int, strategy: ProvedMoves, cut: bool = False
    ) -> None: ...
    def learn(self, strategy: ProvedMoves) -> None: ...
    def begin_strategy(self) -> None: ...
    def resisting_line(self) -> list[_Move]: ...
    def positions(self) -> list[tuple[_Position, float, float, int]]: ...

class ClaimProver:
    def __new__(cls, root: _Position, goal: int, database: EndgameDatabase | None = None) -> ClaimProver: ...
    @property
    def questions(self) -> list[ClaimQuestion]: ...
    def next_task(self) -> ProofTaskOf | None: ...

class DeciderAsker(ProofAsker):
    def __init__(
        self, ask: _Ask, clear: Callable[[], object], refuse: Callable[[_Position, int, int, _StrategyFault], object]
    ) -> None: ...

class DeciderOfClaims:
    def __new__(
        cls,
        asker: DeciderAsker,
        database: EndgameDatabase | None = None,
        time: float | None = None,
        nodes: int | None = None,
        stop: Stop | None = None,
        memory: int = 0,
    ) -> DeciderOfClaims: ...
    @property
    def nodes(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def left(self) -> float | None: ...
    @property
    def held(self) -> int: ...
    @property
    def full(self) -> bool: ...
    @property
    def over(self) -> bool: ...
    def hold(self, size: int) -> None: ...
    def learn(self, side: int, goal: int, moves: ProvedMoves) -> None: ...
    def decision(self, root: _Position, side: int, goal: int) -> tuple[bool, int, int] | None: ...
    def decide(self, claims: list[tuple[_Position, int, int]], enough: Callable[[], bool] | None = None) -> None: ...
    def proving_move(self, root: _Position, side: int, goal: int) -> _Move | None: ...
    def certificate(self, root: _Position, side: int, goal: int) -> _CertifiedColumns: ...

# problems: a way is a move, and the numbers of what is proved of it
_Way: TypeAlias = tuple[_Move, int, int, int, int]
PLAIN_LEAD: Final[int]
STAGE_RESULT: Final[int]
STAGE_KEYS: Final[int]
STAGE_LINE: Final[int]

def plain_result(position: _Position, solver: int, goal: int) -> bool: ...
def ways_of(decider: DeciderOfClaims, position: _Position, goal: int, first: _Move | None = None) -> list[_Way]: ...
def check_problem(
    decider: DeciderOfClaims, root: _Position, published: int | None, solution: list[_Move], strict: bool
) -> _Soundness: ...

class _Soundness(TypedDict):
    verdict: int
    stage: int
    published: int | None
    value: int | None
    by: tuple[int, int]
    wins: int
    holds: int
    number: int
    ended: int
    of_solution: int
    steps: list[tuple[int, int, bool, list[_Way]]]
    claim: tuple[_Position, int, int] | None
    answers: list[tuple[_Move, _Move | None]]
    unsettled: list[_Move]
    ways: list[_Way]
    line: list[_Move]

class _RankedSoundness(_Soundness):
    rank: int

_Changed: TypeAlias = list[tuple[int, int, int, int, int]]
STAGE_LEFT: Final[int]
SEEN_MOVES: Final[int]
MOST_CHANGES: Final[int]

def check_variation(
    decider: DeciderOfClaims, root: _Position, wins: bool, draws: bool, strict: bool
) -> _RankedSoundness: ...
def changed_positions(root: _Position, most: int) -> list[tuple[_Position, _Changed]]: ...
def changed_candidates(
    roots: list[_Position], most: int, low: int, high: int, captures: bool, room: int
) -> list[tuple[int, _Position, _Changed]]: ...
def problem_merit(root: _Position, line: list[_Move], solver: int) -> tuple[int, int, int, int]: ...
def points_of_merit(stars: int, given: int, near_misses: int, pieces: int, ahead: int, unnatural: int) -> int: ...
def near_misses_of(
    root: _Position, keeping: list[_Move], goal: int, database: EndgameDatabase | None = None
) -> int: ...

# self-play
MAX_GAME_PLIES: Final[int]
REASON_NO_MOVE: Final[int]
REASON_REPETITION: Final[int]
REASON_NO_PROGRESS: Final[int]
REASON_PROVEN: Final[int]
REASON_CLEAR: Final[int]
REASON_LENGTH: Final[int]
REASON_DATABASE: Final[int]

class SelfPlayer:
    def __new__(
        cls,
        evaluator: Evaluator,
        *,
        seed: int,
        hash_bytes: int,
        nodes: int,
        move_time: float,
        random_plies: int,
        noise: int,
        draw_plies: int,
        clear_score: int,
        clear_plies: int,
        leaf_nodes: int = 0,
        leaf_margin: int = 0,
        database: EndgameDatabase | None = None,
        end_by_database: bool = True,
        search_database: bool = True,
    ) -> SelfPlayer: ...
    def play(
        self,
        openings: NDArray[np.uint32],
        game: int,
        start: NDArray[np.uint32],
        moves: NDArray[np.uint16],
        scores: NDArray[np.int16],
        leaves: NDArray[np.uint32],
        leaf_scores: NDArray[np.int16],
        stop: NDArray[np.int32],
    ) -> tuple[int, int, int, int] | None: ...

# deciders
class Decider:
    def choose(
        self, black: int, white: int, kings: int, side: int, salt: int = 0, stop: Stop | None = None
    ) -> tuple[int, float, int]: ...

class MinimaxDecider(Decider):
    def __new__(cls, evaluator: Evaluator, plies: int, extend: bool = False, scale: float = 58) -> MinimaxDecider: ...

class MctsDecider(Decider):
    def __new__(
        cls,
        rounds: int,
        seed: int = 0,
        evaluator: Evaluator | None = None,
        playout_plies: int = 0,
        exploration: float = 1.4,
        scale: float = 58,
    ) -> MctsDecider: ...

class RandomDecider(Decider):
    def __new__(cls, seed: int = 0) -> RandomDecider: ...

def play_duel(
    black: Decider,
    white: Decider,
    start: _Position,
    most_plies: int,
    seed: int = 0,
    stop: Stop | None = None,
) -> tuple[int, int, NDArray[np.uint16]] | None: ...
