"""`kr hub`."""

from kr.book.book import NO_BOOK, book_option
from kr.cli import options
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, threads_option
from kr.evaluation.kinds import SHIPPED, weights_texts
from kr.settings import option
from kr.units import MEBIBYTE


@options.command
def command(
    weights: str = option(SHIPPED, f"Evaluation: a {weights_texts(SHIPPED)}."),
    hash: int = hash_option(),
    threads: int = threads_option(),
    egdb: str = egdb_option(),
    egdb_memory: int = egdb_memory_option(),
    book: str = book_option(NO_BOOK),
    against: str = option(
        "off", "Play draws that the endgame database knows for mistakes of people, or off.", choices=("off", "people")
    ),
) -> None:
    """Speak the Hub 2 protocol on standard input and output, so that other draughts programs can use kr as engine.

    Programs may change these and other settings with set-param. From a book, kr plays different moves that are about as
    good. It quits at the end of its input.

    Example:
        kr hub --weights manual --hash 256MB
        kr hub --book shipped
    """
    from kr.protocols.hub import AUTO, serve_stdio

    sizes = {"hash": str(hash // MEBIBYTE), "egdb-memory": str(egdb_memory // MEBIBYTE)}
    books = {} if book == NO_BOOK else {"book": "varied", "book-file": book}
    serve_stdio(
        {"weights": weights, "threads": str(threads), "egdb": egdb or AUTO, "against": against, **sizes, **books}
    )
