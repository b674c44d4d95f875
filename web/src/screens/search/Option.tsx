import { shortName } from "../../model/nodes";
import { manyText } from "../../model/numbers";
import { Tag } from "../../ui/Badge";
import { KindMark } from "../../ui/NodeName";
import { Time } from "../../ui/Time";
import type { Entry, Result } from "./entries";
import { foundIn, type Piece } from "./marks";
import styles from "./Search.module.css";

interface Props {
  id: string;
  entry: Entry;
  isChosen: boolean;
  onHover: () => void;
  onOpen: (inLineage: boolean) => void;
}

export function Option({ id, entry, isChosen, onHover, onOpen }: Props) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      className={styles.option}
      // Only a pointer that moves chooses: a list that scrolls under a still one doesn't.
      onPointerMove={isChosen ? undefined : onHover}
      onClick={(event) => onOpen(event.ctrlKey || event.metaKey)}
    >
      {entry.as === "screen" ? (
        <>
          <span className={styles.name}>{entry.title}</span>
          <span className={styles.about}>{entry.note}</span>
        </>
      ) : (
        <PlaceLine entry={entry} />
      )}
    </div>
  );
}

function PlaceLine({ entry }: { entry: Extract<Entry, { as: "place" }> }) {
  const { place, result } = entry;
  const found = foundIn(place.name, place.namespace, result?.matches ?? []);
  return (
    <>
      <KindMark kind={place.kind} />
      <span className={styles.place}>
        <span className={styles.line}>
          <span className={styles.name} title={place.name}>
            {result ? <Marked pieces={found.name} /> : shortName(place.name)}
          </span>
          <span className="visually-hidden">, {place.kind}</span>
          {result?.deleted && <Tag>deleted</Tag>}
          {result?.namedOnly && <Tag>only named by others</Tag>}
        </span>
        <span className={styles.about}>
          <span className={styles.namespace}>
            <Marked pieces={found.namespace} />
          </span>
          {found.others.slice(0, 2).map((one) => (
            <span key={one.what + one.pieces.map((piece) => piece.text).join("")} className={styles.also}>
              {one.what} <Marked pieces={one.pieces} />
            </span>
          ))}
        </span>
      </span>
      {result && <Facts result={result} />}
    </>
  );
}

function Facts({ result }: { result: Result }) {
  const linked = result.type === "JOB" ? manyText(result.use.linked, "dataset") : manyText(result.use.linked, "job");
  return (
    <span className={styles.facts}>
      {result.tags.slice(0, 2).map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      <span className={styles.use}>
        {linked}, <Time at={result.use.lastAt} as="ago" />
      </span>
    </span>
  );
}

function Marked({ pieces }: { pieces: Piece[] }) {
  return pieces.map((piece, index) =>
    piece.hit ? <mark key={index}>{piece.text}</mark> : <span key={index}>{piece.text}</span>,
  );
}
