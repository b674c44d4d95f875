import { samePlace, useRecent, useStars } from "../../model/places";
import { NodeName } from "../../ui/NodeName";
import { Section } from "../../ui/Section";
import styles from "./Home.module.css";

const MOST = 10;

/** What this person starred and looked at last, kept in this browser. */
export function Places() {
  const { stars } = useStars();
  const recent = useRecent().filter((place) => !stars.some((star) => samePlace(star, place)));
  return (
    <Section title="Starred and recent" note="in this browser">
      {stars.length + recent.length === 0 ? (
        <p className={styles.quiet}>Datasets and jobs that you look at are listed here; a star keeps them on top.</p>
      ) : (
        <ul className={styles.places} aria-label="Starred and recent">
          {[...stars, ...recent].slice(0, Math.max(MOST, stars.length)).map((place, at) => (
            <li key={`${place.kind} ${place.namespace} ${place.name}`}>
              <NodeName kind={place.kind} of={place} />
              {at < stars.length && (
                <span className={styles.star} title="starred">
                  <span aria-hidden="true">★</span>
                  <span className="visually-hidden">starred</span>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
