"""What a program does outside of any tracked call belongs to the run of its process, which this module keeps.

It starts with the program or with the first read or write, and ends when the interpreter does. A forked child has the
same run, and tells what it adds at once: nothing of it comes back to its parent.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from lineage_hub.sdk import outbox
from lineage_hub.sdk.config import get_config
from lineage_hub.sdk.runs import Run, current_run
from lineage_hub.sdk.said import facet
from lineage_hub.sdk.warnings import warn_once

_lock = threading.RLock()
_run: Run | None = None
_pid = os.getpid()
_error: BaseException | None = None
_LAST_MOMENT_S = 1.0
_sent_at_end = False
# Runs of the parent by their id, with what stands for each of them in this process.
_inherited: dict[str, Run] = {}


def begin(name: str | None = None, namespace: str | None = None) -> Run:
    """The run of this process; it is started once."""
    global _run  # noqa: PLW0603
    with _lock:
        if _run is None:
            _run = _make(namespace or get_config().namespace, name or _program_name())
            _run.start()
            # After the first event, so that what it set up to be sent at the end is still there when this is called.
            atexit.register(_finish)
            if _pid != os.getpid():
                _begun_in_child(_run)
        return _run


def _begun_in_child(run: Run) -> None:
    """It may end without a word, so it tells all at once."""
    global _pid  # noqa: PLW0603
    _pid = os.getpid()
    _inherited[run.id] = run
    _at_end_of_child(_finish, priority=0)


def update_from_child(run: Run) -> None:
    """What multiprocessing's child has told gets a moment to be sent; else its parent or the next program sends it."""
    global _sent_at_end  # noqa: PLW0603
    run.update()
    if not _sent_at_end:
        _sent_at_end = True
        _at_end_of_child(lambda: outbox.flush(_LAST_MOMENT_S), priority=-1)


def _at_end_of_child(call: Callable[[], object], *, priority: int) -> None:
    """Such a process doesn't end as others do."""
    if (multiprocessing := sys.modules.get("multiprocessing.util")) is not None:
        multiprocessing.Finalize(None, call, exitpriority=priority)


def _make(namespace: str, name: str, run_id: str | None = None) -> Run:
    run = Run(namespace, name, outbox.send, run_id=run_id)
    job = facet("2-0-3/JobTypeJobFacet", processingType="BATCH", integration="PYTHON", jobType="SCRIPT")
    run.add_facet("jobType", job, of="job")
    return run


def _twin(namespace: str, name: str, run_id: str) -> Run:
    return Run(namespace, name, outbox.send, run_id=run_id)


def _program_name() -> str:
    path = Path(sys.argv[0]) if sys.argv and sys.argv[0] else Path()
    name = path.parent.name if path.stem == "__main__" else path.stem
    return name if name and not name.startswith("-") else "python"


def open_run(run: Run | None = None) -> Run:
    """The run given, or the innermost one, or the nearest around it that hasn't ended; else that of the process."""
    found = run or current_run()
    while found is not None and found.ended:
        found = found.parent
    if found is None:
        found = begin()
    return _inherited.get(found.id, found)


def is_inherited(run: Run) -> bool:
    return run.id in _inherited


def note(error: BaseException | None) -> None:
    """How the program failed, for when it ends."""
    global _error  # noqa: PLW0603
    _error = error


def _finish() -> None:
    try:
        if _run is not None and os.getpid() == _pid:
            _run.end(_error or _last_error())
    except Exception as error:
        warn_once("end", "the end of the program could not be told: %s", error)


def _last_error() -> BaseException | None:
    """What nobody caught, as Python remembers it; at a prompt that ends nothing."""
    found = None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)
    return found if isinstance(found, BaseException) else None


def _forked() -> None:
    global _lock, _pid, _sent_at_end  # noqa: PLW0603
    _lock = threading.RLock()
    _pid, _sent_at_end = -1, False
    known: list[Run] = [_run] if _run is not None else []
    run = current_run()
    while run is not None:
        known.append(run)
        run = run.parent
    for one in known:
        make = _make if one is _run else _twin
        _inherited[one.id] = make(one.namespace, one.name, one.id)


os.register_at_fork(after_in_child=_forked)
