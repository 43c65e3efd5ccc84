/* An engine of CheckerBoard in a process of its own, spoken to in lines: engine_host DLL

       > hello                  < ready NAME, what the engine calls itself, after a first move that loads what it needs
       > hist FEN MOVES         the game so far, as `set gamehist` has it
       > time SECONDS           limit of the next move
       > clock LEFT INCREMENT   or the clock, in seconds
       > go BOARD SIDE          BOARD: a character of b w B W e for each square from 1; SIDE: B or W
                                < status TEXT
                                < board BOARD, after the move
       > stop                   the move is due at once
       > bye

   kr starts it for checkerboard:DLL (kr/players/checkerboard.py). */

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

typedef int(WINAPI* getmove_function)(int board[8][8], int color, double maxtime, char str[1024], int* playnow, int info,
        int moreinfo, void* move);
typedef int(WINAPI* command_function)(const char* command, char reply[1024]);

enum { WHITE = 1, BLACK = 2, MAN = 4, KING = 8, SQUARES = 32, EXACT_TIME = 2, CLOCK_SHIFT = 2, REPLY = 1024 };

static getmove_function getmove;
static command_function engine_command;
static int board[8][8], side, play_now, info, more_info;
static double seconds;
static HANDLE thinking;

/* The square of a number from 0, as CheckerBoard has it. */
static int* square_of(int number) {
    const int y = number / 4;
    return &board[2 * (3 - number % 4) + y % 2][y];
}

static void read_board(const char* text) {
    int i;
    memset(board, 0, sizeof board);
    for (i = 0; i < SQUARES && text[i]; i++) {
        const char* known = strchr("bwBW", text[i]);
        if (!known) continue;
        *square_of(i) = (strchr("bB", text[i]) ? BLACK : WHITE) | (strchr("bw", text[i]) ? MAN : KING);
    }
}

static void write_board(char text[SQUARES + 1]) {
    int i;
    for (i = 0; i < SQUARES; i++) {
        const int piece = *square_of(i);
        const int is_king = piece & KING;
        text[i] = piece & BLACK ? (is_king ? 'B' : 'b') : piece & WHITE ? (is_king ? 'W' : 'w') : 'e';
    }
    text[SQUARES] = 0;
}

/* Limits as getmove takes them: the time of a move is exact; clocks count in hundredths or tenths of a second. */
static void set_clock(double left, double increment) {
    const int is_short = left < 600;
    const double per_second = is_short ? 100 : 10;
    const int units = left * per_second < 65535 ? (int)(left * per_second) : 65535;
    info = (is_short ? 2 : 3) << CLOCK_SHIFT;
    more_info = (int)((unsigned)units << 16 | ((unsigned)(increment * per_second) & 0xFFFF));
    seconds = left / 30 + increment;
}

static DWORD WINAPI think(void* unused) {
    char status[REPLY] = "", text[SQUARES + 1];
    char* at;
    (void)unused;
    getmove(board, side, seconds, status, &play_now, info, more_info, NULL);
    status[REPLY - 1] = 0;
    for (at = status; *at; at++) {
        if (*at == '\n' || *at == '\r') *at = ' ';
    }
    write_board(text);
    printf("status %s\nboard %s\n", status, text);
    fflush(stdout);
    return 0;
}

/* Have the engine move at once at the start: many load their files then. */
static void warm_up(void) {
    char status[REPLY] = "";
    read_board("bbbbbbbbbbbbeeeeeeeewwwwwwwwwwww");
    getmove(board, BLACK, 0.01, status, &play_now, EXACT_TIME, 0, NULL);
}

static void finish(void) {
    if (!thinking) return;
    WaitForSingleObject(thinking, INFINITE);
    CloseHandle(thinking);
    thinking = NULL;
}

int main(int argc, char** argv) {
    static char line[1 << 16], text[sizeof line + 32];
    char reply[REPLY];
    HMODULE dll;
    /* an engine that crashes ends this process, without a question to anyone */
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    if (argc != 2) return fprintf(stderr, "engine_host DLL\n"), 2;
    dll = LoadLibraryA(argv[1]);
    if (!dll) return fprintf(stderr, "can't load %s: error %lu\n", argv[1], GetLastError()), 3;
    getmove = (getmove_function)(void*)GetProcAddress(dll, "getmove");
    engine_command = (command_function)(void*)GetProcAddress(dll, "enginecommand");
    if (!getmove || !engine_command) return fprintf(stderr, "%s is not an engine of CheckerBoard\n", argv[1]), 3;
    _setmode(_fileno(stdout), _O_BINARY);
    while (fgets(line, sizeof line, stdin)) {
        double first = 0, second = 0;
        char* rest = line;
        line[strcspn(line, "\r\n")] = 0;
        rest += strcspn(line, " ");
        if (*rest) *rest++ = 0;
        if (!strcmp(line, "stop")) {
            play_now = 1;
            continue;
        }
        if (!strcmp(line, "bye")) break;
        /* engines are not asked two things at a time */
        finish();
        memset(reply, 0, sizeof reply);
        if (!strcmp(line, "hello")) {
            warm_up();
            engine_command("name", reply);
            reply[REPLY - 1] = 0;
            printf("ready %s\n", reply);
        } else if (!strcmp(line, "hist")) {
            snprintf(text, sizeof text, "set gamehist %s", rest);
            engine_command(text, reply);
        } else if (!strcmp(line, "time")) {
            info = EXACT_TIME;
            more_info = 0;
            seconds = atof(rest);
        } else if (!strcmp(line, "clock") && sscanf(rest, "%lf %lf", &first, &second) == 2) {
            set_clock(first, second);
        } else if (!strcmp(line, "go") && strlen(rest) >= SQUARES + 2) {
            read_board(rest);
            side = rest[SQUARES + 1] == 'B' ? BLACK : WHITE;
            play_now = 0;
            thinking = CreateThread(NULL, 0, think, NULL, 0, NULL);
        }
        fflush(stdout);
    }
    play_now = 1;
    finish();
    /* without what an engine may do at its end, which may hang */
    ExitProcess(0);
}
