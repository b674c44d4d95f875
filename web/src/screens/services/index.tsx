import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { query } from "../../api/client";
import { manyText } from "../../model/numbers";
import { Section } from "../../ui/Section";
import { Loading } from "../../ui/States";
import { useAsked } from "../telemetry/asked";
import { NothingYet, NoTelemetry } from "../telemetry/HowToSend";
import { TelemetryScreen, useTime } from "../telemetry/TelemetryScreen";
import { ServiceCourse } from "./ServiceCourse";
import { ServiceMap } from "./ServiceMap";
import { figuresOf } from "./services";
import { ServiceTables } from "./ServiceTables";

const KEEP = { placeholderData: keepPreviousData } as const;

export default function Services() {
  return (
    <TelemetryScreen title="Services">
      <Content />
    </TelemetryScreen>
  );
}

function Content() {
  const { within, seconds } = useTime();
  const [params, ask] = useAsked();
  const map = query.useQuery("get", "/api/v1/telemetry/services", { params: { query: within } }, KEEP);
  const figures = useMemo(() => (map.data ? figuresOf(map.data, seconds) : []), [map.data, seconds]);
  if (map.error) return <NoTelemetry error={map.error} retry={() => void map.refetch()} />;
  if (!map.data) return <Loading />;
  if (map.data.services.length === 0) return <NothingYet what="span" />;
  const chosen = params.get("service");
  const choose = (name: string | null) => ask({ service: name, operation: null });
  return (
    <>
      <Section
        title="Who calls whom"
        note={`${manyText(map.data.services.length, "service")}; how long their spans take, at p95`}
        flush
      >
        <ServiceMap of={map.data} figures={figures} chosen={chosen} onChoose={choose} />
      </Section>
      {chosen && <ServiceCourse service={chosen} onClose={() => choose(null)} />}
      <ServiceTables figures={figures} calls={map.data.calls} onChoose={choose} />
    </>
  );
}
