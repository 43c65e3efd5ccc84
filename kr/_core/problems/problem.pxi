# Problems, and the verdict on one: what it says and what it rests on.

cdef enum:
    # verdicts
    PROBLEM_SOUND = 0
    PROBLEM_COOK = 1
    PROBLEM_DUAL = 2
    PROBLEM_UNSOUND = 3
    PROBLEM_UNDECIDED = 4
    # why a line ends
    LINE_LEFT = 0
    LINE_PLAIN = 1
    LINE_OVER = 2
    LINE_REPEATED = 3
    LINE_DUAL = 4            # left behind one

cpdef enum:
    # what makes the verdict
    STAGE_RESULT = 0
    STAGE_KEYS = 1
    STAGE_LINE = 2
    STAGE_LEFT = 3           # of a variation: two keys, or what is known of the goal in `published`: `holds`, `by`

cdef struct Problem:
    Board root
    int published            # value for the side to move; VALUE_UNKNOWN for none
    bint strict              # count also ways that transpose, and those after the result is plain
    const Move* solution     # the published one
    int length

cdef struct LineStep:
    # A move of the solver in the line, with the others at its position.
    int ply                  # moves of the line before it
    bint plain               # the result was plain before it
    int32_t first            # its ways among those of the verdict, the move that was played first
    int count

cdef struct Answer:
    Move move
    Move reply               # 0 for none

cdef struct Soundness:
    int verdict
    int stage
    int published            # value for the side to move; VALUE_UNKNOWN
    int value                # proved for the side to move; VALUE_UNKNOWN
    Decision by              # what proves it
    int wins                 # 1 or 0: the side to move wins, or not; OPEN
    int holds                # likewise, does not lose
    int number               # of the move that the verdict is about, as in a score sheet that begins with the problem
    bint refuted             # a claim refutes the published result or solution
    Claim refutation
    Answer answers[MAX_MOVES]    # moves that refute, as far as they are at hand
    int answer_count
    Move unsettled[MAX_MOVES]    # moves that are open, if that makes the verdict
    int unsettled_count
    Way* ways                # those of the side to move, if it is the solver, then those of each step
    int32_t way_count
    int32_t way_room
    int root_ways
    LineStep* steps
    int32_t step_count
    int32_t step_room
    Move* line               # that was looked at
    int32_t length
    int32_t line_room
    int of_solution          # moves of it that are of the published solution
    int ended


cdef void free_soundness(Soundness* soundness) noexcept nogil:
    free(soundness.ways)
    free(soundness.steps)
    free(soundness.line)


cdef inline int move_number_at(int ply) noexcept nogil:
    return 1 + ply // 2


cdef int32_t add_ways(ProofWork* work, Soundness* soundness, const Ways* ways) noexcept nogil:
    """Add ways, and return the place of the first."""
    cdef int32_t first = soundness.way_count
    if lacks_memory(work, room_for(<void**>&soundness.ways, &soundness.way_room, first + ways.count, sizeof(Way))):
        return 0
    memcpy(&soundness.ways[first], ways.moves, ways.count * sizeof(Way))
    soundness.way_count += ways.count
    return first


cdef void add_step(ProofWork* work, Soundness* soundness, int ply, bint plain, const Ways* ways) noexcept nogil:
    cdef LineStep step
    step.ply = ply
    step.plain = plain
    step.first = add_ways(work, soundness, ways)
    step.count = ways.count
    if work.error or lacks_memory(work, room_for(
            <void**>&soundness.steps, &soundness.step_room, soundness.step_count + 1, sizeof(LineStep))):
        return
    soundness.steps[soundness.step_count] = step
    soundness.step_count += 1


cdef void add_to_line(ProofWork* work, Soundness* soundness, Move move, bint of_solution) noexcept nogil:
    if lacks_memory(work, room_for(
            <void**>&soundness.line, &soundness.line_room, soundness.length + 1, sizeof(Move))):
        return
    soundness.line[soundness.length] = move
    soundness.length += 1
    soundness.of_solution += of_solution


cdef inline bint counts(const LineStep* step, bint strict) noexcept nogil:
    """True if other ways at a step count."""
    return step.ply > 0 and (strict or not step.plain)


cdef bint has_dual(const Soundness* soundness, const LineStep* step, bint strict) noexcept nogil:
    """True if another way at a step counts."""
    cdef const Way* ways = &soundness.ways[step.first]
    cdef int i
    if counts(step, strict):
        for i in range(1, step.count):
            if ways[i].keeps == 1 and (strict or ways[i].transposes == 0):
                return True
    return False


cdef void list_unsettled(Soundness* soundness, const Way* ways, int count, bint with_transposing) noexcept nogil:
    """List the ways that are open, or, if these are asked for, of which it is open whether they transpose."""
    cdef int i
    soundness.unsettled_count = 0
    for i in range(count):
        if ways[i].keeps == OPEN or (with_transposing and ways[i].transposes == OPEN):
            soundness.unsettled[soundness.unsettled_count] = ways[i].move
            soundness.unsettled_count += 1
