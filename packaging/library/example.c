/* An example of kr as a library: plays a game against itself, and says what the end is worth.

   cc example.c -I. -L. -lkr -Wl,-rpath,. -o example && ./example kr.krt FOLDER_OF_DATABASE */

#include <stdio.h>

#include "kr.h"

/* Print an error and end the program, unless there is none. */
static int failed(int error, const char* what) {
    if (error < 0) fprintf(stderr, "%s: %s\n", what, kr_error_text(error));
    return error < 0;
}

static void print_move(const kr_position* position, const kr_move* move) {
    uint8_t squares[KR_MAX_PATH];
    const int count = kr_path(position, move, squares);
    int i;
    printf("%d", squares[0]);
    for (i = 1; i < count; i++) printf("%c%d", move->captured ? 'x' : '-', squares[i]);
}

int main(int argc, char** argv) {
    static kr_position game[1024];
    kr_tables* tables = NULL;
    kr_database* database = NULL;
    kr_engine* engine = NULL;
    kr_limits limits = {.nodes = 20000};
    kr_result result;
    kr_move moves[KR_MAX_MOVES];
    char fen[KR_FEN_BYTES];
    int ply = 0;

    if (argc < 3) return fprintf(stderr, "usage: example TABLES DATABASE\n"), 2;
    if (failed(kr_open_tables(&tables, argv[1]), argv[1])) return 1;
    if (failed(kr_open_database(&database, argv[2], 5), argv[2])) return 1;
    if (failed(kr_open_engine(&engine, tables, database, 16 << 20), "engine")) return 1;

    game[0] = kr_start();
    /* until a side has no move, or the database knows the end */
    while (ply < 300 && kr_moves(&game[ply], moves) > 0 && kr_value(database, &game[ply]) == KR_UNKNOWN) {
        if (failed(kr_set_game(engine, game, ply + 1), "game")) return 1;
        if (failed(kr_search(engine, &limits, NULL, NULL, &result), "search")) return 1;
        if (ply % 2 == 0) printf("%d. ", ply / 2 + 1);
        print_move(&game[ply], &result.lines[0].moves[0]);
        printf(" ");
        if (failed(kr_play(&game[ply], &result.lines[0].moves[0], &game[ply + 1]), "move")) return 1;
        ply++;
    }

    kr_write_fen(&game[ply], fen);
    printf("\n%s: value %d, %d plies to the end, score %d\n", fen, kr_value(database, &game[ply]),
            kr_distance(database, &game[ply]), ply ? result.lines[0].score : 0);
    kr_close_engine(engine);
    kr_close_database(database);
    kr_close_tables(tables);
    return 0;
}
