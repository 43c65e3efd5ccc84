# What the C library offers, as its header has it. The compiler compares each function with its declaration there.

cdef extern from "_engine/kr.h" nogil:
    enum:
        KR_OK
        KR_NO_MEMORY
        KR_NO_FILE
        KR_NOT_KR
        KR_DAMAGED
        KR_NEWER
        KR_ILLEGAL
        KR_BAD_VALUE
        KR_BUSY
        KR_MAX_MOVES
        KR_MAX_PATH
        KR_MAX_LINE
        KR_MAX_LINES
        KR_MAX_REGIONS

    ctypedef struct kr_position:
        u32 black
        u32 white
        u32 kings
        int32_t side

    ctypedef struct kr_move:
        uint8_t origin "from"
        uint8_t to
        uint16_t unused
        u32 captured

    ctypedef struct kr_tables:
        pass
    ctypedef struct kr_policy:
        pass
    ctypedef struct kr_database:
        pass
    ctypedef struct kr_engine:
        pass

    ctypedef struct kr_bytes:
        const void* bytes
        size_t size

    ctypedef struct kr_limits:
        double seconds
        double usual_seconds
        u64 nodes
        int depth
        int lines
        int forced_at_once
        int within

    ctypedef struct kr_line:
        int score
        int length
        const kr_move* moves

    ctypedef struct kr_result:
        int depth
        int line_count
        const kr_line* lines
        u64 nodes
        u64 probes
        u64 hits
        double seconds
        int value

    ctypedef int (*kr_listener)(const kr_result* result, void* context) noexcept

    ctypedef struct kr_progress_info:
        int depth
        u64 nodes
        double seconds

    ctypedef struct kr_share:
        u32 squares
        double score

    ctypedef struct kr_evaluation:
        int score
        double material
        double turn
        int count
        kr_share* regions

    ctypedef struct kr_shares:
        double places[32]
        double empty
        int worths[32]

    ctypedef struct kr_choice:
        kr_move move
        float probability

    enum:
        KR_FAULT_FORM
        KR_FAULT_MOVE
        KR_FAULT_GAP
        KR_FAULT_AGAINST
        KR_FAULT_RANK
        KR_FAULT_UNUSED
        KR_FAULT_DATABASE

    ctypedef struct kr_proof:
        pass

    ctypedef struct kr_claim:
        int side
        int goal
        int holds
        int searches
        double proof
        double disproof
        u64 nodes
        int tree
        int positions
        int length
        const kr_move* resists

    ctypedef struct kr_proof_state:
        int least
        int most
        int answered
        int claim_count
        const kr_claim* claims
        u64 nodes
        double seconds
        size_t held
        int full

    ctypedef int (*kr_proof_listener)(const kr_proof_state* state, void* context) noexcept nogil

    ctypedef struct kr_certificate:
        int count
        const uint32_t* boards
        const uint8_t* moves
        const uint16_t* ranks

    ctypedef struct kr_report:
        int positions
        int database_leaves
        int longest_line
        int longest_quiet
        int fault
        kr_position at

    ctypedef struct kr_problem:
        kr_position position
        int value
        int strict
        int length
        const kr_move* solution

    ctypedef struct kr_way:
        kr_move move
        int keeps
        int by
        int positions
        int transposes

    ctypedef struct kr_step:
        int ply
        int number
        int plain
        int count
        const kr_way* ways

    ctypedef struct kr_soundness:
        int verdict
        int value
        int by
        int positions
        int number
        int ended
        int refuted
        int side
        int goal
        kr_position at
        int way_count
        const kr_way* ways
        int unsettled_count
        const kr_move* unsettled
        int length
        int of_solution
        const kr_move* line
        int step_count
        const kr_step* steps
        int full
        int rank
        u64 nodes
        double seconds

    ctypedef struct kr_change:
        uint8_t kind
        uint8_t side
        uint8_t king
        uint8_t square
        uint8_t target
        uint8_t[3] unused

    ctypedef struct kr_changed:
        kr_position position
        int count
        kr_change[2] changes

    ctypedef struct kr_fact:
        const char* kind
        int better
        int plies
        int count
        int given
        int taken
        int square
        int origin

    ctypedef int (*kr_check_listener)(const kr_progress_info* progress, void* context) noexcept nogil
