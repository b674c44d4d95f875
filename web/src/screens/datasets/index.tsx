import { useEffect, useState } from "react";
import { query } from "../../api/client";
import { useParams } from "../../model/params";
import { Button } from "../../ui/Button";
import { Select, TextField } from "../../ui/Field";
import { Screen } from "../../ui/Screen";
import { BrowseList } from "./BrowseList";
import styles from "./datasets.module.css";
import type { Sort } from "./rows";
import { SearchList } from "./SearchList";
import { useNamespaces } from "./useBrowse";

const WAIT_MS = 200;
const SORTS = [
  { value: "name", title: "name" },
  { value: "updated", title: "last updated" },
  { value: "fields", title: "columns" },
];
const FOUND_SORTS = [
  { value: "best", title: "best match" },
  { value: "name", title: "name" },
  { value: "updated", title: "last updated" },
];

export default function Datasets() {
  const [params, change] = useParams();
  const words = params.get("q") ?? "";
  const tag = params.get("tag") ?? "";
  const namespace = params.get("ns");
  const asked = params.get("sort") ?? "";
  const isSearch = words !== "" || tag !== "";
  const sorts = isSearch ? FOUND_SORTS : SORTS;
  const sort = sorts.find((one) => one.value === asked)?.value ?? (isSearch ? "best" : "name");
  const isNarrowed = isSearch || namespace !== null;
  return (
    <Screen title="Datasets">
      <search className={styles.bar} aria-label="Datasets">
        <Words value={words} onChange={(q) => change({ q })} />
        <NamespaceChoice value={namespace ?? ""} onChoose={(ns) => change({ ns })} />
        <TagChoice value={tag} onChoose={(value) => change({ tag: value })} />
        <Select label="Sort by" choices={sorts} value={sort} onChoose={(value) => change({ sort: value })} />
        {isNarrowed && (
          <Button look="bare" onClick={() => change({ q: null, ns: null, tag: null })}>
            Show all
          </Button>
        )}
      </search>
      <div className={styles.list}>
        {isSearch ? (
          <SearchList words={words} tag={tag} namespace={namespace} sort={sort} />
        ) : (
          <BrowseList key={namespace ?? ""} namespace={namespace} sort={isSort(sort) ? sort : "name"} />
        )}
      </div>
    </Screen>
  );
}

function isSort(text: string): text is Sort {
  return SORTS.some((one) => one.value === text);
}

/** Typed words become part of the address, and are searched for, when typing pauses. */
function Words({ value, onChange }: { value: string; onChange: (words: string) => void }) {
  const [text, setText] = useState(value);
  const [told, setTold] = useState(value);
  if (value !== told) {
    // The address was changed by something else: a link, or the browser's Back.
    setTold(value);
    if (value !== text.trim()) setText(value);
  }
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim()), WAIT_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <TextField
      type="search"
      label="Filter"
      quiet
      className={styles.words}
      placeholder="Names, columns, descriptions, owners"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

interface ChoiceProps {
  value: string;
  onChoose: (value: string) => void;
}

function NamespaceChoice({ value, onChoose }: ChoiceProps) {
  const { data } = useNamespaces();
  const names = data?.namespaces.map((one) => one.name) ?? [];
  return (
    <Select
      label="Namespace"
      choices={choices("all", names, value)}
      value={value}
      onChoose={onChoose}
      className={styles.choice}
    />
  );
}

function TagChoice({ value, onChoose }: ChoiceProps) {
  const { data } = query.useQuery("get", "/api/v1/tags", { params: { query: { limit: 1_000 } } });
  const names = data?.tags.map((one) => one.name) ?? [];
  if (names.length === 0 && !value) return null;
  return (
    <Select
      label="Tag"
      choices={choices("any", names, value)}
      value={value}
      onChoose={onChoose}
      className={styles.choice}
    />
  );
}

/** What the address asks for can be seen and taken back, though the hub knows no such name. */
function choices(none: string, names: string[], value: string) {
  const known = !value || names.includes(value) ? names : [value, ...names];
  return [{ value: "", title: none }, ...known.map((name) => ({ value: name, title: name }))];
}
