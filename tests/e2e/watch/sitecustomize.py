"""Python loads this at its start where the folder is on PYTHONPATH: writes down every address that
is looked up.
"""

import os
import sys

FILE = os.environ["ADDRESSES_FILE"]


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    with open(FILE, "a", encoding="utf-8") as log:
        print(host, file=log)


open(FILE, "a", encoding="utf-8").close()  # there even where nothing is looked up
sys.addaudithook(_note)
