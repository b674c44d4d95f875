"""match statements enter; each case runs where its pattern may match."""

from __future__ import annotations

import ast
from functools import partial

from lineage_hub.connectors.databricks.program.attributes import attribute, lineage_of
from lineage_hub.connectors.databricks.program.branches import decide, run_arms
from lineage_hub.connectors.databricks.program.classes import Marker
from lineage_hub.connectors.databricks.program.guards import ALWAYS
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine, Status
from lineage_hub.connectors.databricks.program.operators import compare
from lineage_hub.connectors.databricks.program.reflection import is_instance
from lineage_hub.connectors.databricks.program.scopes import bind
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    UNKNOWN,
    Alternatives,
    Arguments,
    ClassValue,
    DictValue,
    Instance,
    ListValue,
    Scope,
    Unknown,
    Value,
    is_constant,
)


def run_match(machine: Machine, node: ast.Match, scope: Scope) -> Status:
    subject = machine.see(machine.evaluate(node.subject, scope))
    ways = subject.options if isinstance(subject, Alternatives) else ((ALWAYS, subject),)
    return run_arms(machine, [(guard, partial(_run_cases, machine, node.cases, one, scope)) for guard, one in ways])


def _run_cases(machine: Machine, cases: list[ast.match_case], subject: Value, scope: Scope) -> Status:
    if not cases:
        return Status.NEXT
    case = cases[0]
    bindings: dict[str, Value] = {}
    answer = _matches(machine, case.pattern, subject, scope, bindings)

    def body() -> Status:
        for name, value in bindings.items():
            bind(machine, scope, name, value)
        if case.guard is None:
            return machine.execute(case.body, scope)
        ways = decide(machine, machine.evaluate(case.guard, scope))
        return run_arms(
            machine, [(guard, (lambda: machine.execute(case.body, scope)) if way else rest) for guard, way in ways]
        )

    def rest() -> Status:
        return _run_cases(machine, cases[1:], subject, scope)

    return run_arms(machine, [(guard, body if way else rest) for guard, way in decide(machine, answer)])


def _matches(machine: Machine, pattern: ast.pattern, subject: Value, scope: Scope, bindings: dict[str, Value]) -> Value:
    """True, False or something unknown; names are bound on the way."""
    if isinstance(pattern, ast.MatchAs):
        answer = True if pattern.pattern is None else _matches(machine, pattern.pattern, subject, scope, bindings)
        if pattern.name:
            bindings[pattern.name] = subject
        return answer
    if isinstance(pattern, ast.MatchValue):
        wanted = machine.evaluate(pattern.value, scope)
        return machine.lift(lambda one, other: compare(machine, ast.Eq(), one, other), subject, wanted)
    if isinstance(pattern, ast.MatchSingleton):
        return UNKNOWN if isinstance(subject, Unknown) else subject is pattern.value
    if isinstance(pattern, ast.MatchOr):
        return _matches_one(machine, pattern, subject, scope, bindings)
    if isinstance(pattern, ast.MatchSequence):
        return _matches_sequence(machine, pattern, subject, scope, bindings)
    if isinstance(pattern, ast.MatchMapping):
        return _matches_mapping(machine, pattern, subject, scope, bindings)
    if isinstance(pattern, ast.MatchClass):
        return _matches_class(machine, pattern, subject, scope, bindings)
    return UNKNOWN


def _matches_one(
    machine: Machine, pattern: ast.MatchOr, subject: Value, scope: Scope, bindings: dict[str, Value]
) -> Value:
    """The first of several that matches binds the names."""
    unsure = False
    for one in pattern.patterns:
        found: dict[str, Value] = {}
        answer = _matches(machine, one, subject, scope, found)
        if answer is False:
            continue
        for name, value in found.items():
            bindings[name] = unknown_of(bindings.get(name), value) if unsure else value
        if answer is True:
            return UNKNOWN if unsure else True
        unsure = True
    return UNKNOWN if unsure else False


def _matches_class(
    machine: Machine, pattern: ast.MatchClass, subject: Value, scope: Scope, bindings: dict[str, Value]
) -> Value:
    """str(), int(n), Feed("orders", brokers=b)"""
    wanted = machine.see(machine.evaluate(pattern.cls, scope))
    answers = [is_instance(machine, Arguments([subject, wanted]))]
    if answers[0] is False:
        return False
    if isinstance(subject, Instance):
        fields = [name for name, _ in subject.of.fields]
        names: list[str | None] = [*fields[: len(pattern.patterns)], *[None] * (len(pattern.patterns) - len(fields))]
    else:
        names = [""] if len(pattern.patterns) == 1 and _is_plain(subject) else [None] * len(pattern.patterns)
    inner = [*zip(names, pattern.patterns, strict=True), *zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)]
    for name, one in inner:
        if name is None or (name and not isinstance(subject, Instance)):
            value: Value = unknown_of(subject)
            answers.append(UNKNOWN)
        else:
            value = machine.see(attribute(machine, subject, name, pattern.cls.lineno)) if name else subject
        answers.append(_matches(machine, one, value, scope, bindings))
    return _together(answers)


def _is_plain(subject: Value) -> bool:
    """A builtin's own pattern, like str(text), binds the value itself."""
    return is_constant(subject) or isinstance(subject, ListValue | DictValue)


def _is_object(subject: Value) -> bool:
    """Of a class that is made of the program's classes alone: no mapping, and no sequence but a named tuple."""
    bases = (
        [base for one in lineage_of(subject.of) for base in one.bases] if isinstance(subject, Instance) else [UNKNOWN]
    )
    return all(isinstance(base, ClassValue | Marker) for base in bases)


def _together(answers: list[Value]) -> Value:
    if any(one is False for one in answers):
        return False
    return True if all(one is True for one in answers) else UNKNOWN


def _matches_sequence(
    machine: Machine, pattern: ast.MatchSequence, subject: Value, scope: Scope, bindings: dict[str, Value]
) -> Value:
    if isinstance(subject, str | bytes | DictValue) or (is_constant(subject) and not isinstance(subject, tuple)):
        return False
    if _is_object(subject) and isinstance(subject, Instance) and subject.of.kind != "namedtuple":
        return False
    items = members(machine, subject)
    star = next((index for index, one in enumerate(pattern.patterns) if isinstance(one, ast.MatchStar)), None)
    count = len(pattern.patterns)
    if items is None:
        items = tuple(unknown_of(subject) for _ in range(count))
        unsure: list[Value] = [UNKNOWN]
    elif (star is None and len(items) != count) or len(items) < count - 1:
        return False
    else:
        unsure = []
    if star is None:
        pairs = list(zip(pattern.patterns, items, strict=False))
    else:
        tail = count - star - 1
        rest = pattern.patterns[star]
        if isinstance(rest, ast.MatchStar) and rest.name:
            bindings[rest.name] = ListValue(items[star : len(items) - tail])
        pairs = list(zip(pattern.patterns[:star], items, strict=False))
        pairs += list(zip(pattern.patterns[star + 1 :], items[len(items) - tail :], strict=False))
    return _together([*unsure, *(_matches(machine, one, item, scope, bindings) for one, item in pairs)])


def _matches_mapping(
    machine: Machine, pattern: ast.MatchMapping, subject: Value, scope: Scope, bindings: dict[str, Value]
) -> Value:
    from lineage_hub.connectors.databricks.program.containers import dict_get

    if is_constant(subject) or isinstance(subject, ListValue) or _is_object(subject):
        return False
    answers: list[Value] = [] if isinstance(subject, DictValue) else [UNKNOWN]
    named: list[Value] = []
    for key, inner in zip(pattern.keys, pattern.patterns, strict=True):
        wanted = machine.evaluate(key, scope)
        value = dict_get(machine, subject, wanted) if isinstance(subject, DictValue) else unknown_of(subject)
        answers.append(False if value is ABSENT else _matches(machine, inner, value, scope, bindings))
        if value is not ABSENT and _may_lack(subject, wanted):
            answers.append(UNKNOWN)
        named.append(wanted)
    if pattern.rest:
        bindings[pattern.rest] = _without(subject, named)
    return _together(answers)


def _may_lack(subject: Value, key: Value) -> bool:
    """May a mapping be without a key that it may have?"""
    found = subject.cells.get(key, ABSENT) if isinstance(subject, DictValue) and isinstance(key, str | int) else ABSENT
    return found is ABSENT or (isinstance(found, Alternatives) and any(one is ABSENT for _, one in found.options))


def _without(subject: Value, keys: list[Value]) -> Value:
    if not isinstance(subject, DictValue) or not is_constant(tuple(keys)):
        return unknown_of(subject)
    return DictValue({key: value for key, value in subject.cells.items() if key not in keys})
