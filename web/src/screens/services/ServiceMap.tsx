import { useMemo } from "react";
import type { Schemas } from "../../api/client";
import { countText, percentText, shortText } from "../../model/numbers";
import { NANOSECONDS, rateText } from "../telemetry/units";
import { callKey } from "./layers";
import { layoutOf, NODE } from "./layout";
import { MapPane } from "./MapPane";
import { busiest, type ServiceFigures, strokeOf } from "./services";
import styles from "./ServiceMap.module.css";

interface Props {
  of: Schemas["ServiceMap"];
  figures: ServiceFigures[];
  chosen: string | null;
  onChoose: (name: string | null) => void;
}

const MOST_SERVICES = 150;

/** Services as boxes, callers left of what they call. */
export function ServiceMap({ of, figures, chosen, onChoose }: Props) {
  const { services, calls, hidden } = useMemo(() => busiest(of, MOST_SERVICES), [of]);
  const layout = useMemo(
    () =>
      layoutOf(
        services.map((service) => service.name),
        calls,
      ),
    [services, calls],
  );
  const byKey = useMemo(() => new Map(calls.map((call) => [callKey(call), call])), [calls]);
  const byName = useMemo(() => new Map(figures.map((one) => [one.name, one])), [figures]);
  const edges = layout.edges.flatMap((edge) => {
    const call = byKey.get(edge.key);
    if (!call) return [];
    const isNear = call.caller === chosen || call.callee === chosen;
    return [{ edge, call, look: isNear ? "near" : "plain" }];
  });
  return (
    <>
      <MapPane label="Service map" drawing={layout}>
        <svg
          width={layout.width}
          height={layout.height}
          className={styles.edges}
          aria-hidden="true"
          data-dim={chosen !== null || undefined}
        >
          <defs>
            {(["plain", "near"] as const).map((look) => (
              <marker
                key={look}
                id={`arrow-${look}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="9"
                markerHeight="9"
                markerUnits="userSpaceOnUse"
                orient="auto"
              >
                <path d="M0 0.5L8 4L0 7.5z" className={styles.head} data-look={look} />
              </marker>
            ))}
          </defs>
          {edges.map(({ edge, call, look }) => (
            <path
              key={edge.key}
              d={edge.path}
              className={styles.edge}
              data-look={look}
              strokeWidth={strokeOf(call.calls)}
              markerEnd={`url(#arrow-${look})`}
            >
              <title>{callText(call)}</title>
            </path>
          ))}
          {edges.map(({ edge, call, look }) => (
            <text
              key={edge.key}
              {...edge.middle}
              dy="-0.4em"
              textAnchor="middle"
              className={styles.calls}
              data-look={look}
            >
              {shortText(call.calls)}
              {call.errors > 0 && (
                <tspan className={styles.failed} dx="2">
                  {" "}
                  · {shortText(call.errors)} failed
                </tspan>
              )}
            </text>
          ))}
        </svg>
        {layout.nodes.map((node) => (
          <ServiceBox
            key={node.name}
            of={byName.get(node.name)}
            {...node}
            isChosen={node.name === chosen}
            onChoose={() => onChoose(node.name === chosen ? null : node.name)}
          />
        ))}
      </MapPane>
      {hidden > 0 && (
        <p className={styles.hidden}>
          The busiest {MOST_SERVICES} services are drawn; the table has the other {countText(hidden)} too.
        </p>
      )}
    </>
  );
}

function callText({ caller, callee, calls, errors, durationNs }: Schemas["ServiceMap"]["calls"][number]): string {
  const mean = NANOSECONDS.format(durationNs.mean);
  return `${caller} calls ${callee}: ${countText(calls)} times, ${countText(errors)} with errors, ${mean} on average`;
}

interface BoxProps {
  name: string;
  x: number;
  y: number;
  of?: ServiceFigures;
  isChosen: boolean;
  onChoose: () => void;
}

function ServiceBox({ name, x, y, of, isChosen, onChoose }: BoxProps) {
  return (
    <button
      type="button"
      className={styles.node}
      style={{ left: x, top: y, width: NODE.width, height: NODE.height }}
      aria-pressed={isChosen}
      title={name}
      onClick={onChoose}
    >
      <span className={styles.name}>{name || "without a name"}</span>
      {of && (
        <span className={styles.figures}>
          <span>{rateText(of.perSecond)}</span>
          <span data-bad={of.errors > 0 || undefined}>{percentText(of.errorRate)} errors</span>
        </span>
      )}
      <span className={styles.figures}>{of ? `p95 ${NANOSECONDS.format(of.durationNs.p95)}` : "\u00a0"}</span>
    </button>
  );
}
