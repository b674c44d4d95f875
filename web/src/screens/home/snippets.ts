// How the first event is sent, for each kind of producer. The texts stand in files of their own: tests run them.
import airflow from "./snippets/airflow.txt?raw";
import dbt from "./snippets/dbt.txt?raw";
import otlp from "./snippets/otlp.txt?raw";
import python from "./snippets/python.txt?raw";
import spark from "./snippets/spark.txt?raw";

export type SnippetKey = "python" | "spark" | "airflow" | "dbt" | "otlp";

interface Snippet {
  key: SnippetKey;
  title: string;
  about: string;
  language: "python" | "bash";
  text: string;
}

export const SNIPPETS: [Snippet, ...Snippet[]] = [
  {
    key: "python",
    title: "Python",
    about: "One line a function. Nothing that happens to the hub breaks or slows it, and no event is lost.",
    language: "python",
    text: python,
  },
  {
    key: "spark",
    title: "Spark",
    about: "OpenLineage's listener tells of every job, in Scala, Java or Python, without a change to it.",
    language: "bash",
    text: spark,
  },
  {
    key: "airflow",
    title: "Airflow",
    about: "Each task tells of its runs, with the datasets that its operator knows of.",
    language: "bash",
    text: airflow,
  },
  {
    key: "dbt",
    title: "dbt",
    about: "dbt-ol runs dbt as it is, and tells of every model and test.",
    language: "bash",
    text: dbt,
  },
  {
    key: "otlp",
    title: "OpenTelemetry",
    about: "Traces, metrics and logs go to the same address, and are joined to the runs that they belong to.",
    language: "bash",
    text: otlp,
  },
];

/** OpenLineage's clients join an address and a path: without the slash at its end a prefix would get lost. */
export function addressOf(origin: string, base: string): string {
  return base === "/" ? origin : `${origin}${base}`;
}

export function snippetText(text: string, url: string): string {
  return text.replaceAll("{url}", url).trimEnd();
}
