/* A reader of packed opening books (.krb, docs/reference/krb-format.md), for any program: copy this file.

   A position stands in the frame of its side to move: with White to move turn the board and swap the colours
   (krb_turned), so that own men move up the numbers; bit s - 1 stands for square s. Give the file's bytes, which stay
   yours, to krb_open once; any number of threads may then call krb_find. */

#ifndef KRB_H
#define KRB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { KRB_NOT_KRB = -1, KRB_NEWER = -2, KRB_DAMAGED = -3, KRB_UNKNOWN = -20000, KRB_MOST_MOVES = 84 };

typedef struct {
    const uint8_t *firsts, *offsets, *body, *end;
    uint32_t positions, blocks;
} krb_book;

typedef struct {
    int number; /* place among the legal moves sorted by origin, target and captured pieces, in the frame */
    int value;  /* centi-men for the side to move, 10000 a proved win; KRB_UNKNOWN if only people know the move */
    int depth;  /* plies behind the value */
    int weight; /* people's games: 0 none, 1 for 1 to 3, 2 for 4 to 15, and so on; 7 for 4096 and more */
} krb_move;

static uint64_t krb_number(const uint8_t* at, int bytes) {
    uint64_t number = 0;
    while (bytes--) number = number << 8 | at[bytes];
    return number;
}

static uint32_t krb_crc(uint32_t crc, const uint8_t* at, size_t size) {
    static const uint32_t of_half[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
    };
    for (crc = ~crc; size--; at++) {
        crc = crc >> 4 ^ of_half[(crc ^ *at) & 15];
        crc = crc >> 4 ^ of_half[(crc ^ *at >> 4) & 15];
    }
    return ~crc;
}

/* A board seen from the other side. */
static inline uint32_t krb_turned(uint32_t squares) {
    uint32_t turned = 0;
    int square;
    for (square = 0; square < 32; square++) turned |= (squares >> square & 1) << (31 - square);
    return turned;
}

/* Returns 0, or an error below 0. */
static inline int krb_open(krb_book* book, const void* content, size_t size) {
    const uint8_t* bytes = content;
    uint64_t facts, index;
    if (size < 32 || memcmp(bytes, "kr book\n", 8)) return KRB_NOT_KRB;
    if (krb_number(bytes + 8, 4) != 1) return KRB_NEWER;
    if (krb_crc(krb_crc(0, bytes, 24), bytes + 32, size - 32) != krb_number(bytes + 24, 8)) return KRB_DAMAGED;
    book->positions = (uint32_t)krb_number(bytes + 12, 4);
    book->blocks = (uint32_t)krb_number(bytes + 16, 4);
    facts = krb_number(bytes + 20, 4);
    index = 32 + facts + 12 * (uint64_t)book->blocks;
    if (index > size) return KRB_DAMAGED;
    book->firsts = bytes + 32 + facts;
    book->offsets = book->firsts + 8 * (size_t)book->blocks;
    book->body = bytes + index;
    book->end = bytes + size;
    return 0;
}

/* Writes the moves of a position, best first, and returns their number; 0 if the book doesn't have the position. */
static inline int krb_find(const krb_book* book, uint32_t own, uint32_t other, uint32_t kings,
                           krb_move moves[KRB_MOST_MOVES]) {
    const uint64_t place = (uint64_t)own << 32 | other;
    const uint8_t *at, *lengths, *entry;
    uint32_t low = 0, high = book->blocks; /* the block: the last one whose first place is not above */
    uint64_t first;
    int count, width, i, moved, found;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (krb_number(book->firsts + 8 * (size_t)middle, 8) <= place) low = middle + 1;
        else high = middle;
    }
    if (!low) return 0;
    first = krb_number(book->firsts + 8 * (size_t)(low - 1), 8);
    found = 0;
    i = (int)(low - 1);
    if (krb_number(book->offsets + 4 * (size_t)i, 4) + 2 > (size_t)(book->end - book->body)) return 0;
    at = book->body + krb_number(book->offsets + 4 * (size_t)i, 4);
    count = at[0], width = at[1];
    if (width > 8 || (size_t)count * (width + 1) + 2 > (size_t)(book->end - at)) return 0;
    lengths = at + 2 + (size_t)count * width;
    entry = lengths + count;
    for (i = 0; i < count; entry += lengths[i++]) {
        int value;
        if (lengths[i] < 2 || lengths[i] > book->end - entry) return 0;
        value = (int16_t)krb_number(entry, 2);
        if (value & 1 && lengths[i] < 6) return 0;
        if (first + krb_number(at + 2 + (size_t)i * width, width) != place) continue;
        if ((value & 1 ? (uint32_t)krb_number(entry + 2, 4) : 0) != kings) continue;
        for (moved = value & 1 ? 6 : 2; moved + 3 <= lengths[i]; moved += 3, found++) {
            moves[found].number = entry[moved] & 31;
            moves[found].weight = entry[moved] >> 5;
            moves[found].value = entry[moved + 1] == 255 ? KRB_UNKNOWN : (value - (value & 1)) / 2 - entry[moved + 1];
            moves[found].depth = entry[moved + 2];
        }
        return found;
    }
    return 0;
}

#endif
