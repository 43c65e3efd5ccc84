"""`kr web`."""

import os
import sys

from kr import __version__, system
from kr.cli import console, options
from kr.web.settings import WebSettings


@options.command
def command(settings: WebSettings, json: bool = options.JSON) -> None:
    """Analyse, play, explore and learn in the browser.

    Prints the address of the page and opens it; Ctrl-C ends the server. The page needs no network. The address holds a
    token, which keeps other users of this machine out, and with another --host lets others in.

    Example:
        kr web
        kr web games.pdn --archive OCA_2.0.pdn.xz
        kr web --engines "hub:other-engine --hub" --port 8080 --no-browser
    """
    if window := system.has_own_window():
        console.say(f"kr {__version__}: English draughts in your browser; starting ...")
    from kr.web.serve import WebServer, open_browser

    server = WebServer(settings)
    if server.has_old_bundle and sys.stderr.isatty():
        console.say("the page's scripts have changed since `make bundle`: browsers load them one by one")

    def ready() -> None:
        if json:
            console.emit_json({"address": server.address, "port": server.port, "token": server.token})
        else:
            console.put(f"kr is at {server.address}", flush=True)
            console.say("leave this window open: closing it ends kr" if window else "Ctrl-C ends it")
        if settings.browser and not open_browser(server.address_to_open):
            console.say("no browser found: open the address above in one")

    server.run(ready, console.say)
    console.say("ended")
    if server.house.is_busy:
        # Python would wait for them
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
