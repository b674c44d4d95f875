"""The name of a module enters with what is to be done once it is imported; that may be now, later or never.

Nothing is imported for it. A finder in front of Python's own waits for the name, lets the others find the module, and
calls back after it has been executed.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from lineage_hub.sdk.warnings import warn_once

Callback = Callable[[ModuleType], None]


class _Finder:
    def __init__(self) -> None:
        self.waiting: dict[str, Callback] = {}
        self._searching = threading.local()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if name not in self.waiting or getattr(self._searching, "name", None) == name:
            return None
        # The search goes past this finder, once.
        self._searching.name = name
        try:
            spec = find_spec(name)
        finally:
            self._searching.name = None
        if spec is not None and spec.loader is not None:
            self._hook(spec.loader, name)
        return spec

    def _hook(self, loader: Any, name: str) -> None:
        """A spec may be asked for and never used, so the name goes on waiting until a module has been executed."""
        execute = loader.exec_module

        def executed(module: ModuleType) -> None:
            # The loader is as it was before, whatever comes of it.
            del loader.exec_module
            execute(module)
            callback = self.waiting.pop(name, None)
            if callback is not None:
                _call(callback, module)

        try:
            loader.exec_module = executed
        except AttributeError:
            warn_once(f"import {name}", "%s is loaded in a way that can't be followed", name)


_finder = _Finder()


def when_imported(name: str, callback: Callback) -> None:
    module = sys.modules.get(name)
    # One that is being imported right now isn't ready: it is left alone.
    if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
        _call(callback, module)
        return
    _finder.waiting[name] = callback
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def _call(callback: Callback, module: ModuleType) -> None:
    try:
        callback(module)
    except Exception as error:
        warn_once(f"hook {module.__name__}", "%s is not followed: %s: %s", module.__name__, type(error).__name__, error)
