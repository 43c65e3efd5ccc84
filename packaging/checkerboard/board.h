/* Boards and moves as CheckerBoard has them. */

#ifndef BOARD_H
#define BOARD_H

#include <string.h>

#include "kr.h"

enum { FREE = 0, WHITE = 1, BLACK = 2, MAN = 4, KING = 8 };

typedef struct {
    int x, y;
} coordinates;

/* A move for other rules than ours; CheckerBoard reads the board alone. */
typedef struct {
    int jumps, newpiece, oldpiece;
    coordinates from, to, path[12], del[12];
    int delpiece[12];
} cb_move;

static coordinates place(int square) {
    coordinates at;
    at.y = (square - 1) / 4;
    at.x = 2 * (3 - (square - 1) % 4) + at.y % 2;
    return at;
}

static kr_position read_board(int board[8][8], int color) {
    kr_position position = {0, 0, 0, color == WHITE ? KR_WHITE : KR_BLACK};
    int square;
    for (square = 1; square <= 32; square++) {
        const coordinates at = place(square);
        const int piece = board[at.x][at.y];
        const uint32_t bit = 1u << (square - 1);
        if (piece & BLACK) position.black |= bit;
        else if (piece & WHITE) position.white |= bit;
        else continue;
        if (piece & KING) position.kings |= bit;
    }
    return position;
}

static int piece_on(const kr_position* position, int square) {
    const uint32_t bit = 1u << (square - 1);
    if (!((position->black | position->white) & bit)) return FREE;
    return (position->black & bit ? BLACK : WHITE) | (position->kings & bit ? KING : MAN);
}

static void write_board(int board[8][8], const kr_position* position) {
    int square;
    for (square = 1; square <= 32; square++) {
        const coordinates at = place(square);
        board[at.x][at.y] = piece_on(position, square);
    }
}

static void write_move(cb_move* told, const kr_position* before, const kr_move* move, const kr_position* after) {
    uint8_t squares[KR_MAX_PATH];
    const int count = kr_path(before, move, squares);
    int square, i;
    memset(told, 0, sizeof *told);
    told->from = place(move->from);
    told->to = place(move->to);
    told->oldpiece = piece_on(before, move->from);
    told->newpiece = piece_on(after, move->to);
    for (i = 1; i < count && i < 12; i++) told->path[i] = place(squares[i]);
    for (square = 1; square <= 32; square++) {
        if (move->captured >> (square - 1) & 1 && told->jumps < 12) {
            told->del[told->jumps] = place(square);
            told->delpiece[told->jumps] = piece_on(before, square);
            told->jumps++;
        }
    }
}

#endif
