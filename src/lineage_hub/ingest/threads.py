"""A call enters and runs in a thread, what it returns leaves; who is cancelled meanwhile waits until it has ended.

A thread can't be cancelled: a hub that stops would close the store while something still reads it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(call: Callable[P, T], *of: P.args, **more: P.kwargs) -> T:
    work = asyncio.ensure_future(asyncio.to_thread(call, *of, **more))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.gather(work, return_exceptions=True)
        raise
