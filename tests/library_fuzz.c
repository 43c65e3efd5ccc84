/* Reads damaged files by kr as a C library: library_fuzz SEED ROUNDS TABLES POLICY EGDB_FILE ...

   Each round changes a few bytes of the tables, of the policy and of one file of the database, or cuts them, and in half
   of the rounds makes their checksums right again, so that what lies behind these is read too. If the policy or the
   database can still be opened, they are asked. It is killed if the library reads beyond what it was given, or, built
   with sanitizers, reads or writes out of any bounds. Prints how many tables, policies and databases were refused. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kr.h"

enum { MOST_FILES = 64, FIXED = 20, LOOK_UPS = 300, FENCE = 1 << 16 };

typedef struct {
    uint8_t* bytes;
    size_t size;
    size_t body, body_bytes; /* of a database's file with one chunk */
} file;

static uint64_t state;

static uint64_t random_number(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint32_t crc32(uint32_t crc, const uint8_t* data, size_t size) {
    size_t i;
    int k;
    crc = ~crc;
    for (i = 0; i < size; i++) {
        crc ^= data[i];
        for (k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static void put(uint8_t* at, uint32_t number) {
    memcpy(at, &number, 4);
}

static size_t field(const char* text, const char* name) {
    return (size_t)strtoull(strstr(text, name) + strlen(name), NULL, 10);
}

static file read_whole(const char* path) {
    file found = {0};
    FILE* stream = fopen(path, "rb");
    if (!stream) exit(3);
    fseek(stream, 0, SEEK_END);
    found.size = (size_t)ftell(stream);
    rewind(stream);
    found.bytes = calloc(found.size + 1, 1);
    if (!found.bytes || fread(found.bytes, 1, found.size, stream) != found.size) exit(3);
    fclose(stream);
    if (!memcmp(found.bytes + 3, "EGDB", 4)) {
        uint32_t text;
        memcpy(&text, found.bytes + 12, 4);
        found.body = (FIXED + text + 63) / 64 * 64;
        found.body_bytes = field((char*)found.bytes + FIXED, "\"index_bytes\":")
                + field((char*)found.bytes + FIXED, "\"data_bytes\":") + 16;
    }
    return found;
}

/* Bytes up to the fence, from which nobody reads: at a multiple of 16, as malloc has them. */
static size_t fenced_bytes(size_t size) {
    return (size + FENCE - 1) / FENCE * FENCE;
}

static uint8_t* reserve(size_t size) {
#ifdef __SANITIZE_ADDRESS__
    return malloc(size ? size : 1);
#else
    const size_t bytes = fenced_bytes(size);
    uint8_t* room = mmap(NULL, bytes + FENCE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || mprotect(room + bytes, FENCE, PROT_NONE)) exit(3);
    return room + bytes - (size + 15) / 16 * 16;
#endif
}

static void release(file* copy) {
#ifdef __SANITIZE_ADDRESS__
    free(copy->bytes);
#else
    const size_t bytes = fenced_bytes(copy->size);
    munmap(copy->bytes + (copy->size + 15) / 16 * 16 - bytes, bytes + FENCE);
#endif
}

/* A copy of exactly the bytes that are left, so that reads beyond them are found. */
static file damaged(const file* whole, size_t head) {
    file copy = *whole;
    int changes = 1 + (int)(random_number() % 4);
    if (random_number() % 8 == 0) copy.size = random_number() % (whole->size + 1);
    copy.bytes = reserve(copy.size);
    memcpy(copy.bytes, whole->bytes, copy.size);
    while (changes-- && copy.size) {
        const size_t range = random_number() % 2 && head < copy.size ? head : copy.size;
        const size_t at = random_number() % range;
        switch (random_number() % 3) {
        case 0: copy.bytes[at] = (uint8_t)random_number(); break;
        case 1: copy.bytes[at] ^= (uint8_t)(1 << random_number() % 8); break;
        default: copy.bytes[at] = (uint8_t)('0' + random_number() % 10); /* another number, where there is one */
        }
    }
    return copy;
}

/* Of tables or of a policy. */
static void mend_whole(file* copy) {
    if (copy->size >= 16) put(copy->bytes + 12, crc32(0, copy->bytes + 16, copy->size - 16));
}

static void mend_database(file* copy, const file* whole) {
    const uint8_t* bytes = copy->bytes;
    uint32_t text;
    if (copy->size < FIXED) return;
    memcpy(&text, bytes + 12, 4);
    if (text <= copy->size - FIXED) put(copy->bytes + 16, crc32(crc32(0, bytes, 16), bytes + FIXED, text));
    if (copy->size == whole->size) {
        put(copy->bytes + copy->size - 4, crc32(0, bytes + whole->body, whole->body_bytes));
    }
}

static void look_up(const kr_database* database) {
    int i;
    for (i = 0; i < LOOK_UPS; i++) {
        const uint32_t first = 1u << random_number() % 32, second = 1u << random_number() % 32;
        kr_position position = {first, second, (uint32_t)random_number() & (first | second), (int)(random_number() % 2)};
        if (random_number() % 2) position.white |= 1u << random_number() % 32;
        if (kr_check(&position) == KR_OK) {
            uint8_t value;
            kr_values(database, &position, &value, 1);
            if (kr_value(database, &position) != value || value > KR_UNKNOWN) exit(4);
            if (kr_distance(database, &position) < -1) exit(4);
        }
    }
}

/* The choices of every position of a random game: their probabilities sum to 1. */
static void ask(const kr_policy* policy, const kr_tables* tables) {
    static kr_position game[LOOK_UPS + 1];
    kr_choice choices[KR_MAX_MOVES];
    int ply, i;
    game[0] = kr_start();
    for (ply = 0; ply < LOOK_UPS; ply++) {
        const int group = (int)(random_number() % (uint64_t)(kr_policy_groups(policy) + 1)) - 1;
        const int count = kr_people(policy, tables, game, ply + 1, group, choices);
        double sum = 0;
        /* other tables, of a damaged checksum */
        if (count == KR_BAD_VALUE) return;
        if (count < 0) exit(4);
        for (i = 0; i < count; i++) sum += choices[i].probability;
        if (count == 0) return;
        if (!(sum > 0.999 && sum < 1.001)) exit(5);
        kr_play(&game[ply], &choices[random_number() % (uint64_t)count].move, &game[ply + 1]);
    }
}

int main(int argc, char** argv) {
    static file files[MOST_FILES];
    static kr_bytes given[MOST_FILES];
    const int count = argc - 5;
    file tables, policy;
    kr_tables* whole = NULL;
    int i, round, refused[3] = {0, 0, 0};
    if (count < 1 || count > MOST_FILES) return 2;
    state = strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
    tables = read_whole(argv[3]);
    policy = read_whole(argv[4]);
    if (kr_read_tables(&whole, tables.bytes, tables.size)) exit(3);
    for (i = 0; i < count; i++) {
        files[i] = read_whole(argv[5 + i]);
        given[i].bytes = files[i].bytes;
        given[i].size = files[i].size;
    }
    for (round = 0; round < atoi(argv[2]); round++) {
        const int chosen = (int)(random_number() % (uint64_t)count);
        kr_tables* opened = NULL;
        kr_policy* people = NULL;
        kr_database* database = NULL;
        file copy;
        if (round % 20 == 0) {
            copy = damaged(&tables, 1500);
            if (round % 40) mend_whole(&copy);
            refused[0] += kr_read_tables(&opened, copy.bytes, copy.size) != KR_OK;
            kr_close_tables(opened);
            release(&copy);
        }
        if (round % 4 == 0) {
            copy = damaged(&policy, 1500);
            if (round % 8) mend_whole(&copy);
            if (kr_read_policy(&people, copy.bytes, copy.size) == KR_OK) ask(people, whole);
            else refused[1]++;
            kr_close_policy(people);
            release(&copy);
        }
        copy = damaged(&files[chosen], files[chosen].body);
        if (round % 2) mend_database(&copy, &files[chosen]);
        given[chosen].bytes = copy.bytes;
        given[chosen].size = copy.size;
        if (kr_read_database(&database, given, count, (int)(random_number() % 4)) == KR_OK) look_up(database);
        else refused[2]++;
        kr_close_database(database);
        given[chosen].bytes = files[chosen].bytes;
        given[chosen].size = files[chosen].size;
        release(&copy);
    }
    printf("%d %d %d\n", refused[0], refused[1], refused[2]);
    kr_close_tables(whole);
    free(tables.bytes);
    free(policy.bytes);
    for (i = 0; i < count; i++) free(files[i].bytes);
    return 0;
}
