/* Searches by kr as a C library in two threads that share a database, watched and stopped from a third:
   library_threads DATABASE ROUNDS

   Built with ThreadSanitizer, it ends by itself unless two threads touch the same memory at once. Prints how often the
   searches were seen at work. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kr.h"

enum { ENGINES = 2, NODES = 5000 };

static kr_engine* engines[ENGINES];
static int rounds;
static const char* folder;
static int finished; /* threads that search no more */

static void expect(int good) {
    if (!good) exit(3);
}

/* Searches without a limit that ends them. */
static void* search(void* engine) {
    const kr_limits limits = {.nodes = (uint64_t)1 << 40};
    kr_result result;
    kr_position position;
    int i;
    expect(kr_read_fen("W:WK10,K14,21,30:BK3,K28,5", &position) == KR_OK);
    for (i = 0; i < rounds; i++) {
        expect(kr_set_game(engine, &position, 1) == KR_OK);
        expect(kr_search(engine, &limits, NULL, NULL, &result) == KR_OK && result.nodes > 0);
    }
    __atomic_add_fetch(&finished, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Others come and go meanwhile. */
static void* open_and_close(void* nothing) {
    int i;
    for (i = 0; i < rounds; i++) {
        kr_database* database;
        expect(kr_open_database(&database, folder, 3) == KR_OK);
        kr_close_database(database);
    }
    return nothing;
}

int main(int argc, char** argv) {
    pthread_t threads[ENGINES + 1];
    kr_database* database;
    int i, seen = 0;
    if (argc != 3) return 2;
    folder = argv[1];
    rounds = atoi(argv[2]);
    expect(kr_open_database(&database, folder, 0) == KR_OK);
    for (i = 0; i < ENGINES; i++) {
        expect(kr_open_engine(&engines[i], NULL, database, 1 << 20) == KR_OK);
        expect(pthread_create(&threads[i], NULL, search, engines[i]) == 0);
    }
    expect(pthread_create(&threads[ENGINES], NULL, open_and_close, NULL) == 0);
    while (__atomic_load_n(&finished, __ATOMIC_RELAXED) < ENGINES) {
        for (i = 0; i < ENGINES; i++) {
            kr_progress_info progress;
            if (!kr_progress(engines[i], &progress) || progress.nodes < NODES) continue;
            expect(progress.seconds >= 0 && progress.depth >= 0);
            seen++;
            kr_stop(engines[i]);
        }
    }
    for (i = 0; i <= ENGINES; i++) pthread_join(threads[i], NULL);
    for (i = 0; i < ENGINES; i++) kr_close_engine(engines[i]);
    kr_close_database(database);
    printf("%d\n", seen);
    return 0;
}
