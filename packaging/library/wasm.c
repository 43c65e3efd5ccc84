/* What the WebAssembly has beside the functions of kr.h: a search, a proof and a check whose listeners are functions of
   the page, which can make no pointer to one. */

#include <assert.h>
#include <stddef.h>

#include "kr.h"

/* where a page finds the fields */
static_assert(sizeof(kr_position) == 16 && sizeof(kr_move) == 8 && sizeof(kr_choice) == 12, "places of fields");
static_assert(offsetof(kr_limits, nodes) == 16 && offsetof(kr_limits, depth) == 24 && offsetof(kr_limits, lines) == 28
                && offsetof(kr_limits, within) == 36 && sizeof(kr_limits) == 40, "places of fields");
static_assert(offsetof(kr_result, line_count) == 4 && offsetof(kr_result, lines) == 8
                && offsetof(kr_result, nodes) == 16 && offsetof(kr_result, probes) == 24
                && offsetof(kr_result, hits) == 32 && offsetof(kr_result, seconds) == 40
                && offsetof(kr_result, value) == 48 && sizeof(kr_result) == 56, "places of fields");
static_assert(offsetof(kr_line, length) == 4 && offsetof(kr_line, moves) == 8 && sizeof(kr_line) == 12,
        "places of fields");
static_assert(offsetof(kr_progress_info, nodes) == 8 && offsetof(kr_progress_info, seconds) == 16, "places of fields");
static_assert(offsetof(kr_evaluation, material) == 8 && offsetof(kr_evaluation, turn) == 16
                && offsetof(kr_evaluation, count) == 24 && offsetof(kr_evaluation, regions) == 32
                && offsetof(kr_share, score) == 8 && sizeof(kr_share) == 16
                && sizeof(kr_evaluation) == 32 + 16 * KR_MAX_REGIONS
                && offsetof(kr_shares, empty) == 256 && offsetof(kr_shares, worths) == 264, "places of fields");

static_assert(offsetof(kr_claim, searches) == 12 && offsetof(kr_claim, proof) == 16 && offsetof(kr_claim, disproof) == 24
                && offsetof(kr_claim, nodes) == 32 && offsetof(kr_claim, length) == 48
                && offsetof(kr_claim, resists) == 52 && sizeof(kr_claim) == 56
                && offsetof(kr_proof_state, answered) == 8 && offsetof(kr_proof_state, claim_count) == 12
                && offsetof(kr_proof_state, claims) == 16 && offsetof(kr_proof_state, seconds) == 32
                && offsetof(kr_proof_state, full) == 44 && sizeof(kr_proof_state) == 48, "places of fields");
static_assert(offsetof(kr_certificate, ranks) == 12 && sizeof(kr_certificate) == 16
                && offsetof(kr_report, fault) == 16 && offsetof(kr_report, at) == 20 && sizeof(kr_report) == 36,
        "places of fields");

static_assert(offsetof(kr_fact, better) == 4 && offsetof(kr_fact, origin) == 28 && sizeof(kr_fact) == 32,
        "places of fields");

static_assert(offsetof(kr_problem, value) == 16 && offsetof(kr_problem, solution) == 28 && sizeof(kr_problem) == 32
                && offsetof(kr_way, keeps) == 8 && offsetof(kr_way, transposes) == 20 && sizeof(kr_way) == 24
                && offsetof(kr_step, ways) == 16 && sizeof(kr_step) == 20
                && offsetof(kr_soundness, refuted) == 24 && offsetof(kr_soundness, at) == 36
                && offsetof(kr_soundness, ways) == 56 && offsetof(kr_soundness, unsettled) == 64
                && offsetof(kr_soundness, line) == 76 && offsetof(kr_soundness, steps) == 84
                && offsetof(kr_soundness, rank) == 92 && offsetof(kr_soundness, seconds) == 104
                && sizeof(kr_change) == 8 && offsetof(kr_changed, changes) == 20 && sizeof(kr_changed) == 36,
        "places of fields");

/* The page's: anything but 0 ends the search. */
__attribute__((import_module("env"), import_name("kr_listen"))) int kr_listen(const kr_result* result);

static int hear(const kr_result* result, void* context) {
    (void)context;
    return kr_listen(result);
}

/* kr_search with the page's listener. */
KR_API int kr_search_heard(kr_engine* engine, const kr_limits* limits, kr_result* result) {
    return kr_search(engine, limits, hear, NULL, result);
}

__attribute__((import_module("env"), import_name("kr_hear_proof"))) int kr_hear_proof(const kr_proof_state* state);

static int hear_proof(const kr_proof_state* state, void* context) {
    (void)context;
    return kr_hear_proof(state);
}

/* kr_prove with the page's listener. */
KR_API int kr_prove_heard(kr_proof* proof, const kr_limits* limits, kr_proof_state* state) {
    return kr_prove(proof, limits, hear_proof, NULL, state);
}

__attribute__((import_module("env"), import_name("kr_hear_check"))) int kr_hear_check(const kr_progress_info* progress);

static int hear_check(const kr_progress_info* progress, void* context) {
    (void)context;
    return kr_hear_check(progress);
}

/* kr_check_problem with the page's listener. */
KR_API int kr_check_problem_heard(kr_engine* engine, const kr_problem* problem, const kr_limits* limits, size_t memory,
        kr_soundness** soundness) {
    return kr_check_problem(engine, problem, limits, memory, hear_check, NULL, soundness);
}

/* kr_check_variation likewise. */
KR_API int kr_check_variation_heard(kr_engine* engine, const kr_position* position, int wins, int draws, int strict,
        const kr_limits* limits, size_t memory, kr_soundness** soundness) {
    return kr_check_variation(engine, position, wins, draws, strict, limits, memory, hear_check, NULL, soundness);
}
