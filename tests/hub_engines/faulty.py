"""A Hub engine that behaves until it shows the one fault named by its first argument; for tests of the client.

Its move is always 9-13, which is legal for Black at the start. Plain Python without kr, so that it starts at once.
"""

import os
import signal
import subprocess
import sys
import time

FAULT = sys.argv[1]
HEARD = sys.argv[2] if len(sys.argv) > 2 else os.devnull
"""A file for the lines that it is told."""


def say(line):
    print(line, flush=True)


def hang():
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    while True:
        time.sleep(3600)


SPIN = "import time\nwhile time.process_time() < 0.2: pass"


def answer_hub():
    if FAULT == "hang at hub":
        hang()
    if FAULT == "hang after the name":
        say('id name="faulty engine"')
        hang()
    if FAULT == "exit at hub":
        sys.exit(3)
    if FAULT == "folder":
        say(f'id name="{os.path.basename(os.getcwd())}" version="{os.environ.get("FAULTY_WORD")}"')
    elif FAULT == "child":
        # a wrapper's child that would outlive it, holding its output
        child = subprocess.Popen([sys.executable, "-IS", "-c", "import time; time.sleep(3600)"])
        say(f"id name=wrapper version={child.pid}")
    else:
        say(f'id name="faulty engine" version={os.getpid()}')
    say("param name=hash value=16 type=int min=1 max=1024")
    say("param name=book value=true type=bool")
    say("wait")


def answer_init():
    if FAULT == "hang at init":
        hang()
    if FAULT == "error at init":
        say('error message="no licence"')
        hang()
    say("ready")


def answer_go():
    match FAULT:
        case "hang":
            hang()
        case "exit":
            sys.exit(7)
        case "exit with words":
            print("x" * 100_000 + "\nreading tables", file=sys.stderr)
            sys.exit("tables.dat: no such file\x1b[2J")
        case "crash":
            # by its exit status alone at Windows, where a debugger may want to see a true one
            os.kill(os.getpid(), signal.SIGSEGV if os.name == "posix" else 0xC0000005 - (1 << 32))
        case "leave":
            print("bye", file=sys.stderr)
            sys.exit()
        case "busy":
            until = time.process_time() + 0.2
            while time.process_time() < until:
                pass
            say("done move=9-13")
        case "busy child":
            code = f"{SPIN}\nprint(flush=True)\ninput()"
            child = subprocess.Popen([sys.executable, "-IS", "-c", code], stdin=-1, stdout=-1)
            child.stdout.readline()
            say("done move=9-13")
        case "idle":
            time.sleep(0.2)
            say("done move=9-13")
        case "close":
            os.close(1)
            hang()
        case "illegal":
            say("done move=12-13")
        case "nonsense":
            say("done move=e2e4")
        case "no move":
            say("done")
        case "error":
            say('error message="out of ideas"')
        case "flood":
            while True:
                say("\n".join(["info depth=1 score=0.1"] * 100))
        case "endless line":
            while True:
                sys.stdout.write("x" * 4096)
        case "noise":
            print("a warning on stderr", file=sys.stderr, flush=True)
            say("Engine v2, all rights reserved")
            say('info depth=x score=")')
            say('\xff\x00="')
            say('info depth=9 score=0.35 nodes=77 pv="9-13 1-1"')
            say("done move=9-13")
        case "twice":
            say("done move=9-13")
            say("done move=10-14")
        case _:
            say('info multipv=2 depth=3 score=-9.00 pv="10-14"')
            say('info depth=4 mean-depth=3.5 score=0.12 nodes=1000 time=0.001 nps=1.0 pv="9-13 22-18"')
            say('info multipv=2 depth=3 score=-9.00 pv="10-14"')
            say("done move=9-13 ponder=22-18")


def main():
    for line in sys.stdin:
        with open(HEARD, "a") as heard:
            heard.write(line)
        command = line.split()[0]
        match command:
            case "hub":
                answer_hub()
            case "init":
                answer_init()
            case "go":
                answer_go()
            case "ping" if FAULT == "hang at ping":
                hang()
            case "ping":
                say("pong")
            case "quit" if FAULT == "no quit":
                hang()
            case "quit":
                return


main()
