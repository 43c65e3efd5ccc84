/* Texts of the status line: scores, and lines of moves. */

#ifndef LINE_H
#define LINE_H

#include <stdarg.h>
#include <stdio.h>

#include "kr.h"

typedef struct {
    char* at;
    size_t left;
} writer;

/* Append text; what doesn't fit is left out. */
static void put(writer* out, const char* format, ...) {
    va_list values;
    int count;
    va_start(values, format);
    count = vsnprintf(out->at, out->left, format, values);
    va_end(values);
    if (count < 0) return;
    if ((size_t)count >= out->left) count = out->left ? (int)out->left - 1 : 0;
    out->at += count;
    out->left -= (size_t)count;
}

static void put_score(writer* out, int score) {
    const int plies = KR_SCORE_WIN - (score < 0 ? -score : score);
    if (score > KR_SCORE_DECIDED) put(out, "wins in %d plies", plies);
    else if (score < -KR_SCORE_DECIDED) put(out, "loses in %d plies", plies);
    else if (score > KR_SCORE_PROVED) put(out, "wins by the database");
    else if (score < -KR_SCORE_PROVED) put(out, "loses by the database");
    else put(out, "%+.2f", score / 100.0);
}

static void put_line(writer* out, const kr_position* root, const kr_line* line, int most) {
    kr_position position = *root;
    uint8_t squares[KR_MAX_PATH];
    int i, k, count;
    for (i = 0; i < line->length && i < most; i++) {
        count = kr_path(&position, &line->moves[i], squares);
        if (count < 2) return;
        put(out, " %d", squares[0]);
        /* intermediate squares where they are needed: of a long jump */
        for (k = count > 2 ? 1 : count - 1; k < count; k++) put(out, "%c%d", line->moves[i].captured ? 'x' : '-', squares[k]);
        kr_play(&position, &line->moves[i], &position);
    }
}

#endif
