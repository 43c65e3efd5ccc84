# Static scores: which evaluation an engine uses, and the classes that hold it.

cdef enum:
    MATERIAL_MAN = 100
    MATERIAL_KING = 130

cdef enum EvaluationKind:
    BY_MATERIAL
    BY_HAND
    BY_REGIONS

cdef struct Evaluation:
    EvaluationKind kind
    RegionTables regions        # filled in when kind is BY_REGIONS
    u64 noise_seed              # a game's own small changes of mind (self-play)
    int noise                   # at most this many centi-men either way; 0 for none


cdef inline int material_score(const Board* board) noexcept nogil:
    """Men and kings, nothing else."""
    cdef u64 own = board.pieces[board.side]
    cdef u64 opponent = board.pieces[1 - board.side]
    return (MATERIAL_MAN * (popcount(own) - popcount(opponent))
            + (MATERIAL_KING - MATERIAL_MAN) * (popcount(own & board.kings) - popcount(opponent & board.kings)))


cdef inline int evaluate(const Evaluation* evaluation, const Board* board) noexcept nogil:
    """The static score in centi-men from the side to move; only for positions with nothing to capture."""
    cdef int score
    cdef u64 mixed
    if evaluation.kind == BY_REGIONS:
        score = region_score(&evaluation.regions, board)
    elif evaluation.kind == BY_HAND:
        score = manual_score(board)
    else:
        score = material_score(board)
    if evaluation.noise:
        mixed = (board.key ^ evaluation.noise_seed) * <u64>0x9E3779B97F4A7C15
        score += <int>((mixed >> 32) % <u64>(2 * evaluation.noise + 1)) - evaluation.noise
    if score > SCORE_STATIC_MAX:
        return SCORE_STATIC_MAX
    if score < -SCORE_STATIC_MAX:
        return -SCORE_STATIC_MAX
    return score


cdef class Evaluator:
    """A static evaluation: "material", "manual", or region tables.

    Tables are copied into memory that the system may back with huge pages. Raises ValueError for shapes that do not
    belong together.
    """
    cdef Evaluation evaluation

    def __cinit__(self, kind, men_regions=(), kings_regions=(), men=None, kings=None,
                  men_material=None, kings_material=None):
        """kind: "material", "manual" or "regions"; regions as tuples of squares 0-31; men and kings: int16 arrays
        (regions, entries, 2); materials: int32 arrays (3, 2), rows a man, a king, having the move."""
        memset(&self.evaluation, 0, sizeof(Evaluation))
        if kind == "material":
            self.evaluation.kind = BY_MATERIAL
        elif kind == "manual":
            self.evaluation.kind = BY_HAND
        elif kind == "regions":
            self.evaluation.kind = BY_REGIONS
            self.fill_regions(men_regions, kings_regions, men, kings, men_material, kings_material)
        else:
            raise ValueError(f"no evaluation {kind!r}: material, manual or regions")

    cdef fill_regions(self, men_regions, kings_regions, const int16_t[:, :, ::1] men, const int16_t[:, :, ::1] kings,
                      const int32_t[:, ::1] men_material, const int32_t[:, ::1] kings_material):
        if not 0 < len(men_regions) <= MAX_REGIONS or not 0 < len(kings_regions) <= MAX_REGIONS:
            raise ValueError(f"from 1 to {MAX_REGIONS} regions of either kind, "
                             f"not {len(men_regions)} and {len(kings_regions)}")
        if (men.shape[0] != len(men_regions) or men.shape[1] != MEN_ENTRIES or men.shape[2] != 2
                or kings.shape[0] != len(kings_regions) or kings.shape[1] != KINGS_ENTRIES or kings.shape[2] != 2):
            raise ValueError("tables and regions do not belong together")
        if (men_material.shape[0] != 3 or men_material.shape[1] != 2
                or kings_material.shape[0] != 3 or kings_material.shape[1] != 2):
            raise ValueError("material weights have the shape (3, 2)")
        check_regions(men_regions, MEN_SQUARES)
        check_regions(kings_regions, KINGS_SQUARES)
        fill_group(&self.evaluation.regions.men, men_regions, 3, men, men_material)
        fill_group(&self.evaluation.regions.kings, kings_regions, 5, kings, kings_material)

    def __dealloc__(self):
        free_group(&self.evaluation.regions.men)
        free_group(&self.evaluation.regions.kings)

    def evaluate(self, u32 black, u32 white, u32 kings, int side):
        """The static score in centi-men, from the side to move."""
        cdef Board board = board_from_bits(black, white, kings, side)
        return evaluate(&self.evaluation, &board)

    def evaluate_batch(self, const uint32_t[:, ::1] positions, int16_t[::1] scores):
        """Write the static score of each row (black, white, kings, side) into `scores`. Releases the GIL."""
        cdef Board board
        cdef Py_ssize_t i
        with nogil:
            for i in range(positions.shape[0]):
                board = board_from_bits(positions[i, 0], positions[i, 1], positions[i, 2], <int>positions[i, 3])
                scores[i] = <int16_t>evaluate(&self.evaluation, &board)


cdef check_regions(regions, int size):
    for region in regions:
        if len(region) != size or len(set(region)) != size or min(region) < 0 or max(region) > 31:
            raise ValueError(f"a region of {size} squares 0-31, not {tuple(region)}")
