# Evaluators: evaluations for Python. Each kind enters its class in EVALUATORS; Python finds the module
# kr/evaluation/NAME.py by the kind's name there.

cdef class Evaluator:
    """A static evaluation with its weights; each kind has its own class. Without one every position scores 0."""
    cdef Evaluation evaluation

    def __cinit__(self):
        self.evaluation.score = nothing

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


EVALUATORS = {}                 # the classes of the kinds, by name


cdef class _ManualEvaluator(Evaluator):
    """The hand-built evaluation."""

    def __cinit__(self):
        self.evaluation.score = manual_kind_score


EVALUATORS["manual"] = _ManualEvaluator


cdef check_regions(regions, int size):
    for region in regions:
        if len(region) != size or len(set(region)) != size or min(region) < 0 or max(region) > 31:
            raise ValueError(f"a region of {size} squares 0-31, not {tuple(region)}")


cdef copy_group(RegionGroup* group, regions, int base, const int16_t[:, :, ::1] entries,
                const int32_t[:, ::1] material):
    """Copy one group of tables into memory that the system may back with huge pages."""
    cdef bytes squares = bytes([square for region in regions for square in sorted(region)])
    cdef uint32_t* copied = <uint32_t*>allocate_pages(entries.nbytes + sizeof(uint32_t))
    group.entries = copied
    if copied != NULL:
        memcpy(copied, &entries[0, 0, 0], entries.nbytes)
    if copied == NULL or open_group(group, <const uint8_t*>squares, <int>len(regions), base, copied,
                                    entries.shape[1], &material[0, 0]) < 0:
        raise MemoryError("no memory for the region tables")


cdef class _RegionEvaluator(Evaluator):
    """Region tables, copied into memory that the system may back with huge pages.

    Raises ValueError for shapes that do not belong together.
    """
    cdef RegionTables tables

    def __cinit__(self, men_regions, kings_regions, const int16_t[:, :, ::1] men not None,
                  const int16_t[:, :, ::1] kings not None, const int32_t[:, ::1] men_material not None,
                  const int32_t[:, ::1] kings_material not None):
        """Regions as tuples of squares 0-31; men and kings: (regions, entries, 2); materials: (3, 2), rows a man, a
        king, having the move."""
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
        copy_group(&self.tables.men, men_regions, 3, men, men_material)
        copy_group(&self.tables.kings, kings_regions, 5, kings, kings_material)
        self.evaluation.score = region_score
        self.evaluation.weights = &self.tables

    def __dealloc__(self):
        free_group(&self.tables.men)
        free_group(&self.tables.kings)


EVALUATORS["regions"] = _RegionEvaluator
