"""Service of `kr web` to its viewers: first lines, updates, fair shares, memory. Linux; about a minute.

    python bench/web.py [--viewers 20] [--idle 200] [--seconds 10] [--json]

Starts a server and speaks to it as pages do; `page.py --web` has the start. First lines: one viewer steps through a
game; the time from each move to the first line. Load: `--viewers` viewers analyse different positions without limit at
once; the time to each one's first line, its share of all nodes, the time of requests meanwhile, and of a move under
load. Then all leave, and the processor time that the server still takes is measured. Memory: resident, for each of many
idle viewers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

import kr
from kr.system import core_count

MOVES = 40
"""Moves after which first lines are timed."""
PACE = 0.3
"""Seconds that the viewer looks at each position."""


class Viewer:
    """A page's connection."""

    ids = count(1)

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.id = 0

    async def ask(self, moves: list[str], lines: int) -> float:
        """Go to another position; returns the time of the request."""
        if self.id:
            await self.socket.send(json.dumps({"id": self.id, "stop": True}))
        self.id = next(self.ids)
        at = time.perf_counter()
        positions = [kr.Position()]
        for move in moves:
            positions.append(positions[-1].play(move))
        search = {"positions": [each.bits for each in positions], "limits": {}, "lines": lines}
        await self.socket.send(json.dumps({"id": self.id, "do": "search", "searches": [search]}))
        return at

    async def hear(self) -> dict[str, Any]:
        """The next event with lines."""
        while True:
            event: dict[str, Any] = json.loads(await self.socket.recv())
            if event["id"] == self.id and "lines" in event:
                return event
            if "error" in event:
                raise RuntimeError(event["error"])

    async def first(self, moves: list[str], lines: int = 3) -> float:
        """Seconds from a move to the first line of the new position."""
        at = await self.ask(moves, lines)
        await self.hear()
        return time.perf_counter() - at

    async def watch(self, seconds: float) -> list[tuple[float, int]]:
        """Times and nodes of the events of the next seconds."""
        events: list[tuple[float, int]] = []
        try:
            async with asyncio.timeout(seconds):
                while True:
                    event = await self.hear()
                    events.append((time.perf_counter(), event["nodes"]))
        except TimeoutError:
            return events


class Server:
    """A running `kr web`."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.origin = address.rstrip("/")

    @asynccontextmanager
    async def viewer(self) -> AsyncIterator[Viewer]:
        """A page that opens its connection."""
        address = self.origin.replace("http", "ws") + "/live"
        async with connect(address, origin=self.origin, max_queue=None, compression=None) as socket:  # type: ignore[arg-type]
            yield Viewer(socket)

    async def post(self) -> float:
        """Seconds of a small request, on a connection of its own."""
        host = self.origin.removeprefix("http://")
        at = time.perf_counter()
        reader, writer = await asyncio.open_connection(*host.split(":"))
        writer.write(
            f"POST /api/port/files HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\nConnection: close\r\n\r\n{}".encode()
        )
        answer = await reader.read()
        writer.close()
        if b" 200 " not in answer.partition(b"\r\n")[0]:
            raise RuntimeError(answer.decode())
        return time.perf_counter() - at

    @property
    def memory(self) -> float:
        """Resident megabytes."""
        rows = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(row.split()[1]) for row in rows if row.startswith("VmRSS")) / 1024

    @property
    def processor(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def random_game(plies: int, seed: int) -> list[str]:
    """The moves of a game by chance that has not ended after `plies` plies."""
    chance = random.Random(seed)
    while True:
        board = kr.Board()
        moves: list[str] = []
        while len(moves) < plies and not board.is_over:
            moves.append(str(chance.choice(board.legal_moves())))
            board.play(moves[-1])
        if not board.is_over:
            return moves


def spread(values: list[float]) -> dict[str, float]:
    """Median and worst."""
    return {"median": round(statistics.median(values), 4), "most": round(max(values), 4)}


async def one_viewer(server: Server, seconds: float) -> dict[str, Any]:
    """First lines along a game, and updates a second."""
    game = random_game(MOVES, 1)
    async with server.viewer() as viewer:
        first = []
        for ply in range(MOVES):
            first.append(await viewer.first(game[:ply]))
            await viewer.watch(PACE)
        await viewer.ask([], 10)
        begin = time.perf_counter()
        times = [at for at, _ in await viewer.watch(seconds)]
    busiest = max(sum(at <= other < at + 1 for other in times) for at in times)
    return {
        "first line, s": spread(first),
        "updates in the busiest second": busiest,
        "updates in the first second": sum(at < begin + 1 for at in times),
    }


async def many_viewers(server: Server, viewers: int, seconds: float) -> dict[str, Any]:
    """All analyse at once."""
    games = [random_game(8, seed) for seed in range(viewers)]
    async with AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(server.viewer()) for _ in games]
        begin = server.processor
        first = await asyncio.gather(*(page.first(game) for page, game in zip(pages, games, strict=True)))
        watching = [asyncio.create_task(page.watch(seconds)) for page in pages[1:]]
        requests: list[float] = []
        moved: list[float] = []
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            requests.append(await server.post())
            moved.append(await pages[0].first(games[0][: len(moved) % 8]))
            await asyncio.sleep(0.2)
        nodes = [events[-1][1] if events else 0 for events in await asyncio.gather(*watching)]
        spent = (server.processor - begin) / seconds
        # all leave at once, without closing their sockets
        for page in pages:
            page.socket.transport.abort()
    before = server.processor
    await asyncio.sleep(1)
    mean = statistics.mean(nodes)
    return {
        "first line of each, s": spread(list(first)),
        "share of nodes, of an equal one": {"least": round(min(nodes) / mean, 2), "most": round(max(nodes) / mean, 2)},
        "nodes a second, together": round(sum(nodes) / seconds),
        "processors busy": round(spent, 2),
        "first line after a move meanwhile, s": spread(moved),
        "small request meanwhile, s": spread(requests),
        "processor seconds in the second after all left": round(server.processor - before, 2),
    }


async def idle_viewers(server: Server, viewers: int) -> dict[str, Any]:
    """Memory of connections that do nothing, and of some that have analysed and stopped."""
    async with AsyncExitStack() as stack:
        before = server.memory
        pages = [await stack.enter_async_context(server.viewer()) for _ in range(viewers)]
        await asyncio.sleep(1)
        opened = server.memory
        for page in pages[: viewers // 2]:
            await page.first([])
            await page.socket.send(json.dumps({"id": page.id, "stop": True}))
        await asyncio.sleep(1)
        return {
            "memory without viewers, MB": round(before, 1),
            "memory of an idle viewer, MB": round((opened - before) / viewers, 3),
            "memory of an idle viewer, half of them have analysed, MB": round((server.memory - before) / viewers, 3),
        }


async def measured(arguments: argparse.Namespace, server: Server) -> dict[str, Any]:
    """All figures."""
    figures: dict[str, Any] = {"cores": core_count()}
    # kr's tables are read by now
    async with server.viewer() as viewer:
        await viewer.first([])
    figures |= await idle_viewers(server, arguments.idle)
    figures["one viewer"] = await one_viewer(server, arguments.seconds)
    figures[f"{arguments.viewers} viewers"] = await many_viewers(server, arguments.viewers, arguments.seconds)
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--idle", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "kr", "web", "--no-browser", "--no-token", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = json.loads(process.stdout.readline())["address"]
            figures = asyncio.run(measured(arguments, Server(process, address)))
        finally:
            process.send_signal(signal.SIGINT)
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        if isinstance(value, dict):
            print(f"{name}:")
            for inner, number in value.items():
                print(f"  {inner:54} {number}")
        else:
            print(f"{name:56} {value}")


if __name__ == "__main__":
    main()
