"""The text that strace wrote enters; system calls leave in their order, with the bytes they carried."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TRACED = "fdatasync,fsync,write,pwrite64,writev,sendto,sendmsg"
_LINE = re.compile(r"(?P<pid>\d+) +(?P<at>\d+\.\d+) (?P<rest>.*)")
_RESUMED = re.compile(r"<\.\.\. (?P<name>\w+) resumed>(?P<rest>.*)")
_CALL = re.compile(r"(?P<name>\w+)\((?P<fd>\d+)<(?P<file>[^>]*)>(?P<rest>.*)")
_RETURNED = re.compile(r"= (?P<value>-?\d+)(?: .*)?$")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
UNFINISHED = " <unfinished ...>"


@dataclass(frozen=True)
class Call:
    """`began` and `ended` are places in the trace, which is the order in which the kernel was entered and left."""

    name: str
    file: str
    began: int
    ended: int
    value: int
    data: bytes

    @property
    def syncs(self) -> bool:
        return self.name in ("fdatasync", "fsync") and self.value == 0


def strace(output: Path) -> tuple[str, ...]:
    """The words before a command that trace it; the command stays the child of who starts it."""
    shown = ("-ttt", "-y", "-xx", "-s", "70000", "-e", f"trace={TRACED}", "-e", "signal=none")
    return ("strace", "-D", "-f", "-q", *shown, "-o", str(output))


def read_trace(output: Path) -> Iterator[Call]:
    pending: dict[str, tuple[str, int]] = {}
    with output.open() as lines:
        for place, line in enumerate(lines):
            found = _LINE.match(line)
            if found is None:
                continue
            pid, rest, began = found["pid"], found["rest"].rstrip("\n"), place
            resumed = _RESUMED.match(rest)
            if resumed is not None:
                start, began = pending.pop(pid)
                rest = start + resumed["rest"]
            elif rest.endswith(UNFINISHED):
                pending[pid] = (rest.removesuffix(UNFINISHED), place)
                continue
            call, returned = _CALL.match(rest), _RETURNED.search(rest)
            if call is None or returned is None:
                continue
            data = b"".join(bytes.fromhex(text.replace("\\x", "")) for text in _TEXT.findall(call["rest"]))
            # File names are written in hex too.
            file = bytes.fromhex(call["file"].replace("\\x", "")).decode() if "\\x" in call["file"] else call["file"]
            yield Call(call["name"], file, began, place, int(returned["value"]), data)
