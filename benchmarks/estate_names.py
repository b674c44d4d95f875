"""A seed and a size enter. Names of tables, files and topics as data teams have them leave, and mistakes in them."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _listed(text: str) -> list[str]:
    return text.split()


SUBJECTS = _listed(
    "account address agent asset balance basket billing booking branch budget campaign cancellation card carrier cart "
    "category charge checkout claim click client commission complaint consent contact contract conversion coupon "
    "courier credit currency customer delivery deposit device discount dispute driver employee engagement enrollment "
    "event exchange expense exposure feature feedback forecast fraud fulfilment gift identity impression incident "
    "inventory invoice item journey ledger lead license loan location login loyalty margin member merchant message "
    "meter offer onboarding opportunity order package parcel partner passenger patient payment payout payroll "
    "permission picking policy position premium price product profile promotion purchase quote rating receipt "
    "recommendation referral refund region registration renewal rental reservation retention return revenue review "
    "reward risk route sale schedule segment seller session settlement shift shipment signup sku statement stock "
    "store subscription supplier support survey task tax ticket tracking transaction transfer trial trip usage user "
    "vehicle vendor visit voucher wallet warehouse warranty webhook wishlist"
)
SHAPES = _listed(
    "daily weekly monthly hourly history snapshot current latest summary detail aggregate lookup mapping bridge "
    "facts events changes deltas backfill archive rollup attributes dimensions scores features metrics"
)
LAYERS = _listed("raw stg int dim fct mart rpt src ods agg ref")
SCHEMAS = _listed("analytics finance marketing operations logistics risk growth platform core staging reporting")
COLUMNS = _listed(
    "id created_at updated_at status amount currency country channel quantity unit_price discount is_active region "
    "email source_system batch_id valid_from valid_to external_reference note"
)
_ONSETS = _listed("b br c cl d dr f fl g gr h j k kl l m n p pl qu r s sk st t tr v w z")
_VOWELS = _listed("a e i o u ai ea io ou")
_ENDS = _listed("l m n r s t x nd rk")
_WORD = re.compile("[A-Za-z]+")
_PART = re.compile("[A-Z]?[a-z]+|[A-Z]+")


@dataclass(frozen=True, slots=True)
class Named:
    namespace: str
    name: str

    @property
    def node_id(self) -> str:
        return f"dataset:{self.namespace}:{self.name}"


@dataclass(frozen=True, slots=True)
class Mistake:
    """What somebody typed, and what was meant."""

    typed: str
    meant: Named


def _invented(rng: random.Random) -> str:
    """A customer, product, project or system: a word that few names have."""
    return "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(rng.randint(2, 3))) + rng.choice(_ENDS)


def estate(size: int, seed: int = 724) -> list[Named]:
    rng = random.Random(f"names {seed} {size}")
    own = sorted({_invented(rng) for _ in range(size // 8 + 20)})
    found: dict[Named, None] = {}
    while len(found) < size:
        subject, other, shape = rng.choice(SUBJECTS), rng.choice(SUBJECTS), rng.choice(SHAPES)
        special, schema, layer = rng.choice(own), rng.choice(SCHEMAS), rng.choice(LAYERS)
        style = rng.random()
        if style < 0.35:
            named = Named("snowflake://acme.eu-west-1", f"{schema}.{layer}_{special}_{subject}_{shape}")
        elif style < 0.55:
            named = Named("postgres://core-db.internal:5432", f"{special}.public.{subject}_{other}")
        elif style < 0.7:
            bucket = rng.choice(("landing", "curated", "sandbox"))
            named = Named(f"s3://acme-{bucket}", f"{schema}/{special}/{subject}_{shape}/v{rng.randint(1, 4)}")
        elif style < 0.85:
            named = Named("bigquery", f"acme-{schema}.{subject}_{other}.{layer}_{special}_{rng.randint(2019, 2026)}")
        elif style < 0.95:
            named = Named("kafka://broker-1:9092", f"{special}.{subject}-{other}.{shape}")
        else:
            named = Named(
                "hive://metastore:9083", f"{schema}.{special.capitalize()}{subject.capitalize()}{shape.capitalize()}"
            )
        found[named] = None
    return list(found)


def _edited(rng: random.Random, word: str) -> str:
    """With one letter more, one less, another one, or two that changed places."""
    while True:
        at, letter = rng.randrange(len(word)), rng.choice(LETTERS)
        edited = rng.choice(
            (
                word[:at] + letter + word[at:],
                word[:at] + word[at + 1 :],
                word[:at] + letter + word[at + 1 :],
                word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
            )
        )
        if edited != word:
            return edited


def whole_names_mistyped(names: list[Named], count: int, seed: int) -> Iterator[Mistake]:
    """Names of which one word of five letters or more has one mistake."""
    rng = random.Random(f"whole {seed}")
    while count:
        meant = rng.choice(names)
        long = [one for one in _WORD.finditer(meant.name) if len(one.group()) >= 5]
        if long:
            one = rng.choice(long)
            yield Mistake(meant.name[: one.start()] + _edited(rng, one.group()) + meant.name[one.end() :], meant)
            count -= 1


def words_mistyped(names: list[Named], count: int, seed: int, at_most: int = 3) -> Iterator[Mistake]:
    """One word of a name alone, with one mistake; one that so few names have that somebody expects to see it."""
    rng = random.Random(f"word {seed}")
    having = Counter(word for one in names for word in set(_words_of(one.name)))
    while count:
        meant = rng.choice(names)
        rare = [word for word in _words_of(meant.name) if len(word) >= 5 and having[word] <= at_most]
        if rare:
            yield Mistake(_edited(rng, rng.choice(rare)), meant)
            count -= 1


def _words_of(name: str) -> list[str]:
    return [part.lower() for word in _WORD.findall(name) for part in _PART.findall(word)]
