/* Moves of CheckerBoard's engine from the opening book, a packed one (docs/reference/krb-format.md). */

#ifndef BOOK_H
#define BOOK_H

#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "kr.h"
#include "krb.h"

/* settings of CheckerBoard; a packed book has no moves but good ones, so that ALL means GOOD */
enum { BOOK_NONE, BOOK_ALL, BOOK_GOOD, BOOK_BEST };
/* centi-men: good moves are worse than the best by no more (kr.book.book.VARIETY) */
enum { BOOK_VARIETY = 4, MOST_BOOK_BYTES = 1 << 28 };

typedef struct {
    krb_book packed;
    void* bytes; /* NULL without a book */
} opening_book;

typedef struct {
    kr_move move;
    int value, weight;
} book_choice;

/* Read a book; a code of kr_error_text. */
static int open_book(opening_book* book, const wchar_t* path) {
    FILE* file = _wfopen(path, L"rb");
    long size;
    int error = KR_NO_FILE;
    if (!file) return error;
    if (!fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0 && size <= MOST_BOOK_BYTES) {
        rewind(file);
        book->bytes = malloc((size_t)size + 1);
        if (!book->bytes) error = KR_NO_MEMORY;
        else if (fread(book->bytes, 1, (size_t)size, file) == (size_t)size) {
            error = krb_open(&book->packed, book->bytes, (size_t)size);
            if (error == KRB_NOT_KRB) error = KR_NOT_KR;
            else if (error == KRB_NEWER) error = KR_NEWER;
            else if (error) error = KR_DAMAGED;
        }
    }
    fclose(file);
    if (error) {
        free(book->bytes);
        book->bytes = NULL;
    }
    return error;
}

/* A move in the frame of its side: origin, target and captures, as one number that sorts like them. */
static uint64_t book_step(const kr_move* move, int side) {
    const uint64_t from = side == KR_WHITE ? 33 - move->from : move->from;
    const uint64_t to = side == KR_WHITE ? 33 - move->to : move->to;
    return from << 40 | to << 32 | (side == KR_WHITE ? krb_turned(move->captured) : move->captured);
}

static int by_number(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

/* The move of a number among those of a position; 0 if there is none. */
static int numbered_move(const kr_position* position, int number, kr_move* move) {
    kr_move moves[KR_MAX_MOVES];
    uint64_t steps[KR_MAX_MOVES];
    const int count = kr_moves(position, moves);
    int i, distinct = 0;
    for (i = 0; i < count; i++) steps[i] = book_step(&moves[i], position->side);
    qsort(steps, count > 0 ? (size_t)count : 0, sizeof steps[0], by_number);
    for (i = 0; i < count; i++) {
        if (i == 0 || steps[i] != steps[distinct - 1]) steps[distinct++] = steps[i];
    }
    if (number >= distinct) return 0;
    for (i = 0; book_step(&moves[i], position->side) != steps[number]; i++) continue;
    *move = moves[i];
    return 1;
}

static uint32_t book_random(uint32_t most) {
    static uint64_t state;
    if (!state) {
        LARGE_INTEGER ticks;
        QueryPerformanceCounter(&ticks);
        state = (uint64_t)ticks.QuadPart * 0x9E3779B97F4A7C15u | 1;
    }
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % most);
}

/* Choose a move of the book; 0 if it has none. A good move comes twice as often with each step of its weight. */
static int choose_from_book(const opening_book* book, const kr_position* position, int which, book_choice* choice) {
    krb_move known[KRB_MOST_MOVES];
    const int turned = position->side == KR_WHITE;
    const uint32_t own = turned ? krb_turned(position->white) : position->black;
    const uint32_t other = turned ? krb_turned(position->black) : position->white;
    const uint32_t kings = turned ? krb_turned(position->kings) : position->kings;
    uint32_t total = 0, drawn;
    int i, count;
    if (!book->bytes || which == BOOK_NONE) return 0;
    count = krb_find(&book->packed, own, other, kings, known);
    if (count <= 0 || known[0].value == KRB_UNKNOWN) return 0;
    /* best first; those without a value stand at the end */
    for (i = 0; i < count && known[i].value >= known[0].value - BOOK_VARIETY; i++) total += 1u << known[i].weight;
    i = 0;
    if (which != BOOK_BEST) {
        drawn = book_random(total);
        for (; drawn >= 1u << known[i].weight; i++) drawn -= 1u << known[i].weight;
    }
    choice->value = known[i].value;
    choice->weight = known[i].weight;
    return numbered_move(position, known[i].number, &choice->move);
}

#endif
