import { keepPreviousData } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { query } from "../../api/client";
import { paths, shortName } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { useParams } from "../../model/params";
import { millis } from "../../model/times";
import { Select } from "../../ui/Field";
import { Screen } from "../../ui/Screen";
import { Section } from "../../ui/Section";
import { Answer } from "../../ui/States";
import { TimeChart } from "../../ui/TimeChart";
import { Beginning } from "./Beginning";
import { Health } from "./Health";
import { Lists } from "./Lists";
import { isEmpty, type Overview, stretchText, verdict } from "./overview";
import { Places } from "./Places";
import { useSample } from "./useSample";
import styles from "./Home.module.css";

const HOURS = [
  { value: "6", title: "last 6 hours" },
  { value: "24", title: "last 24 hours" },
  { value: "72", title: "last 3 days" },
  { value: "168", title: "last 7 days" },
];
const ASK_AGAIN_MS = 15_000;
/** An empty hub is watched closely, as its first event is to be seen at once; so is one that still looks around. */
const SOON_MS = 2_000;

export default function Home() {
  const [params, setParams] = useParams();
  const asked = params.get("hours") ?? "24";
  const hours = HOURS.some((one) => one.value === asked) ? asked : "24";
  const load = useSample();
  const loaded = load.data;
  const overview = query.useQuery(
    "get",
    "/api/v1/overview",
    { params: { query: { hours: Number(hours) } } },
    {
      refetchInterval: ({ state: { data } }) => (data && (isEmpty(data) || data.truncated) ? SOON_MS : ASK_AGAIN_MS),
      placeholderData: keepPreviousData,
    },
  );
  const isThere = overview.data !== undefined;
  // A link to a part of this screen leads there once the part is there.
  useEffect(() => {
    const part = window.location.hash.slice(1);
    if (isThere && part) document.getElementById(part)?.scrollIntoView();
  }, [isThere]);
  // While sample data comes in, the hub is no longer empty, and not yet what it will be.
  const isNew = load.isPending || (overview.data !== undefined && isEmpty(overview.data));
  return (
    <Screen
      title="Home"
      heading={overview.data && <Heading told={overview.data} isNew={isNew} />}
      over={
        overview.data &&
        !isNew && (
          <>
            <span>{stretchText(overview.data.hours)}</span>
            {overview.data.truncated && (
              <span className={styles.looking} role="status">
                still looking through what there is
              </span>
            )}
          </>
        )
      }
      actions={
        !isNew && (
          <Select label="Time" quiet choices={HOURS} value={hours} onChoose={(value) => setParams({ hours: value })} />
        )
      }
    >
      {loaded && (
        <p className={styles.loaded} role="status">
          {manyText(loaded.events, "event")} {loaded.spans ? `and ${manyText(loaded.spans, "span")} ` : ""}of a
          bookshop's week are loaded. Begin with{" "}
          <Link href={paths.lineage(loaded.node)}>
            the lineage of {shortName(loaded.node.slice(loaded.node.lastIndexOf(":") + 1))}
          </Link>
          .
        </p>
      )}
      <Answer of={overview} label="Asking how everything is">
        {(told) => (isNew ? <Beginning load={load} /> : <Filled told={told} search={`?hours=${hours}`} />)}
      </Answer>
    </Screen>
  );
}

/** Is everything all right? The answer is the heading. */
function Heading({ told, isNew }: { told: Overview; isNew: boolean }) {
  if (isNew) return "This hub is ready, and has no events yet";
  const { tone, sentence } = verdict(told);
  return (
    <span className={styles.verdict} data-tone={tone}>
      {sentence}
    </span>
  );
}

function Filled({ told, search }: { told: Overview; search: string }) {
  const perHour = told.events.perHour.map((one) => ({ at: millis(one.from), value: one.events }));
  return (
    <>
      <Health told={told} search={search} />
      <div className={styles.parts}>
        <Lists told={told} />
        <div className={styles.part}>
          <Section title="Events per hour" note={`in ${stretchText(told.hours)}`}>
            <TimeChart
              label="Events per hour"
              as="bars"
              stepS={3600}
              height={160}
              series={[{ name: "events", points: perHour, color: "--accent" }]}
            />
          </Section>
        </div>
        <div className={styles.part}>
          <Places />
        </div>
      </div>
    </>
  );
}
