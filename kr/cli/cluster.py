"""`kr cluster`."""

from kr.cli import console, options
from kr.cluster.watching import WatchSettings, WorkerReport, cluster_status, cluster_workers, forget_files
from kr.settings import option
from kr.units import counted, format_rate


@options.command
def _status(settings: WatchSettings, json: bool = options.JSON) -> None:
    """Show a cluster at a glance: its scheduler, workers, memory and tasks.

    Example:
        kr cluster status tcp://127.0.0.1:8786
    """
    status = cluster_status(settings)
    if json:
        console.emit_json(status)
        return
    memory = f"{_size(status.memory)} of {_size(status.memory_limit)}"
    unfit = f", {status.unfit} of them unfit (kr cluster workers)" if status.unfit else ""
    console.put(
        console.facts(
            [
                ("scheduler", status.address),
                ("Dask", status.dask),
                ("dashboard", status.dashboard or "none"),
                ("workers", f"{status.workers} with {counted(status.threads, 'thread')}{unfit}"),
                ("memory", memory),
                ("tasks", f"{status.tasks:,}"),
            ]
        )
    )


@options.command
def _workers(settings: WatchSettings, json: bool = options.JSON) -> None:
    """List the workers of a cluster: where they are, their kr, memory and files.

    The signature and the speed of a worker's search are known after its first unit.

    Example:
        kr cluster workers tcp://127.0.0.1:8786
    """
    workers = cluster_workers(settings)
    if json:
        console.emit_json({"workers": workers})
        return
    head = ["worker", "threads", "tasks", "memory", "kr", "nodes/s", "files", "free"]
    console.put(console.table(head, [_row(each) for each in workers]))
    for each in workers:
        if each.problem:
            console.put(console.fold(f"{each.address}: {each.problem}", 2))


def _size(size: int) -> str:
    """A size in readable units."""
    for scale, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= scale:
            return f"{size / scale:.3g} {unit}" if size < 1000 * scale else f"{size / scale:,.0f} {unit}"
    return f"{size} B"


def _row(each: WorkerReport) -> list[str]:
    has_info = bool(each.version)
    return [
        each.address, str(each.threads), str(each.tasks), _size(each.memory), each.version or "none",
        format_rate(each.nodes_per_second) if each.nodes_per_second else "-",
        _size(each.kept) if has_info else "-", _size(each.free) if has_info else "-",
    ]  # fmt: skip


@options.command
def _forget(
    settings: WatchSettings,
    worker: tuple[str, ...] = option((), "Only this worker; can be repeated.", metavar="ADDRESS"),
    json: bool = options.JSON,
) -> None:
    """Have workers drop the files that were sent to them; they are sent again when needed.

    Example:
        kr cluster forget tcp://127.0.0.1:8786
    """
    freed = forget_files(settings, worker)
    if json:
        console.emit_json({"freed": freed})
    else:
        console.put(console.table(["worker", "freed"], [[address, _size(size)] for address, size in freed.items()]))


command = options.group(
    """Look at a Dask cluster that does work for --cluster: its workers and their files.

    Start one by `dask scheduler` here and `dask worker tcp://HOST:8786 --nthreads 1` on each machine.

    Example:
        kr cluster status tcp://127.0.0.1:8786
        kr selfplay --games 1e6 --out games --cluster tcp://127.0.0.1:8786
    """,
    {"status": _status, "workers": _workers, "forget": _forget},
)
