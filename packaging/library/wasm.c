/* What the WebAssembly has beside the functions of kr.h: a search whose listener is a function of the page, which can
   make no pointer to one. */

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
