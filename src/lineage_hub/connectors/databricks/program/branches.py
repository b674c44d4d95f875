"""A condition and its arms enter; one state leaves, in which each value knows the arm that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from lineage_hub.connectors.databricks.program.guards import ALWAYS, Guard, both
from lineage_hub.connectors.databricks.program.machine import Machine, Raised, Status
from lineage_hub.connectors.databricks.program.state import State, Trail
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    REST,
    Alternatives,
    ClassValue,
    DictValue,
    Instance,
    ListValue,
    Native,
    Unknown,
    Value,
)

Arm = tuple[Guard, Callable[[], Status]]


def truth(value: Value) -> bool | None:
    """True, False, or None where it can't be known."""
    if isinstance(value, str | int | float | bytes | None | complex | tuple):
        return bool(value)
    if isinstance(value, ListValue):
        items = value.cells["items"]
        return bool(items) if isinstance(items, tuple) else None
    if isinstance(value, DictValue):
        if any(key is not REST and not isinstance(one, Alternatives) for key, one in value.cells.items()):
            return True
        return None if value.cells else False
    if isinstance(value, Instance):
        return None if _has_own_truth(value.of) else True
    if isinstance(value, Unknown | Alternatives):
        return None
    return value.truth() if isinstance(value, Native) else True


def _has_own_truth(of: ClassValue, depth: int = 10) -> bool:
    if depth == 0 or "__bool__" in of.members.cells or "__len__" in of.members.cells or of.kind != "plain":
        return True
    return any(
        isinstance(one, Unknown) or (isinstance(one, ClassValue) and _has_own_truth(one, depth - 1)) for one in of.bases
    )


def decide(machine: Machine, condition: Value) -> list[tuple[Guard, bool]]:
    """The ways that a condition can go, each with the guard under which it goes there."""
    condition = machine.see(condition)
    if isinstance(condition, Alternatives):
        return _decide_each(machine, condition)
    known = truth(condition)
    if known is not None:
        return [(ALWAYS, known)]
    key: Hashable | None = condition.key if isinstance(condition, Unknown) else None
    positive = 1
    while isinstance(key, tuple) and len(key) == 2 and key[0] == "not":
        key, positive = key[1], 1 - positive
    decision = machine.decision() if key is None else key
    ways = [(frozenset([(decision, positive)]), True), (frozenset([(decision, 1 - positive)]), False)]
    return [(guard, way) for guard, way in ways if both(guard, machine.path) is not None]


def _decide_each(machine: Machine, condition: Alternatives) -> list[tuple[Guard, bool]]:
    ways: dict[bool, list[Guard]] = {True: [], False: []}
    for guard, option in condition.options:
        known = truth(option)
        if known is None:
            decision = machine.decision()
            ways[True].append(guard | {(decision, 1)})
            ways[False].append(guard | {(decision, 0)})
        else:
            ways[known].append(guard)
    if not ways[True] or not ways[False]:
        return [(ALWAYS, bool(ways[True]))]
    if len(ways[True]) == len(ways[False]) == 1:
        return [(ways[True][0], True), (ways[False][0], False)]
    decision = machine.decision()
    return [((guards[0] if len(guards) == 1 else ALWAYS) | {(decision, int(way))}, way) for way, guards in ways.items()]


def run_arms(machine: Machine, arms: Sequence[Arm]) -> Status:
    """Each arm from the same state; then one state for all that did not raise."""
    if len(arms) == 1 and not arms[0][0]:
        return arms[0][1]()
    base = machine.path
    born = machine.count_born()
    ended: list[tuple[Guard, Trail, Trail, Status, Guard]] = []
    raised: list[Raised] = []
    for guard, run in arms:
        machine.path = base | guard
        trail = machine.state.begin()
        try:
            status = run()
        except Raised as error:
            raised.append(error)
            status = Status.RAISE
        machine.state.trails.pop()
        now = State.now(trail)
        State.restore(trail)
        ended.append((guard, trail, now, status, machine.path))
    machine.path = base
    kept = [one for one in ended if one[3] is not Status.RAISE]
    if len(kept) < len(ended):
        machine.doubt += 1
    if not kept:
        raise raised[-1] if raised else Raised()
    machine.state.merge([(guard, old, after) for guard, old, after, _, _ in kept], born)
    ends = any(one.well for one in raised)
    if len(kept) > 1:
        status = _go_on(machine, base, [(guard, status, path) for guard, _, _, status, path in kept])
        machine.path |= {(machine.decision(), 0)} if ends else ALWAYS
    else:
        # The others raise: what goes on is this arm, as if there were no question; unless they are another good end.
        guard, _, _, status, path = kept[0]
        machine.path = path if ends else base | (path - guard)
    if ends:
        end_elsewhere(machine, machine.path - base)
    return status


def end_elsewhere(machine: Machine, going: Guard) -> None:
    """On another way the program is at its end: what goes on holds until the function's end, and after it."""
    left = machine.activation.left
    machine.activation.ends = True
    left[Status.RETURN] = left.get(Status.RETURN, ALWAYS) | going


def _go_on(machine: Machine, base: Guard, ends: list[tuple[Guard, Status, Guard]]) -> Status:
    going = [(guard, path) for guard, status, path in ends if status is Status.NEXT]
    leaving = {status for _, status, _ in ends if status is not Status.NEXT}
    if not leaving:
        if any(path != base | guard for guard, path in going):
            machine.path = base | {(machine.decision(), 0)}
        return Status.NEXT
    if not going:
        return next(iter(leaving)) if len(leaving) == 1 else max(leaving)
    machine.path = going[0][1] if len(going) == 1 else base | {(machine.decision(), 0)}
    for status in leaving:
        before = machine.activation.left.get(status, ALWAYS)
        machine.activation.left[status] = before | (machine.path - base)
    return Status.NEXT


def choose(machine: Machine, condition: Value, then: Callable[[], Value], other: Callable[[], Value]) -> Value:
    """A conditional expression."""
    ways = decide(machine, condition)
    if len(ways) == 1:
        return then() if ways[0][1] else other()
    return each(machine, [(guard, then if way else other) for guard, way in ways])


def each(machine: Machine, arms: Sequence[tuple[Guard, Callable[[], Value]]]) -> Value:
    """Expressions of which one is evaluated; their effects are joined like those of statements."""
    from lineage_hub.connectors.databricks.program.joins import join

    results: list[tuple[Guard, Value]] = []

    def arm(guard: Guard, expression: Callable[[], Value]) -> Callable[[], Status]:
        def run() -> Status:
            results.append((guard, expression()))
            return Status.NEXT

        return run

    run_arms(machine, [(guard, arm(guard, expression)) for guard, expression in arms])
    return join([one for one in results if one[1] is not ABSENT])
