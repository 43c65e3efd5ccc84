/* kr as an engine of CheckerBoard, the program for English draughts on Windows: a DLL with the two functions that it calls.

   CheckerBoard's interface is documented in cb_api_reference.htm of its source. A board is board[x][y], square 1 at x 6
   and y 0; CheckerBoard calls getmove in a thread of its own, and enginecommand in another, also during a search: what
   it sets there counts from the next search on. Nothing is ever shown but the status line; files that are missing are
   told there, and kr plays on without them. */

#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "board.h"
#include "book.h"
#include "kr.h"
#include "line.h"

#define EXPORT __declspec(dllexport)

/* what getmove returns */
enum { DRAW = 0, WIN = 1, LOSS = 2, UNKNOWN = 3 };
/* bits of info: the time is exact; the unit of the clock, 0 without one */
enum { EXACT_TIME = 2, CLOCK_SHIFT = 2, CLOCK_MASK = 3 };

enum {
    REPLY = 1024,
    STATUS = 1024,
    MOST_GAME = 512,        /* positions of the game so far */
    PATH = 1024,
    POLL_MS = 2,            /* between looks at Play */
    STACK = 8 << 20,        /* of a search: CheckerBoard's threads have 1 MB */
    MOST_HASH_MB = sizeof(void*) == 8 ? 65536 : 512,
    MB_OF_5_PIECES = 40,    /* that values of so many pieces take unpacked */
    MB_OF_6_PIECES = 640
};

typedef struct {
    int hash_mb, database_mb, database_pieces, use_database, all_scores, book;
    char database[PATH];
    kr_position game[MOST_GAME];
    int game_length;
} settings;

/* what enginecommand sets, and getmove takes over */
static settings wanted = {.hash_mb = 64, .database_mb = 64, .database_pieces = 8, .use_database = 1, .book = BOOK_GOOD};
static SRWLOCK setting = SRWLOCK_INIT;

/* of getmove alone */
static SRWLOCK searching = SRWLOCK_INIT;
static settings used;
static kr_tables* tables;
static kr_database* database;
static kr_engine* engine;
static opening_book book;
static int book_error = 1; /* of opening it; 1 before */
static char lacking[400]; /* what could not be opened */

/* ---- files ---- */

/* Path of a file beside this DLL; "" if it can't be had. */
static void beside_wide(const wchar_t* name, wchar_t* path) {
    HMODULE module = NULL;
    const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    DWORD length = 0;
    if (GetModuleHandleExW(flags, (LPCWSTR)(void*)&wanted, &module)) length = GetModuleFileNameW(module, path, PATH);
    if (length >= PATH - 64) length = 0;
    while (length > 0 && path[length - 1] != L'\\' && path[length - 1] != L'/') length--;
    path[length] = 0;
    if (length > 0) wcscat(path, name);
}

/* The same in UTF-8. */
static void beside(const wchar_t* name, char* path) {
    wchar_t wide[PATH];
    beside_wide(name, wide);
    if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, PATH, NULL, NULL)) path[0] = 0;
}

/* CheckerBoard's paths are in the code page of the system, the library's in UTF-8. */
static void to_utf8(const char* text, char* path) {
    wchar_t wide[PATH];
    if (!MultiByteToWideChar(CP_ACP, 0, text, -1, wide, PATH) ||
            !WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, PATH, NULL, NULL)) {
        path[0] = 0;
    }
}

static void tell_lack(const char* what, int error) {
    const size_t length = strlen(lacking);
    snprintf(lacking + length, sizeof lacking - length, "%s%s: %s", length ? "; " : "", what, kr_error_text(error));
}

/* Open what is not open yet, or wanted otherwise; 0 if there is no engine. */
static int prepare(void) {
    settings now;
    char path[PATH];
    wchar_t wide[PATH];
    int error, unpacked;
    AcquireSRWLockExclusive(&setting);
    now = wanted;
    ReleaseSRWLockExclusive(&setting);
    if (book_error == 1 && now.book) {
        beside_wide(L"kr.krb", wide);
        book_error = open_book(&book, wide);
    }
    if (engine && now.hash_mb == used.hash_mb && now.database_mb == used.database_mb &&
            now.database_pieces == used.database_pieces && now.use_database == used.use_database &&
            !strcmp(now.database, used.database)) {
        used = now;
        return 1;
    }
    used = now;
    lacking[0] = 0;
    kr_close_engine(engine);
    kr_close_database(database);
    engine = NULL;
    database = NULL;
    if (used.use_database && used.database_pieces >= 2) {
        if (used.database[0]) to_utf8(used.database, path);
        else beside(L"kr-egdb", path);
        unpacked = used.database_mb >= MB_OF_6_PIECES ? 6 : used.database_mb >= MB_OF_5_PIECES ? 5 : 4;
        error = kr_open_database(&database, path, unpacked);
        /* none is expected where none was chosen */
        if (error && (used.database[0] || error != KR_NO_FILE)) tell_lack("endgame database", error);
    }
    if (!tables) {
        beside(L"kr.krt", path);
        error = kr_open_tables(&tables, path);
        if (error) tell_lack("kr.krt, without which kr is weaker", error);
    }
    error = kr_open_engine(&engine, tables, database, (size_t)used.hash_mb << 20);
    if (error) {
        /* with what memory there is */
        tell_lack("hash table", error);
        error = kr_open_engine(&engine, tables, database, 1 << 20);
    }
    if (error == KR_OK) kr_limit_database(engine, used.database_pieces);
    return error == KR_OK;
}

/* ---- searches ---- */

typedef struct {
    kr_position root;
    kr_limits limits;
    kr_result result;
    char* status;
    int found;
} search;

/* End a status line with what is lacking, and write it whole: CheckerBoard reads it at any moment. */
static void show_text(char* status, writer* out, const char text[STATUS]) {
    if (lacking[0]) put(out, " (%s)", lacking);
    if (book_error < 0 && used.book) put(out, " (opening book kr.krb: %s)", kr_error_text(book_error));
    memset(out->at, 0, out->left);
    memcpy(status, text, STATUS);
}

static void show(const search* own, const kr_result* result) {
    char text[STATUS];
    writer out = {text, sizeof text};
    const double seconds = result->seconds > 0.001 ? result->seconds : 0.001;
    int i;
    if (result->line_count == 0) return;
    put(&out, "depth %d, ", result->depth);
    put_score(&out, result->lines[0].score);
    put(&out, ", %.1fs, %.2fM nodes, %.1fM/s", result->seconds, result->nodes / 1e6, result->nodes / seconds / 1e6);
    if (database) put(&out, ", %llu database hits", (unsigned long long)result->hits);
    if (result->line_count > 1) {
        for (i = 0; i < result->line_count; i++) {
            put(&out, i ? "; " : ": ");
            put_score(&out, result->lines[i].score);
            put_line(&out, &own->root, &result->lines[i], 1);
        }
    } else {
        put(&out, ":");
        put_line(&out, &own->root, &result->lines[0], 20);
    }
    show_text(own->status, &out, text);
}

static void show_book(const search* own, const book_choice* choice) {
    char text[STATUS];
    writer out = {text, sizeof text};
    const kr_line line = {0, 1, &choice->move};
    put(&out, "book, ");
    put_score(&out, choice->value);
    if (choice->weight) put(&out, ", %u games or more", 1u << 2 * (choice->weight - 1));
    put(&out, ":");
    put_line(&out, &own->root, &line, 1);
    show_text(own->status, &out, text);
}

static int hear(const kr_result* result, void* context) {
    show((const search*)context, result);
    return 0;
}

static DWORD WINAPI run(void* context) {
    search* own = context;
    own->found = kr_search(engine, &own->limits, hear, own, &own->result) == KR_OK && own->result.line_count > 0;
    return 0;
}

/* Search in a thread with a large stack, and look at Play meanwhile. */
static void search_watched(search* own, volatile int* playnow) {
    HANDLE thread = CreateThread(NULL, STACK, run, own, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (!thread) return;
    while (WaitForSingleObject(thread, POLL_MS) == WAIT_TIMEOUT) {
        if (*playnow) {
            kr_stop(engine);
            WaitForSingleObject(thread, INFINITE);
            break;
        }
    }
    CloseHandle(thread);
}

/* Limits of a move: seconds, or a clock, of which a thirtieth and the increment are spent on average. */
static kr_limits limits_of(double seconds, int info, int moreinfo) {
    static const double units[] = {0.0, 0.001, 0.01, 0.1};
    const double unit = units[info >> CLOCK_SHIFT & CLOCK_MASK];
    kr_limits limits = {0};
    limits.lines = used.all_scores ? KR_MAX_LINES : 1;
    limits.seconds = seconds;
    if (unit > 0) {
        const double increment = (moreinfo & 0xFFFF) * unit;
        const double left = ((unsigned)moreinfo >> 16) * unit;
        const double most = 0.8 * (left + increment);
        const double share = left / 30 + increment;
        limits.usual_seconds = share < most ? share : most;
        limits.seconds = 3 * share < most ? 3 * share : most;
        limits.forced_at_once = 1;
    } else if (!(info & EXACT_TIME)) {
        limits.forced_at_once = 1;
    }
    /* that the answer takes */
    limits.seconds -= 0.005;
    if (!(limits.seconds > 0.001)) limits.seconds = 0.001;
    return limits;
}

static int claimed(const kr_result* result) {
    const int score = result->lines[0].score;
    if (score > KR_SCORE_DECIDED || result->value == KR_WIN) return WIN;
    if (score < -KR_SCORE_DECIDED || result->value == KR_LOSS) return LOSS;
    return result->value == KR_DRAW ? DRAW : UNKNOWN;
}

static void play(int board[8][8], const kr_position* root, const kr_move* move, cb_move* told) {
    kr_position after;
    if (kr_play(root, move, &after)) return;
    write_board(board, &after);
    if (told) write_move(told, root, move, &after);
}

static int same(const kr_position* a, const kr_position* b) {
    return a->black == b->black && a->white == b->white && a->kings == b->kings && a->side == b->side;
}

/* Choose a move of the book, if it has one that leads back to no position of the game. */
static int play_from_book(const search* own, book_choice* choice) {
    kr_position after;
    int i;
    if (!choose_from_book(&book, &own->root, used.book, choice) || kr_play(&own->root, &choice->move, &after)) return 0;
    for (i = 0; i < used.game_length; i++) {
        if (same(&used.game[i], &after)) return 0;
    }
    return 1;
}

EXPORT int WINAPI getmove(int board[8][8], int color, double maxtime, char str[STATUS], int* playnow, int info,
        int moreinfo, cb_move* move) {
    search own = {0};
    kr_move moves[KR_MAX_MOVES];
    book_choice choice;
    int count, result = UNKNOWN;
    AcquireSRWLockExclusive(&searching);
    own.root = read_board(board, color);
    own.status = str;
    count = kr_moves(&own.root, moves);
    if (count < 0) {
        snprintf(str, STATUS, "kr: this position can't be");
    } else if (count == 0) {
        snprintf(str, STATUS, "kr: no legal move");
        result = LOSS;
    } else if (!prepare()) {
        snprintf(str, STATUS, "kr: %s", lacking);
        play(board, &own.root, &moves[0], move);
    } else if (play_from_book(&own, &choice)) {
        show_book(&own, &choice);
        play(board, &own.root, &choice.move, move);
    } else {
        if (used.game_length > 0 && same(&used.game[used.game_length - 1], &own.root)) {
            kr_set_game(engine, used.game, used.game_length);
        } else {
            kr_set_game(engine, &own.root, 1);
        }
        own.limits = limits_of(maxtime, info, moreinfo);
        search_watched(&own, playnow);
        play(board, &own.root, own.found ? &own.result.lines[0].moves[0] : &moves[0], move);
        if (own.found) {
            result = claimed(&own.result);
            show(&own, &own.result);
        }
    }
    ReleaseSRWLockExclusive(&searching);
    return result;
}

/* ---- commands ---- */

/* What stands behind a word of a command; NULL if it doesn't begin with the word. */
static const char* behind(const char* text, const char* word) {
    const size_t length = strlen(word);
    if (strncmp(text, word, length) || (text[length] && text[length] != ' ')) return NULL;
    text += length;
    while (*text == ' ') text++;
    return text;
}

/* The game so far: a FEN, and moves by their first and last squares. */
static int read_game(const char* text, settings* into) {
    char fen[KR_FEN_BYTES + 1];
    size_t length = strcspn(text, " ");
    into->game_length = 0;
    if (length >= sizeof fen) return 0;
    memcpy(fen, text, length);
    fen[length] = 0;
    if (kr_read_fen(fen, &into->game[0])) return 0;
    into->game_length = 1;
    text += length;
    for (;;) {
        kr_move moves[KR_MAX_MOVES];
        kr_position* at = &into->game[into->game_length - 1];
        char* end;
        int from, to, count, i;
        while (*text == ' ') text++;
        if (!*text) return 1;
        from = (int)strtol(text, &end, 10);
        if (end == text || (*end != '-' && *end != 'x')) break;
        text = end + 1;
        to = (int)strtol(text, &end, 10);
        if (end == text) break;
        text = end;
        count = kr_moves(at, moves);
        for (i = 0; i < count && (moves[i].from != from || moves[i].to != to); i++) continue;
        if (i >= count) break;
        if (into->game_length == MOST_GAME) {
            /* the end of it counts */
            memmove(into->game, into->game + 1, (MOST_GAME - 1) * sizeof into->game[0]);
            into->game_length--;
            at--;
        }
        kr_play(at, &moves[i], at + 1);
        into->game_length++;
    }
    /* a game that can't be followed is no history */
    into->game_length = 0;
    return 0;
}

typedef struct {
    const char* name;
    int* value;
    int least, most;
} number;

static int set_number(const char* text, const number* row, char* reply) {
    char* end;
    const long value = strtol(text, &end, 10);
    if (end == text || value < row->least || value > row->most) {
        snprintf(reply, REPLY, "%s is %d to %d", row->name, row->least, row->most);
        return 0;
    }
    *row->value = (int)value;
    snprintf(reply, REPLY, "%s set to %ld", row->name, value);
    return 1;
}

/* set and get, with the settings locked */
static int change(const char* text, char* reply) {
    int threads = 1;
    const number numbers[] = {
            {"hashsize", &wanted.hash_mb, 1, MOST_HASH_MB},
            {"dbmbytes", &wanted.database_mb, 0, 1 << 20},
            {"max_dbpieces", &wanted.database_pieces, 0, 8},
            {"enable_wld", &wanted.use_database, 0, 1},
            {"allscores", &wanted.all_scores, 0, 1},
            {"book", &wanted.book, BOOK_NONE, BOOK_BEST},
            /* kr searches with one thread here */
            {"searchthreads", &threads, 1, 1},
    };
    const int sets = text[0] == 's';
    const char* value;
    size_t i;
    text = behind(text, sets ? "set" : "get");
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        value = behind(text, numbers[i].name);
        if (!value) continue;
        if (sets) return set_number(value, &numbers[i], reply);
        snprintf(reply, REPLY, "%d", *numbers[i].value);
        return 1;
    }
    value = behind(text, "dbpath");
    if (value && sets) {
        snprintf(wanted.database, PATH, "%s", value);
        snprintf(reply, REPLY, "dbpath set to %.900s", value);
        return 1;
    }
    if (value) {
        snprintf(reply, REPLY, "%.1000s", wanted.database);
        return 1;
    }
    value = behind(text, "gamehist");
    if (value && sets) {
        const int good = read_game(value, &wanted);
        if (good) snprintf(reply, REPLY, "%d positions", wanted.game_length);
        else snprintf(reply, REPLY, "no game");
        return good;
    }
    snprintf(reply, REPLY, "?");
    return 0;
}

static int static_score(const char* text, char* reply) {
    kr_position position;
    kr_evaluation evaluation;
    int done = 0;
    snprintf(reply, REPLY, "no position");
    if (kr_read_fen(text, &position)) return 0;
    /* CheckerBoard doesn't wait for a search */
    snprintf(reply, REPLY, "searching");
    if (!TryAcquireSRWLockExclusive(&searching)) return 0;
    if (prepare() && kr_evaluate(engine, &position, &evaluation) == KR_OK) {
        snprintf(reply, REPLY, "eval %d", evaluation.score);
        done = 1;
    }
    ReleaseSRWLockExclusive(&searching);
    return done;
}

EXPORT int WINAPI enginecommand(const char* command, char reply[REPLY]) {
    const char* rest;
    int done;
    if (!strcmp(command, "name")) {
        snprintf(reply, REPLY, "kr %s", kr_version());
    } else if (!strcmp(command, "about")) {
        snprintf(reply, REPLY,
                "kr %s\n\nAn engine for English draughts that learned from its own games.\nTables: kr.krt beside this "
                "file. Opening book: kr.krb beside it. Endgame databases: those of kr, in kr-egdb beside it or where the options say.\n",
                kr_version());
    } else if (!strcmp(command, "help")) {
        snprintf(reply, REPLY, "kr.htm");
    } else if (!strcmp(command, "get protocolversion")) {
        snprintf(reply, REPLY, "2");
    } else if (!strcmp(command, "get gametype")) {
        snprintf(reply, REPLY, "21");
    } else if ((rest = behind(command, "staticevaluation"))) {
        return static_score(rest, reply);
    } else if (behind(command, "set") || behind(command, "get")) {
        AcquireSRWLockExclusive(&setting);
        done = change(command, reply);
        ReleaseSRWLockExclusive(&setting);
        /* comes before each move: what has to be opened is, before its time begins, unless a search is under way */
        if (behind(command, "set gamehist") && TryAcquireSRWLockExclusive(&searching)) {
            prepare();
            ReleaseSRWLockExclusive(&searching);
        }
        return done;
    } else {
        snprintf(reply, REPLY, "?");
        return 0;
    }
    return 1;
}

/* CheckerBoard loads another engine in place of this one; at the end of the process the system frees all. */
BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID ending) {
    (void)module;
    if (reason == DLL_PROCESS_DETACH && !ending) {
        kr_close_engine(engine);
        kr_close_database(database);
        kr_close_tables(tables);
        free(book.bytes);
    }
    return TRUE;
}
