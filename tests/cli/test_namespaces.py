"""`lineage-hub list-namespaces` and `get-namespace` show the namespaces of jobs and datasets."""

from lineage_hub.sample import Week
from tests.cli.conftest import Cli


def named_by(week: Week) -> dict[str, set[tuple[str, str]]]:
    """Namespaces of the events, each with its jobs and datasets."""
    found: dict[str, set[tuple[str, str]]] = {}
    for event in week.events:
        parts = [("job", event.get("job")), ("dataset", event.get("dataset"))]
        parts += [("dataset", one) for side in ("inputs", "outputs") for one in event.get(side) or ()]
        for kind, part in parts:
            if part is not None:
                found.setdefault(part["namespace"], set()).add((kind, part["name"]))
    return found


def test_every_namespace_of_the_events_is_listed_by_name(ask: Cli, week: Week) -> None:
    shown = ask("list-namespaces")
    assert (shown.code, shown.err) == (0, "")
    header, *rows = shown.out.splitlines()
    assert header.split() == ["NAMESPACE", "FIRST", "SEEN", "DESCRIPTION"]
    names = [row.split()[0] for row in rows]
    assert names == sorted(names)
    assert set(names) >= set(named_by(week))
    assert [one["name"] for one in ask("list-namespaces", "--json").json()["namespaces"]] == names


def test_what_a_list_leaves_out_is_counted(ask: Cli) -> None:
    whole = ask("list-namespaces").out.splitlines()[1:]
    page = ask("list-namespaces", "--limit", "2", "--offset", "1")
    assert [row.split()[0] for row in page.out.splitlines()[1:]] == [row.split()[0] for row in whole[1:3]]
    assert page.err.startswith(f"… {len(whole) - 3} more")


def test_one_is_shown_with_how_much_it_has(ask: Cli, week: Week) -> None:
    name, parts = next((name, parts) for name, parts in named_by(week).items() if name == "dbt-prod")
    shown = ask("get-namespace", name)
    assert shown.code == 0, shown.err
    fields = dict(line.split(maxsplit=1) for line in shown.out.splitlines() if len(line.split()) > 1)
    assert fields["name"] == name
    assert fields["jobs"] == str(len([one for one in parts if one[0] == "job"]))
    assert ask("get-namespace", name, "--json").json()["name"] == name


def test_a_namespace_with_slashes_is_found_and_one_that_is_not_there_is_not(ask: Cli) -> None:
    assert ask("get-namespace", "s3://bookshop-lake").code == 0
    missing = ask("get-namespace", "s3://nowhere")
    assert missing.code == 1
    assert "s3://nowhere" in missing.err
