// What a person types becomes what the API is asked: words, and filters by `tag:`, `owner:`, `ns:`, `is:`, `state:`.
export interface Question {
  words: string;
  tags: string[];
  owners: string[];
  namespace: string | undefined;
  kind: "dataset" | "job" | undefined;
  states: string[];
  after: string | undefined;
  before: string | undefined;
  /** Filters that can't be understood, in words for who typed them. */
  faults: string[];
}

// A filter's value may stand in quotes; so may words, which mean nothing more by it.
const PARTS = /(?:(tag|owner|ns|namespace|is|state|after|before):)?(?:"([^"]*)"?|(\S+))/gi;
const STATES = ["NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED", "ACTIVE", "DELETED"];
const KINDS: Record<string, "dataset" | "job"> = {
  dataset: "dataset",
  datasets: "dataset",
  table: "dataset",
  job: "job",
  jobs: "job",
};
const DAY = /^\d{4}-\d{2}-\d{2}(T\S+)?$/;

export function parseQuestion(text: string): Question {
  const question: Question = {
    words: "",
    tags: [],
    owners: [],
    namespace: undefined,
    kind: undefined,
    states: [],
    after: undefined,
    before: undefined,
    faults: [],
  };
  const words: string[] = [];
  // A filter that has no value yet is being typed.
  const typed = text.replace(/(^|\s)(tag|owner|ns|namespace|is|state|after|before):(?=\s|$)/gi, "$1");
  for (const [, name, quoted, bare] of typed.matchAll(PARTS)) {
    const value = quoted ?? bare ?? "";
    if (value === "") continue;
    if (name === undefined) words.push(value);
    else take(question, name.toLowerCase(), value);
  }
  question.words = words.join(" ");
  return question;
}

function take(question: Question, name: string, value: string): void {
  if (name === "tag") question.tags.push(value);
  else if (name === "owner") question.owners.push(value);
  else if (name === "ns" || name === "namespace") question.namespace = value;
  else if (name === "is") {
    const kind = KINDS[value.toLowerCase()];
    if (kind) question.kind = kind;
    else if (!startsAny(value, Object.keys(KINDS)))
      question.faults.push(`is:${value} is unknown; use is:dataset or is:job`);
  } else if (name === "state") {
    for (const one of value.toUpperCase().split(",")) {
      if (STATES.includes(one)) question.states.push(one);
      else if (!startsAny(one, STATES))
        question.faults.push(
          `state:${one.toLowerCase()} is unknown; use failed, completed, running, aborted, new, active or deleted`,
        );
    }
  } else if (DAY.test(value)) question[name === "after" ? "after" : "before"] = value;
}

/** Half a word is no mistake: it is being typed. */
function startsAny(value: string, known: string[]): boolean {
  return known.some((one) => one.toLowerCase().startsWith(value.toLowerCase()));
}

/** The API finds by words, tags or owners; the other filters only narrow. */
export function canAsk(question: Question): boolean {
  return question.words !== "" || question.tags.length > 0 || question.owners.length > 0;
}

export function narrows(question: Question): boolean {
  return (
    Boolean(question.namespace ?? question.kind ?? question.after ?? question.before) || question.states.length > 0
  );
}

export function toParameters(question: Question, limit: number) {
  return {
    q: question.words || undefined,
    filter: question.kind,
    namespace: question.namespace,
    tag: question.tags.length ? question.tags : undefined,
    owner: question.owners.length ? question.owners : undefined,
    state: question.states.length ? question.states : undefined,
    after: question.after,
    before: question.before,
    limit,
  };
}
