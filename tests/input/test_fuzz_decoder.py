"""Whatever bytes arrive, the decoder refuses them or takes them, and what it takes has one id in every spelling."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.wire import Decoder
from tests.hub_process import clean_environment
from tests.oracle.build import Body
from tests.oracle.identity import event_id, parse
from tests.properties.sizes import SOAK, TIMEOUT_S, examples
from tests.strategies import Sent, events, spellings

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
RECORDINGS = ROOT / "tests" / "fixtures" / "recordings"
SECONDS, RUNS = (3600, 50_000_000) if SOAK else (20, 20_000)
DATASET = '{"namespace":"n","name":"d","facets":{%s},"inputFacets":{"a":{}},"outputFacets":{"b":{}}}'
TOKENS = [
    "eventTime", "eventType", "producer", "run", "runId", "job", "dataset", "inputs", "outputs", "namespace", "name",
    "facets", "inputFacets", "outputFacets", "schema", "columnLineage", "symlinks", "lifecycleStateChange", "version",
    "parent", "jobType", "sourceCodeLocation", "_deleted", "previousIdentifier", "inputFields", "transformations",
    "processingType", "STREAMING", "RENAME", "DROP", "identifiers", "START", "COMPLETE", "2026-03-01T00:00:00Z",
    "datasetVersion", "lineageHub_inferred", "nominalTime", "fields", "root",
]  # fmt: skip
LITERALS = ["{}", "[]", "null", "true", "-0", "1e400", "1.0", "12345678901234567890", "\\ud83d", "\\u0000", "NaN"]


@pytest.mark.timeout(SECONDS + 120)
def test_the_fuzzer_finds_no_bytes_that_the_decoder_neither_takes_nor_refuses(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    for number, raw in enumerate(seed_events()):
        (seeds / f"{number:04d}").write_bytes(raw)
    words = tmp_path / "words"
    words.write_text("\n".join(f'"{escaped(token)}"' for token in [*(f'"{t}"' for t in TOKENS), *LITERALS]))
    command = [sys.executable, "-m", "tests.input.fuzz_decoder", str(seeds), f"-dict={words}", "-seed=1"]
    command += [f"-runs={RUNS}", f"-max_total_time={SECONDS}", "-max_len=8192", "-timeout=20", "-rss_limit_mb=2048"]
    command += [f"-artifact_prefix={tmp_path}/"]
    fuzzed = subprocess.run(
        command, cwd=ROOT, env=clean_environment(), capture_output=True, timeout=SECONDS + 90, check=False
    )
    said = fuzzed.stderr.decode(errors="replace")
    assert fuzzed.returncode == 0, said[-5000:]
    done = re.search(r"Done (\d+) runs", said)
    assert done, said[-2000:]
    assert int(done[1]) >= 1000, "the fuzzer hardly ran"


def seed_events() -> list[bytes]:
    facets = [
        '"schema":{"fields":[{"name":"a","type":"INT"}]}',
        '"columnLineage":{"fields":{"a":{"inputFields":[{"namespace":"n","name":"s","field":"f"}]}}}',
        '"symlinks":{"identifiers":[{"namespace":"n","name":"t","type":"TABLE"}]}',
        '"lifecycleStateChange":{"lifecycleStateChange":"RENAME","previousIdentifier":{"namespace":"n","name":"o"}}',
        '"version":{"datasetVersion":"1"},"x":{"_deleted":true,"n":-1.50e3}',
    ]
    start = '{"eventTime":"2026-03-01T00:00:00.123456789+01:00","producer":"p",'
    made = [start + f'"dataset":{DATASET % facet}}}' for facet in facets]
    made += [start + f'"job":{DATASET % facet},"inputs":[{DATASET % facet}]}}' for facet in facets]
    parent = '"parent":{"run":{"runId":"p"},"job":{"namespace":"n","name":"p"}}'
    run = f'"eventType":"START","run":{{"runId":"r","facets":{{{parent}}}}},"job":{{"namespace":"n","name":"j"}}'
    made += [start + run + f',"outputs":[{DATASET % facet}]}}' for facet in facets]
    recorded = [line for path in sorted(RECORDINGS.glob("*.ndjson")) for line in path.read_bytes().splitlines()]
    return [text.encode() for text in made] + sorted(recorded, key=len)[:40]


def escaped(token: str) -> str:
    return token.replace("\\", "\\\\").replace('"', '\\"')


@pytest.mark.timeout(TIMEOUT_S)
@examples(300, 20_000)
@given(events, st.data())
def test_the_id_of_an_event_is_that_of_the_oracle_in_every_spelling(body: Body, data: st.DataObject) -> None:
    sent = Sent("default", body)
    raw, other = sent.raw, data.draw(spellings(sent))
    expected = event_id("default", parse(raw))
    for decoder in (Decoder(), Decoder(recent=0)):
        assert decoder.decode(raw, "default").event_id.hex() == expected
        assert decoder.decode(other, "default").event_id.hex() == expected


def test_the_ids_of_recorded_events_are_those_of_the_oracle() -> None:
    decoder = Decoder()
    for path in sorted(RECORDINGS.glob("*.ndjson")):
        for line in path.read_bytes().splitlines():
            for tenant in ("default", "team-a"):
                expected = event_id(tenant, parse(line))
                assert decoder.decode(line, tenant).event_id.hex() == expected
            pretty = json.dumps(json.loads(line), indent=2, ensure_ascii=False).encode()
            if parse(pretty) == parse(line):  # floats may be written otherwise
                assert decoder.decode(pretty, tenant).event_id.hex() == expected
