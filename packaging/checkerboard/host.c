/* Plays games through CheckerBoard's interface, as CheckerBoard would: host DLL GAMES[:PLIES] SEED [COMMAND ...]

   Games have PLIES plies at most. Commands, such as "set hashsize 1", are sent first. Even games are the DLL against
   itself, odd ones against random moves. Games begin at the start or after some random moves, have 10 to 300 ms a move,
   exact or not, or a clock, and in one move of five Play! is pressed at random. A move that is late while programs wait
   for a processor is asked for again, ATTEMPTS times at most: that the machine was busy does not come again and again.
   Prints a line for each move of the DLL, tab-separated:

       game, ply, FEN before, FEN after, returned value, ms, ms allowed, ms from Play! to the return (-1: not pressed),
       number of the attempt, status line

   The positions are judged by whoever reads them; here the rules only move the random player. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "kr.h"

typedef int(WINAPI* getmove_function)(int board[8][8], int color, double maxtime, char str[1024], int* playnow, int info,
        int moreinfo, void* move);
typedef int(WINAPI* command_function)(const char* command, char reply[1024]);

enum { LONGEST_GAME = 160, ATTEMPTS = 5, LATE = 20 /* ms, as in play_games.py */ };

static uint64_t state;

static uint32_t random_below(uint32_t most) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % most);
}

static double now_ms(void) {
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    return 1000.0 * (double)ticks.QuadPart / (double)frequency.QuadPart;
}

/* Milliseconds during which some program waited for a processor: Linux counts them, in a file on wine's drive Z; 0
   elsewhere. */
static double waited_ms(void) {
    double averages[3], us;
    FILE* file = fopen("Z:\\proc\\pressure\\cpu", "r");
    if (!file) return 0;
    if (fscanf(file, "some avg10=%lf avg60=%lf avg300=%lf total=%lf", averages, averages + 1, averages + 2, &us) != 4) {
        us = 0;
    }
    fclose(file);
    return us / 1000;
}

static void fill_board(int board[8][8], const kr_position* position) {
    int square;
    memset(board, 0, 64 * sizeof(int));
    for (square = 0; square < 32; square++) {
        const int y = square / 4, x = 2 * (3 - square % 4) + y % 2;
        if (position->black >> square & 1) board[x][y] = 2;
        if (position->white >> square & 1) board[x][y] = 1;
        if (board[x][y]) board[x][y] |= position->kings >> square & 1 ? 8 : 4;
    }
}

static kr_position read_board(int board[8][8], int side) {
    kr_position position = {0, 0, 0, side};
    int square;
    for (square = 0; square < 32; square++) {
        const int y = square / 4, x = 2 * (3 - square % 4) + y % 2;
        if (board[x][y] & 2) position.black |= 1u << square;
        if (board[x][y] & 1) position.white |= 1u << square;
        if (board[x][y] & 8) position.kings |= 1u << square;
    }
    return position;
}

static int* volatile button;
static volatile double pressed_at;
static volatile int press_after;

static DWORD WINAPI press(void* unused) {
    (void)unused;
    Sleep((DWORD)press_after);
    pressed_at = now_ms();
    *button = 1;
    return 0;
}

int main(int argc, char** argv) {
    HMODULE dll;
    getmove_function getmove;
    command_function command;
    char reply[1024], text[32768];
    const char* most;
    int game, i, longest = LONGEST_GAME;
    if (argc < 4) return 2;
    most = strchr(argv[2], ':');
    if (most && atoi(most + 1) < LONGEST_GAME) longest = atoi(most + 1);
    dll = LoadLibraryA(argv[1]);
    if (!dll) return fprintf(stderr, "can't load %s: %lu\n", argv[1], GetLastError()), 3;
    getmove = (getmove_function)(void*)GetProcAddress(dll, "getmove");
    command = (command_function)(void*)GetProcAddress(dll, "enginecommand");
    if (!getmove || !command) return fprintf(stderr, "no engine\n"), 3;
    state = strtoull(argv[3], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
    for (i = 4; i < argc; i++) {
        const int done = command(argv[i], reply);
        printf("%s\t%d\t%s\n", argv[i], done, reply);
    }
    for (game = 0; game < atoi(argv[2]); game++) {
        static kr_position line[LONGEST_GAME + 32];
        static kr_move played[LONGEST_GAME + 32];
        const int random_side = game % 2 ? (int)random_below(2) : -1;
        int ply = 0, last_fixed = 0, opening = (int)random_below(3) * 4;
        line[0] = kr_start();
        while (ply < longest) {
            kr_move moves[KR_MAX_MOVES];
            const int count = kr_moves(&line[ply], moves);
            char before[KR_FEN_BYTES], after[KR_FEN_BYTES], status[1024] = "";
            int board[8][8], playnow, info = 0, moreinfo = 0, value, k, length, attempt;
            double begin, end, since_play, maxtime, allowed;
            if (count <= 0) break;
            if (ply < opening || line[ply].side == random_side) {
                played[ply] = moves[random_below((uint32_t)count)];
                kr_play(&line[ply], &played[ply], &line[ply + 1]);
            } else {
                kr_write_fen(&line[last_fixed], before);
                length = snprintf(text, sizeof text, "set gamehist %s", before);
                for (k = last_fixed; k < ply; k++) {
                    length += snprintf(text + length, sizeof text - (size_t)length, " %d-%d", played[k].from, played[k].to);
                }
                maxtime = 0.010 + random_below(291) / 1000.0;
                allowed = 1000 * maxtime;
                switch (random_below(4)) {
                case 0: info = 2; break;
                case 1: /* a clock in units of 0.01 s */
                    info = 2 << 2;
                    moreinfo = (int)((100 + random_below(500)) << 16 | random_below(20));
                    allowed = 0.8 * 10 * ((moreinfo >> 16) + (moreinfo & 0xFFFF));
                    break;
                default: break;
                }
                press_after = random_below(5) ? -1 : (int)random_below((uint32_t)allowed);
                for (attempt = 1;; attempt++) {
                    const double waited = waited_ms();
                    double late;
                    HANDLE presser = NULL;
                    fill_board(board, &line[ply]);
                    command(text, reply);
                    memset(status, 0, sizeof status);
                    playnow = 0;
                    pressed_at = -1;
                    if (press_after >= 0) {
                        button = &playnow;
                        presser = CreateThread(NULL, 0, press, NULL, 0, NULL);
                    }
                    begin = now_ms();
                    value = getmove(
                            board, line[ply].side == KR_BLACK ? 2 : 1, maxtime, status, &playnow, info, moreinfo, NULL);
                    end = now_ms();
                    since_play = playnow && pressed_at >= 0 ? end - pressed_at : -1;
                    if (presser) {
                        WaitForSingleObject(presser, INFINITE);
                        CloseHandle(presser);
                    }
                    late = end - begin - allowed > since_play ? end - begin - allowed : since_play;
                    if (late <= LATE || attempt == ATTEMPTS || waited_ms() - waited < late - LATE) break;
                }
                kr_write_fen(&line[ply], before);
                line[ply + 1] = read_board(board, 1 - line[ply].side);
                if (kr_write_fen(&line[ply + 1], after)) strcpy(after, "?");
                status[1023] = 0;
                /* what is behind the line is as it was here, or zeros; anything else is memory of the DLL */
                for (k = (int)strlen(status); k < 1024; k++) {
                    if (status[k]) return fprintf(stderr, "the status line has %d behind its end\n", status[k]), 4;
                }
                printf("%d\t%d\t%s\t%s\t%d\t%.1f\t%.1f\t%.1f\t%d\t%s\n", game, ply, before, after, value, end - begin,
                        allowed, since_play, attempt, status);
                fflush(stdout);
                for (k = 0; k < count; k++) {
                    kr_position other;
                    kr_play(&line[ply], &moves[k], &other);
                    if (!memcmp(&other, &line[ply + 1], sizeof other)) break;
                }
                if (k == count) break; /* not legal: the line tells it */
                played[ply] = moves[k];
            }
            /* a man's move or a capture can't be taken back */
            if (played[ply].captured || !(line[ply].kings >> (played[ply].from - 1) & 1)) last_fixed = ply + 1;
            ply++;
        }
    }
    return 0;
}
