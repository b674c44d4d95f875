"""Loops enter; over known values they are run turn by turn, over unknown ones their effects are made unknown."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from lineage_hub.connectors.databricks.program.branches import decide, end_elsewhere, run_arms
from lineage_hub.connectors.databricks.program.budget import UNROLLED
from lineage_hub.connectors.databricks.program.guards import ALWAYS, Guard
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine, Raised, Status
from lineage_hub.connectors.databricks.program.reads import Ledger
from lineage_hub.connectors.databricks.program.state import State
from lineage_hub.connectors.databricks.program.targets import assign
from lineage_hub.connectors.databricks.program.values import Alternatives, ListValue, Scope, Unknown, Value

_ENDLESS = 40  # turns of `while True` before it is taken for endless


def run_for(machine: Machine, node: ast.For | ast.AsyncFor, scope: Scope) -> Status:
    iterable = machine.see(machine.evaluate(node.iter, scope))
    if isinstance(iterable, ListValue) and isinstance(iterable.cells["items"], Alternatives):
        iterable = machine.see(iterable.cells["items"])
    if isinstance(iterable, Alternatives):
        return run_arms(
            machine,
            [(guard, partial(_run_over, machine, node, scope, one)) for guard, one in iterable.options],
        )
    return _run_over(machine, node, scope, iterable)


def _run_over(machine: Machine, node: ast.For | ast.AsyncFor, scope: Scope, iterable: Value) -> Status:
    items = members(machine, iterable)
    start = machine.path
    if items is None or len(items) > UNROLLED:
        if items is not None:
            machine.problem(node.lineno, f"a loop of {len(items)} turns is not followed turn by turn")

        unknown = Unknown(unknown_of(iterable).inputs, key=("item", machine.decision()))

        def turn() -> Status:
            assign(machine, node.target, unknown, scope)
            return machine.execute(node.body, scope)

        status = run_unknown(machine, turn)
        return status if status is not Status.NEXT else machine.execute(node.orelse, scope)
    broken = False
    for item in items:
        machine.budget.step()
        assign(machine, node.target, item, scope)
        status = _turn(machine, lambda: machine.execute(node.body, scope))
        if status is Status.BREAK:
            broken = True
            break
        if status in (Status.RETURN, Status.RAISE):
            return status
    if broken:
        end_loop(machine, start)
        return Status.NEXT
    return _otherwise(machine, node, scope, start)


def _otherwise(machine: Machine, node: ast.For | ast.AsyncFor | ast.While, scope: Scope, start: Guard) -> Status:
    """The else of a loop; where a break may have come, it may not run."""
    unsure = bool(machine.activation.left.get(Status.BREAK, ALWAYS) - start)
    end_loop(machine, start)
    if not unsure or not node.orelse:
        return machine.execute(node.orelse, scope)
    decision = machine.decision()
    ways = [(frozenset([(decision, 1)]), lambda: machine.execute(node.orelse, scope))]
    return run_arms(machine, [*ways, (frozenset([(decision, 0)]), lambda: Status.NEXT)])


def _turn(machine: Machine, run: Callable[[], Status]) -> Status:
    """One turn; where an arm went on to the next turn, that no longer counts after it."""
    start = machine.path
    left = machine.activation.left
    before = dict(left)
    left[Status.RETURN] = left[Status.BREAK] = ALWAYS
    status = run()
    stays = left[Status.RETURN] | left[Status.BREAK]
    for kind in (Status.RETURN, Status.BREAK):
        left[kind] = before.get(kind, ALWAYS) | left[kind]
    machine.path = start | stays
    return Status.NEXT if status is Status.CONTINUE else status


def end_loop(machine: Machine, start: Guard) -> None:
    left = machine.activation.left
    machine.path = start | (machine.path & left.get(Status.RETURN, ALWAYS))
    left[Status.BREAK] = ALWAYS


def run_while(machine: Machine, node: ast.While, scope: Scope) -> Status:
    start = machine.path
    turns = 0
    endless = isinstance(node.test, ast.Constant)
    while True:
        ways = decide(machine, machine.evaluate(node.test, scope))
        if len(ways) > 1 or turns >= (_ENDLESS if endless else UNROLLED):
            if len(ways) == 1 and not endless:
                machine.problem(node.lineno, f"a loop of more than {UNROLLED} turns is not followed turn by turn")

            def turn() -> Status:
                machine.evaluate(node.test, scope)
                return machine.execute(node.body, scope)

            status = run_unknown(machine, turn)
            return status if status is not Status.NEXT else machine.execute(node.orelse, scope)
        if not ways[0][1]:
            break
        turns += 1
        machine.budget.step()
        status = _turn(machine, lambda: machine.execute(node.body, scope))
        if status is Status.BREAK:
            end_loop(machine, start)
            return Status.NEXT
        if status in (Status.RETURN, Status.RAISE):
            return status
    return _otherwise(machine, node, scope, start)


def run_unknown(machine: Machine, turn: Callable[[], Status]) -> Status:
    """A loop that runs no one knows how often: what a turn changes is unknown before it, too."""
    start = machine.path
    decision = machine.decision()
    if not machine.rehearsing:
        _rehearse(machine, turn)

    def once() -> Status:
        status = turn()
        return Status.NEXT if status in (Status.BREAK, Status.CONTINUE) else status

    activation = machine.activation
    ended, activation.ends = activation.ends, False
    status = run_arms(machine, [(frozenset([(decision, 1)]), once), (frozenset([(decision, 0)]), lambda: Status.NEXT)])
    machine.path = start | (machine.path & activation.left.get(Status.RETURN, ALWAYS))
    if activation.ends:
        going = frozenset([(machine.decision(), 0)])
        machine.path |= going
        end_elsewhere(machine, going)
    activation.ends |= ended
    return status


def _rehearse(machine: Machine, turn: Callable[[], Status]) -> None:
    """One turn whose reads don't count, to see what it changes."""
    ledger, flows, path = machine.ledger, list(machine.flows), machine.path
    left, ends = dict(machine.activation.left), machine.activation.ends
    returns, yields = list(machine.activation.returns), list(machine.activation.yields)
    machine.ledger, machine.rehearsing = Ledger(), True
    trail = machine.state.begin()
    try:
        turn()
    except Raised:
        pass
    finally:
        machine.rehearsing = False
        problems = machine.ledger.problems
        machine.ledger, machine.flows, machine.path = ledger, flows, path
    ledger.problems.extend(one for one in problems if one not in ledger.problems)
    machine.activation.left, machine.activation.ends = left, ends
    machine.activation.returns, machine.activation.yields = returns, yields
    machine.state.trails.pop()
    now = State.now(trail)
    State.restore(trail)
    machine.state.forget(trail, now)
