// Which screen stands at which address. Each is loaded when it is first looked at.
import { type ComponentType, lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { Shell } from "./ui/Shell";
import { Loading } from "./ui/States";

type Loaded = Promise<{ default: ComponentType }>;

const SCREENS: [string, () => Loaded][] = [
  ["/", () => import("./screens/home")],
  ["/lineage", () => import("./screens/lineage")],
  ["/datasets", () => import("./screens/datasets")],
  ["/datasets/:namespace/:name", () => import("./screens/dataset")],
  ["/jobs", () => import("./screens/jobs")],
  ["/jobs/:namespace/:name", () => import("./screens/job")],
  ["/runs/:run", () => import("./screens/run")],
  ["/runs/:run/compare/:other", () => import("./screens/run-comparison")],
  ["/impact", () => import("./screens/impact")],
  ["/pipelines", () => import("./screens/pipelines")],
  ["/pipelines/runs/:run", () => import("./screens/pipeline-run")],
  ["/telemetry", () => import("./screens/telemetry")],
  ["/traces", () => import("./screens/traces")],
  ["/traces/:trace", () => import("./screens/trace")],
  ["/services", () => import("./screens/services")],
  ["/events", () => import("./screens/events")],
  ["/events/:event", () => import("./screens/event")],
  ["/dead-letters", () => import("./screens/dead-letters")],
  ["*", () => import("./screens/nowhere")],
];
const ROUTES = SCREENS.map(([path, load]) => ({ path, Screen: lazy(load) }));

export function App() {
  return (
    <Shell>
      <Suspense fallback={<Loading />}>
        <Switch>
          {ROUTES.map(({ path, Screen }) => (
            <Route key={path} path={path === "*" ? undefined : path}>
              <Screen />
            </Route>
          ))}
        </Switch>
      </Suspense>
    </Shell>
  );
}
