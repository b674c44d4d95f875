"""Classes that other libraries or other code fill: their values are the right ones, or none."""

from __future__ import annotations

import pytest

from tests.connectors.databricks.program.reading_programs import topics

READ = 'spark.readStream.format("kafka").option("subscribe", {}).load()'


def topic_of(program: str, value: str) -> list[str]:
    (found,) = topics(f"{program}\n{READ.format(value)}\n")
    return found


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ('@attr.s(auto_attribs=True)\nclass F:\n    topic: str = "own"\n', 'F("given").topic'),
        ('@attrs.define\nclass F:\n    topic: str = "own"\n', 'F(topic="given").topic'),
        ('@attrs.frozen(slots=True)\nclass F:\n    name: str\n    topic: str = "given"\n', 'F("x").topic'),
        ('class F(BaseModel):\n    topic: str = "own"\n', 'F(topic="given").topic'),
        ('class F(BaseModel):\n    topic: str = Field("given", description="d")\n', "F().topic"),
        ('class B(BaseModel):\n    topic: str = "own"\nclass F(B):\n    n: int = 1\n', 'F(topic="given").topic'),
    ],
)
def test_values_that_an_object_is_made_with_go_before_those_of_its_class(made: str, wanted: str) -> None:
    assert topic_of(f"import attr, attrs\nfrom pydantic import BaseModel, Field\n{made}", wanted) == ["given"]


@pytest.mark.parametrize(
    ("made", "value"),
    [
        ('class S(BaseSettings):\n    topic: str = "own"\n', "S().topic"),
        ('class A(BaseSettings):\n    topic: str = "own"\nclass S(A):\n    n: int = 1\n', "S().topic"),
        ('class S(Elsewhere):\n    topic: str = "own"\n', 'S("given").topic'),
        ("class S(BaseModel):\n    topic: str = Field(default_factory=make)\n", "S().topic"),
    ],
)
def test_what_a_library_may_fill_otherwise_is_not_known(made: str, value: str) -> None:
    imports = (
        "from pydantic import BaseModel, Field\nfrom pydantic_settings import BaseSettings\nfrom x import Elsewhere"
    )
    assert topic_of(f"{imports}\n{made}", value) == ["unresolved"]


def test_a_setter_decides_what_a_property_becomes() -> None:
    program = """
class F:
    def __init__(self, topic):
        self.topic = topic

    @property
    def topic(self):
        return self._topic

    @topic.setter
    def topic(self, value):
        self._topic = f"dev.{value.lower()}"

f = F("A")
f.topic = "ORDERS"
"""
    assert topic_of(program, "f.topic") == ["dev.orders"]


def test_keywords_of_a_class_reach_the_hook_of_its_base() -> None:
    program = """
class Source:
    def __init_subclass__(cls, topic=None, **more):
        super().__init_subclass__(**more)
        cls.topic = topic or cls.__name__.lower()

class Orders(Source, topic="shop.orders"):
    pass

class Users(Source):
    pass
"""
    assert topic_of(program, "Orders.topic") == ["shop.orders"]
    assert topic_of(program, "Users.topic") == ["users"]


def test_a_class_may_be_made_by_a_call() -> None:
    program = """
class Base:
    topic = "none"

    def full(self):
        return f"dev.{self.topic}"

made = {name: type(name.title(), (Base,), {"topic": name}) for name in ("orders", "users")}
"""
    assert topic_of(program, 'made["users"]().full()') == ["dev.users"]
    assert topic_of("from x import Base\nC = type('C', (Base,), {'topic': 'a'})", "C.topic") == ["unresolved"]


DISPATCHED = """
from functools import singledispatch

@singledispatch
def topic(value):
    return "other"

@topic.register
def _(value: int):
    return f"int{value}"

@topic.register(str)
def _(value):
    return f"str.{value}"
"""


@pytest.mark.parametrize(
    ("value", "wanted"),
    [('"a"', "str.a"), ("3", "int3"), ("True", "intTrue"), ("[1]", "other"), ("spark.conf.get('x')", "unresolved")],
)
def test_a_function_of_several_types_is_the_one_for_the_type(value: str, wanted: str) -> None:
    assert topic_of(DISPATCHED, f"topic({value})") == [wanted]


def test_a_type_that_stands_for_others_leaves_open_which_function_runs() -> None:
    program = (
        DISPATCHED + "\nfrom collections.abc import Mapping\n@topic.register\ndef _(value: Mapping):\n    return 'm'\n"
    )
    assert topic_of(program, "topic({'a': 1})") == ["unresolved"]


def test_bases_are_looked_into_in_the_order_of_python() -> None:
    program = """
class A:
    env = "a"

    def topic(self):
        return "A" + self.env

class B(A):
    def topic(self):
        return "B" + super().topic()

class C(A):
    env = "c"

    def topic(self):
        return "C" + super().topic()

class D(B, C):
    pass
"""
    assert topic_of(program, "D().topic()") == ["BCAc"]


def test_a_comprehension_does_not_see_the_names_of_its_class() -> None:
    program = """
name, names = "outer", ["x"]

class K:
    name, names = "inner", ["y"]
    topics = [f"{name}.{one}" for one in names]
"""
    assert topic_of(program, '",".join(K.topics)') == ["outer.y"]


def test_members_that_a_metaclass_may_change_are_not_known() -> None:
    made = """
class Meta(type):
    def __new__(cls, name, bases, members):
        return super().__new__(cls, name, bases, {**members, "topic": name.lower()})

class Orders(metaclass=Meta):
    topic = "own"
"""
    assert topic_of(made, "Orders.topic") == ["unresolved"]
    once = made.replace("__new__(cls, name, bases, members)", "__call__(cls)")
    assert topic_of(once, "Orders.topic") == ["own"]


@pytest.mark.parametrize(
    ("program", "value", "wanted"),
    [
        ("class A:\n    def __init__(self):\n        self.t = 'a'\na = A()\na.__dict__.update(t='b')\n", "a.t", "b"),
        (
            "class A:\n    def __init__(self):\n        self.t = []\n"
            "    def __rshift__(self, one):\n        self.t.append(one)\n        return self\na = A() >> 'x' >> 'y'\n",
            "','.join(a.t)",
            "x,y",
        ),
        (
            "from functools import cached_property\nclass A:\n    n = 0\n    @cached_property\n    def t(self):\n"
            "        A.n += 1\n        return f't{A.n}'\na = A()\n",
            "a.t + a.t",
            "t1t1",
        ),
        ("from enum import Enum\nclass E(Enum):\n    A = 'x'\n    B = 'x'\n", "','.join(one.name for one in E)", "A"),
        ("class A:\n    t = 'a'\na = A()\na.t = 'b'\ndelattr(a, 't')\n", "a.t", "a"),
        ("class A:\n    def __setattr__(self, k, v):\n        pass\na = A()\na.t = 'b'\n", "a.t", "unresolved"),
        ("class A:\n    t = 'a'\n    def __getattribute__(self, k):\n        return 'b'\n", "A().t", "unresolved"),
    ],
)
def test_objects_behave_as_their_classes_say(program: str, value: str, wanted: str) -> None:
    assert ",".join(topic_of(program, value)) == wanted
