/* kr, an engine for English draughts, as a C library.

   A position is three sets of squares and the side to move. Squares are numbered 1-32 as in the game's books; in a set,
   bit s - 1 stands for square s. Black has the squares 1-12 at first, moves up the numbers, and moves first.

   Scores are in centi-men (100 is a man) for the side to move. A win that is searched to its end in n plies scores
   KR_SCORE_WIN - n, and -KR_SCORE_WIN + n a loss.

   Functions that can fail return KR_OK or an error below 0, whose text kr_error_text gives. Nothing is printed, no
   signal is touched, and no thread is started. Tables, databases and policies may be shared by any number of engines
   and threads; an engine is for one thread at a time, but for kr_stop and kr_progress. A search takes up to 2 MB of
   stack. Texts are UTF-8. */

#ifndef KR_H
#define KR_H

#include <stddef.h>
#include <stdint.h>

/* what offers a function to other programs; the build of the library sets it */
#ifndef KR_API
#define KR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KR_OK = 0,
    KR_NO_MEMORY = -1,
    KR_NO_FILE = -2,     /* a file is missing or can't be read, or a folder has no whole database */
    KR_NOT_KR = -3,      /* not a file of the wanted kind */
    KR_DAMAGED = -4,     /* a file of kr that doesn't match its checksum, or contradicts itself */
    KR_NEWER = -5,       /* a file of a format that this library doesn't know */
    KR_ILLEGAL = -6,     /* a position that can't be, a move that isn't legal there, or text that is neither */
    KR_BAD_VALUE = -7,   /* an argument out of its range, an option of another name, other tables than the policy's */
    KR_BUSY = -8         /* the engine is searching */
};

enum {
    KR_BLACK = 0,
    KR_WHITE = 1,
    KR_SCORE_WIN = 30000,
    KR_SCORE_DECIDED = 29000,  /* a higher score is a win searched to its end */
    KR_SCORE_PROVED = 28000,   /* so is one above this, or a win by the database whose length isn't known */
    KR_LOSS = 0,               /* values, of the side to move */
    KR_DRAW = 1,
    KR_WIN = 2,
    KR_UNKNOWN = 3,
    KR_MAX_MOVES = 128,        /* legal moves of a position, at most */
    KR_MAX_PATH = 10,          /* squares of a move */
    KR_MAX_LINE = 512,         /* moves of a line */
    KR_MAX_LINES = 64,
    KR_MAX_REGIONS = 32,
    KR_FEN_BYTES = 160         /* room for any position's FEN */
};

typedef struct {
    uint32_t black, white, kings; /* pieces of each side; those of both that are kings */
    int32_t side;                 /* to move: KR_BLACK or KR_WHITE */
} kr_position;

typedef struct {
    uint8_t from, to;  /* squares 1-32 */
    uint16_t unused;
    uint32_t captured; /* set of squares; empty for a quiet move */
} kr_move;

/* Version of kr, such as "0.2.0". */
KR_API const char* kr_version(void);
/* What an error means, as a line of English. */
KR_API const char* kr_error_text(int error);

/* Rules. */

/* The starting position. */
KR_API kr_position kr_start(void);
/* KR_OK, or KR_ILLEGAL: pieces of both sides on a square, a king where no piece is, a man on its last row, more than 12
   pieces of a side, no such side. All functions that take a position return KR_ILLEGAL for these. */
KR_API int kr_check(const kr_position* position);
/* Write the legal moves, in a fixed order, and return their number; `moves` has room for KR_MAX_MOVES. Without a legal
   move the side to move has lost. Captures over the same squares in another order are one move. */
KR_API int kr_moves(const kr_position* position, kr_move* moves);
/* Write the position after a legal move. KR_ILLEGAL if it isn't one. */
KR_API int kr_play(const kr_position* position, const kr_move* move, kr_position* after);
/* Write the squares that a legal move passes, from the first to the last, and return their number; `squares` has room
   for KR_MAX_PATH. KR_ILLEGAL if it isn't one. */
KR_API int kr_path(const kr_position* position, const kr_move* move, uint8_t* squares);
/* Read a position from FEN of this form: "B:W21,22,K23:B1,2", the sides in either order, blanks and small letters
   allowed. KR_ILLEGAL for anything else. */
KR_API int kr_read_fen(const char* text, kr_position* position);
/* Write a position as FEN; `text` has room for KR_FEN_BYTES. */
KR_API int kr_write_fen(const kr_position* position, char* text);

/* Region tables, which `make library` makes of a weights file. They take 94 MB in memory. */

typedef struct kr_tables kr_tables;

/* From a file. */
KR_API int kr_open_tables(kr_tables** tables, const char* path);
/* From the bytes of such a file, which may be freed afterwards. */
KR_API int kr_read_tables(kr_tables** tables, const void* bytes, size_t size);
/* Checksum of layout and tables, as `kr weights` shows it. */
KR_API const char* kr_tables_checksum(const kr_tables* tables);
/* Free them, once no engine has them. NULL is allowed, here and below. */
KR_API void kr_close_tables(kr_tables* tables);

/* Endgame databases: files of kr, of any number of pieces. Of a class of positions, by the pieces of the two sides, all
   files are needed, and those of all classes that captures lead to; other files are left out. Entries are read and
   checked as they are needed, and stay in memory then. A file of more than 1 MB stays open. */

typedef struct kr_database kr_database;

typedef struct {
    const void* bytes;
    size_t size;
} kr_bytes;

/* From a folder, or from several with a colon between them, on Windows a semicolon: a file is taken from the first that
   has it. KR_NO_FILE if they hold no database. unpacked: values of positions with this many pieces or fewer are
   unpacked into memory at once, where they are looked up ten times as fast (5: 36 MB, 6: 0.6 GB); 0 for none. */
KR_API int kr_open_database(kr_database** database, const char* folder, int unpacked);
/* From the bytes of its files, which have to stay. */
KR_API int kr_read_database(kr_database** database, const kr_bytes* files, int count, int unpacked);
/* Most pieces up to which every position has a value, or a distance. */
KR_API int kr_database_pieces(const kr_database* database);
KR_API int kr_distance_pieces(const kr_database* database);
/* 1 if every position with these numbers of pieces of the two sides has a value, else 0; it may be so of some with more
   pieces than kr_database_pieces gives. */
KR_API int kr_has_class(const kr_database* database, int own, int other);
/* Value of a position for the side to move: KR_LOSS, KR_DRAW or KR_WIN; KR_UNKNOWN for a class that isn't there, or
   where the file is damaged. KR_ILLEGAL. */
KR_API int kr_value(const kr_database* database, const kr_position* position);
/* Plies to the end under best play of both sides; -1 for a draw, or if it isn't known. KR_ILLEGAL. */
KR_API int kr_distance(const kr_database* database, const kr_position* position);
/* Values of many positions, a byte each, looked up in turns: faster than one by one, with 0.3 MB of stack. Positions
   must be legal. */
KR_API void kr_values(const kr_database* database, const kr_position* positions, uint8_t* values, size_t count);
KR_API void kr_close_database(kr_database* database);

/* Engines. */

typedef struct kr_engine kr_engine;

/* tables: NULL for the hand-built evaluation; database: NULL for none; both are the caller's. hash_bytes: of the
   transposition table, which takes the largest power of two of lines of 64 bytes within them. */
KR_API int kr_open_engine(kr_engine** engine, const kr_tables* tables, const kr_database* database, size_t hash_bytes);
KR_API void kr_close_engine(kr_engine* engine);
/* Forget everything, for a new game. This and the functions below change an engine: KR_BUSY if a listener calls them. */
KR_API int kr_clear(kr_engine* engine);
/* Look up positions with this many pieces or fewer alone; 8 for all that the database has. */
KR_API int kr_limit_database(kr_engine* engine, int pieces);
/* Change an option of the search by its name, such as "lmr_depth" (docs/internals/search.md). KR_BAD_VALUE. */
KR_API int kr_set_option(kr_engine* engine, const char* name, int value);
/* The position to search is the last of these, those before are the game so far, which repetitions and draws for lack
   of progress count: the last 1,024 of them. Withdraws a stop that came after the search before. KR_ILLEGAL. */
KR_API int kr_set_game(kr_engine* engine, const kr_position* positions, int count);

typedef struct {
    double seconds;       /* 0 for no limit, likewise below; but seconds, nodes, depth or a listener is needed */
    double usual_seconds; /* that a move takes on average, so that only a difficult one takes all of `seconds` */
    uint64_t nodes;
    int depth;
    int lines;            /* principal variations wanted; 0 is 1 */
    int forced_at_once;   /* return the only legal move after one ply */
    int within;           /* centi-men: instead of `lines`, all moves that are worse than the best by no more; 0: not so */
} kr_limits;

typedef struct {
    int score;
    int length;
    const kr_move* moves; /* to the end of the game, where the database knows it */
} kr_line;

typedef struct {
    int depth;            /* of the last finished iteration */
    int line_count;       /* none if no move is legal */
    const kr_line* lines; /* best first; if the search ended within an iteration, the first is its best so far, and
                             some of the others are of the iteration before */
    uint64_t nodes, probes, hits; /* look-ups in the database, and those that ended a line */
    double seconds;
    int value;            /* of the position in the database */
} kr_result;

/* Called after each iteration, with a result that is good until it returns; anything but 0 ends the search. */
typedef int (*kr_listener)(const kr_result* result, void* context);

/* Search. The result is good until the engine's next search. listener: NULL for none. */
KR_API int kr_search(
        kr_engine* engine, const kr_limits* limits, kr_listener listener, void* context, kr_result* result);
typedef struct {
    int depth;            /* of the last finished iteration */
    uint64_t nodes;
    double seconds;       /* when the search last asked the clock: it does so every 1,024 nodes */
} kr_progress_info;

/* How far the running search is: 1, or 0 and zeros if none runs. From any thread, a listener, or a clock that the
   program gives (WebAssembly); numbers may be a moment old. */
KR_API int kr_progress(const kr_engine* engine, kr_progress_info* progress);
/* End the running search, proof or check, or the next one at once unless kr_set_game or kr_open_proof comes before it: from any
   thread, a signal handler, or a clock that the program gives. */
KR_API void kr_stop(kr_engine* engine);

typedef struct {
    uint32_t squares; /* set, on the board */
    double score;     /* centi-men for the side to move, as all scores */
} kr_share;

typedef struct {
    int score;                       /* static score */
    double material;                 /* men and kings alone */
    double turn;                     /* having the move */
    int count;                       /* regions; 0 for the hand-built evaluation, as material and turn are */
    kr_share regions[KR_MAX_REGIONS];
} kr_evaluation;

/* The static score of a position, with the share of each region. KR_ILLEGAL. */
KR_API int kr_evaluate(const kr_engine* engine, const kr_position* position, kr_evaluation* evaluation);

/* Of each piece, by its square less 1; 0 for empty squares. */
typedef struct {
    double places[32]; /* its share of the regions' scores: the average of what it adds, over all orders in which the
                          pieces of a region could come onto the board (Shapley values); 0 without tables */
    double empty;      /* the shares of regions without a piece: with the places they make the sum of all regions */
    int worths[32];    /* what the static score loses without it */
} kr_shares;

/* Share the static score of a position out among its pieces. It takes a millisecond. KR_ILLEGAL. */
KR_API int kr_share_out(const kr_engine* engine, const kr_position* position, kr_shares* shares);

/* Proofs: values of positions by strategies, each of whose lines ends by the rules or in the database. A search that says
   something is not believed. Draws by rule are not covered (docs/internals/proofs.md). */

typedef struct kr_proof kr_proof;

enum {
    KR_PROVE_VALUE = 0, /* what is asked, of the side to move: its value, or whether it wins, draws, loses */
    KR_PROVE_WIN = 1,
    KR_PROVE_DRAW = 2,
    KR_PROVE_LOSS = 3
};

typedef struct {
    int side;                /* whose result is claimed */
    int goal;                /* KR_WIN, or KR_DRAW for "does not lose" */
    int holds;               /* 1 if it is proved, 0 if it is disproved, -1 while it is open */
    int searches;
    double proof, disproof;  /* proof and disproof number: about what is left to prove and to disprove, or infinity */
    uint64_t nodes;
    int tree, positions;     /* positions of its tree; those whose move is proved */
    int length;              /* moves of the line that it has most trouble with */
    const kr_move* resists;
} kr_claim;

typedef struct {
    int least, most;         /* values of the side to move that are not excluded, and all between */
    int answered;            /* 1 if what is asked is answered */
    int claim_count;
    const kr_claim* claims;
    uint64_t nodes;
    double seconds;
    size_t held;             /* bytes that the proof holds, about */
    int full;                /* 1 if that is its limit */
} kr_proof_state;

/* Called after each search, with a state that is good until it returns; anything but 0 ends the work. */
typedef int (*kr_proof_listener)(const kr_proof_state* state, void* context);

/* Begin a proof with an engine, which the proof needs until it is closed, and which may do other work between: a search,
   after kr_set_game. Withdraws a stop that came after the work before. memory: bytes that it may hold, 0 for any number.
   KR_ILLEGAL, KR_BAD_VALUE for another goal. */
KR_API int kr_open_proof(kr_proof** proof, kr_engine* engine, const kr_position* position, int goal, size_t memory);
/* Work on, within `seconds` and `nodes` of the limits, until what is asked is answered, kr_stop or the listener ends it, or
   its memory is full; a further call goes on. The state is good until the next call. */
KR_API int kr_prove(kr_proof* proof, const kr_limits* limits, kr_proof_listener listener, void* context,
        kr_proof_state* state);

typedef struct {
    int count;               /* positions with the claim's side to move, in rising order */
    const uint32_t* boards;  /* black, white and kings of each */
    const uint8_t* moves;    /* number of the strategy's move, from 0: by origin, target, captured squares */
    const uint16_t* ranks;   /* of a win: most moves to the end of a line; else 0 */
} kr_certificate;

/* The certificate of a claim that holds, by its number in the state: the columns of docs/reference/certificates.md, good
   until the next call or the end of the proof. KR_BAD_VALUE for any other claim. */
KR_API int kr_certify(kr_proof* proof, int claim, kr_certificate* certificate);
KR_API void kr_close_proof(kr_proof* proof);

enum {                       /* faults of a certificate, and what stands at the position */
    KR_FAULT_FORM = 1,       /* it is impossible, or does not stand in order */
    KR_FAULT_MOVE = 2,       /* no legal move has this number */
    KR_FAULT_GAP = 3,        /* the strategy leads here, but has no move, and the database no value */
    KR_FAULT_AGAINST = 4,    /* the database's value is against the claim */
    KR_FAULT_RANK = 5,       /* its rank is wrong */
    KR_FAULT_UNUSED = 6,     /* the strategy does not lead here */
    KR_FAULT_DATABASE = 7    /* a line ends here by the certificate, but the database has no value */
};

typedef struct {
    int positions, database_leaves;
    int longest_line, longest_quiet; /* plies; of a win's lines in all, and in a row without progress; -1 for a draw */
    int fault;               /* KR_FAULT_... or 0: it proves its claim */
    kr_position at;          /* where the fault is */
} kr_report;

/* Check that columns prove that `side` wins, or does not lose (goal: KR_WIN, KR_DRAW). database: NULL for none. pieces,
   classes: where its values end lines: all positions with so many pieces or fewer, and classes of more, each 16 times the
   pieces of one side and those of the other. KR_ILLEGAL, KR_BAD_VALUE. */
KR_API int kr_check_certificate(const kr_database* database, const kr_position* root, int side, int goal,
        const kr_certificate* columns, int pieces, const uint8_t* classes, int class_count, kr_report* report);

/* Problems: whether one is sound, by proof (docs/guides/problemist.md). The solver is the side that wins, or, in a draw,
   the side to move. */

enum {                       /* verdicts */
    KR_SOUND = 0,            /* one key, and one way at each move of the solver */
    KR_COOK = 1,             /* a second key */
    KR_DUAL = 2,             /* a second way later */
    KR_UNSOUND = 3,          /* the published result or solution fails */
    KR_UNDECIDED = 4         /* within the limits */
};

enum {                       /* what proves an answer */
    KR_BY_NOTHING = 0,
    KR_BY_RULES = 1,
    KR_BY_DATABASE = 2,
    KR_BY_CERTIFICATE = 3    /* of some positions */
};

enum {                       /* why the line of a problem ends */
    KR_LEFT = 0,
    KR_ENDED_PLAIN = 1,      /* the result needs no more proof by play */
    KR_ENDED_OVER = 2,
    KR_ENDED_REPEATED = 3,
    KR_ENDED_DUAL = 4        /* behind a dual */
};

typedef struct {
    kr_position position;
    int value;               /* the published one, for the side to move; KR_UNKNOWN for none */
    int strict;              /* count also second ways that transpose, and those after the result is plain */
    int length;              /* moves of the published solution, each legal in its turn */
    const kr_move* solution;
} kr_problem;

typedef struct {
    kr_move move;
    int keeps;               /* 1 if the solver keeps what it is to reach, 0 if not; -1 while it is open; likewise below */
    int by, positions;       /* KR_BY_...; of the certificate */
    int transposes;          /* to positions that the first way leads to as well */
} kr_way;

typedef struct {
    int ply, number;         /* moves of the line before it; number of the move, the key's being 1 */
    int plain;               /* the result was plain before it */
    int count;
    const kr_way* ways;      /* all moves there, the one that was played first */
} kr_step;

typedef struct {
    int verdict;
    int value, by, positions; /* proved for the side to move, or KR_UNKNOWN; what proves it */
    int number;              /* of the move that the verdict is about; 0 for none */
    int ended;
    int refuted;             /* 1 if a claim refutes the published result or solution: */
    int side, goal;          /* this side wins (KR_WIN), or does not lose (KR_DRAW), */
    kr_position at;          /* here */
    int way_count;
    const kr_way* ways;      /* moves of the side to move, the solution's first; those that keep are the keys. None where
                                it isn't the solver */
    int unsettled_count;
    const kr_move* unsettled; /* the open moves that make the verdict */
    int length, of_solution; /* moves of the line that was looked at; those of the published solution */
    const kr_move* line;
    int step_count;
    const kr_step* steps;    /* the solver's moves in the line */
    int full;                /* 1 if the limit of memory was reached */
    int rank;                /* points of a variation that is sound or has duals, as `kr problem vary` orders them; else 0 */
    uint64_t nodes;
    double seconds;
} kr_soundness;

/* Called after each search, with the nodes and seconds so far; anything but 0 ends the work. */
typedef int (*kr_check_listener)(const kr_progress_info* progress, void* context);

/* Check a problem within `seconds` and `nodes` of the limits, and bytes of memory for all that is proved, 0 for any number.
   The engine forgets everything first. After a stop the verdict means nothing. KR_ILLEGAL, KR_BAD_VALUE. */
KR_API int kr_check_problem(kr_engine* engine, const kr_problem* problem, const kr_limits* limits, size_t memory,
        kr_check_listener listener, void* context, kr_soundness** soundness);
KR_API void kr_free_soundness(kr_soundness* soundness);

enum {                       /* what is done to a piece */
    KR_CHANGE_MOVE = 0,
    KR_CHANGE_ADD = 1,
    KR_CHANGE_REMOVE = 2,
    KR_CHANGE_CROWN = 3,
    KR_CHANGE_UNCROWN = 4
};

typedef struct {
    uint8_t kind;
    uint8_t side, king;      /* the piece as it was, or that is added */
    uint8_t square, target;  /* 1-32; target 0 unless it is moved */
    uint8_t unused[3];
} kr_change;

typedef struct {
    kr_position position;
    int count;               /* changes that lead to it */
    kr_change changes[2];
} kr_changed;

/* List the positions that differ from one by at most `most` pieces, 1 or 2, and in which a key is possible: the smallest
   changes first, each once, also as its mirror image. captures: with those in which the side to move captures. Returns
   their number. KR_ILLEGAL, KR_BAD_VALUE. */
KR_API int kr_changed_positions(const kr_position* position, int most, int captures, kr_changed** positions);
KR_API void kr_free_positions(kr_changed* positions);
/* Check a position as a problem in which the side to move is to win, or to draw, or either. One that reaches neither, or
   has two keys, is left as soon as that is proved, and nothing told but the verdict. For the rest, see kr_check_problem;
   KR_BAD_VALUE also for neither. */
KR_API int kr_check_variation(kr_engine* engine, const kr_position* position, int wins, int draws, int strict,
        const kr_limits* limits, size_t memory, kr_check_listener listener, void* context, kr_soundness** soundness);

/* Why a move is worse than a better one, by facts of their lines (docs/reference/sentences.md). */

enum { KR_MOST_TOLD = 2 };   /* facts of a move */

typedef struct {
    const char* kind;        /* name of its sentence, such as "shot" */
    int better;              /* 1 if the better line shows it, 0 if that of the move played */
    int plies;               /* of that line, up to where it shows */
    int count, given, taken; /* pieces that a side wins; those that it gives and takes; 0 where the kind has none */
    int square, origin;      /* 1-32; 0 where the kind has none */
} kr_fact;

/* Write the facts to tell, the most telling first, and return their number; `facts` has room for KR_MOST_TOLD. Both lines
   begin in the position, and count as far as their moves are legal, up to 40 of them. database: exact values, NULL for
   none. KR_ILLEGAL. */
KR_API int kr_line_facts(const kr_database* database, const kr_position* position, const kr_move* played, int played_length,
        const kr_move* better, int better_length, kr_fact* facts);

/* Nodes of the searches of kr's bench, 50 positions, by an engine of its own with these tables: as `kr bench` has them if
   library and tables are right, 15075549 with those of kr. It takes seconds, and 64 MB. 0 without memory. */
KR_API uint64_t kr_signature(const kr_tables* tables);

/* Moves that people play: policies, which `make library` makes of a policy file. One takes 1 MB in memory. */

typedef struct kr_policy kr_policy;

typedef struct {
    kr_move move;
    float probability;
} kr_choice;

/* From a file, or from the bytes of such a file, which may be freed afterwards. */
KR_API int kr_open_policy(kr_policy** policy, const char* path);
KR_API int kr_read_policy(kr_policy** policy, const void* bytes, size_t size);
/* Its checksum, as `kr policy show` has it. */
KR_API const char* kr_policy_checksum(const kr_policy* policy);
/* Groups of players that it distinguishes by their strength; 0 if it doesn't. */
KR_API int kr_policy_groups(const kr_policy* policy);
KR_API void kr_close_policy(kr_policy* policy);
/* Write the legal moves with the probabilities that people play them, the most probable first, and return their number;
   `choices` has room for KR_MAX_MOVES. The last of the positions is the one to move in; up to two before it tell the
   last moves, which are unknown where no legal move leads from one to the next. group: of the player to move, 0 for
   the strongest; -1 for any player. tables: those that the policy looks with (the ones of kr), else KR_BAD_VALUE; NULL
   if it looks with none. KR_ILLEGAL. */
KR_API int kr_people(
        const kr_policy* policy, const kr_tables* tables, const kr_position* positions, int count, int group,
        kr_choice* choices);

#ifdef __cplusplus
}
#endif

#endif
