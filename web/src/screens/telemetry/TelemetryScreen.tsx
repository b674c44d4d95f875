import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { paths } from "../../model/nodes";
import { useParams } from "../../model/params";
import { millis } from "../../model/times";
import { Button } from "../../ui/Button";
import { Screen } from "../../ui/Screen";
import { TimeRange, useStretch } from "../../ui/TimeRange";
import { inSameTime } from "./asked";
import styles from "./TelemetryScreen.module.css";

const PLACES = [
  ["Telemetry", paths.telemetry()],
  ["Traces", paths.traces()],
  ["Services", paths.services()],
] as const;

interface TimeOfScreen {
  /** As questions take it. */
  within: { from: string; to: string };
  stepS: number;
  /** As charts take it. */
  from: number;
  to: number;
  seconds: number;
  onStretch: (from: number, to: number) => void;
}

const Shared = createContext<TimeOfScreen | undefined>(undefined);

/** The stretch of time that everything on the screen speaks of. */
export function useTime(): TimeOfScreen {
  const time = useContext(Shared);
  if (!time) throw new Error("no screen of telemetry around this part");
  return time;
}

/** What the three screens of telemetry have in common: where one is, one stretch of time, and a look at the present. */
export function TelemetryScreen({ title, children }: { title: string; children: React.ReactNode }) {
  const [location] = useLocation();
  const [params] = useParams();
  const [turn, setTurn] = useState(0);
  const [stretch, range, choose, chooseBetween] = useStretch("24h", turn);
  const client = useQueryClient();
  const time = useMemo(() => {
    const [from, to] = [millis(stretch.from), millis(stretch.to)];
    const within = { from: stretch.from, to: stretch.to };
    return { within, stepS: stretch.stepS, from, to, seconds: (to - from) / 1000 };
  }, [stretch]);
  return (
    <Screen
      title={title}
      over={
        <nav aria-label="Telemetry" className={styles.places}>
          {PLACES.map(([name, path]) => (
            <Link key={path} href={inSameTime(path, params)} aria-current={location === path ? "page" : undefined}>
              {name}
            </Link>
          ))}
        </nav>
      }
      actions={
        <>
          <TimeRange value={range} onChoose={choose} />
          <Button
            onClick={() => {
              setTurn(turn + 1);
              // Within the same minute the questions stay the same: they are asked again.
              void client.invalidateQueries();
            }}
          >
            Refresh
          </Button>
        </>
      }
    >
      <Shared.Provider value={{ ...time, onStretch: chooseBetween }}>{children}</Shared.Provider>
    </Screen>
  );
}
