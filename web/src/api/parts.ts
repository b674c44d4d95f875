// Large graphs are fetched and read by a worker, and come to the page in parts: none of them keeps it from answering.
import { BASE } from "./base";
import type { paths } from "./schema";

export type Asking = { id: number; url: string } | { drop: number };
export type Part =
  | { id: number; nodes: unknown[] }
  /** All but the nodes, when they are all there. */
  | { id: number; rest: Record<string, unknown> }
  /** What the hub said instead; null if it didn't answer. */
  | { id: number; refused: unknown };

type GraphPath = "/api/v1/lineage" | "/api/v1/column-lineage";
type Question<P extends GraphPath> = NonNullable<paths[P]["get"]["parameters"]["query"]>;
type Told = paths[GraphPath]["get"]["responses"][200]["content"]["application/json"];
/** Asked for another format, these routes answer with a text; here they never are. */
export type GraphAnswer<P extends GraphPath> = Exclude<
  paths[P]["get"]["responses"][200]["content"]["application/json"],
  string
>;

interface Waiting {
  nodes: unknown[];
  done: (answer: Told) => void;
  fail: (error: unknown) => void;
}

/** Where questions go to; a test has one of its own. */
export interface Channel {
  post: (asking: Asking) => void;
  listen: (take: (part: Part) => void, fail: () => void) => void;
}

export class PartsClient {
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(private readonly channel: Channel) {
    channel.listen(
      (part) => this.take(part),
      () => {
        for (const { fail } of this.waiting.values()) fail(new Error("no answer"));
        this.waiting.clear();
      },
    );
  }

  ask<P extends GraphPath>(path: P, question: Question<P>, signal: AbortSignal): Promise<GraphAnswer<P>> {
    const id = (this.last += 1);
    return new Promise((done, fail) => {
      this.waiting.set(id, { nodes: [], done: (answer) => done(answer as GraphAnswer<P>), fail });
      signal.addEventListener("abort", () => {
        if (!this.waiting.delete(id)) return;
        this.channel.post({ drop: id });
        fail(signal.reason);
      });
      this.channel.post({ id, url: addressOf(path, question) });
    });
  }

  private take(part: Part): void {
    const asked = this.waiting.get(part.id);
    if (!asked) return;
    if ("nodes" in part) {
      for (const node of part.nodes) asked.nodes.push(node);
      return;
    }
    this.waiting.delete(part.id);
    if ("rest" in part) asked.done({ ...part.rest, graph: asked.nodes } as Told);
    else asked.fail(part.refused ?? new Error("no answer"));
  }
}

export function addressOf(path: GraphPath, question: object, base = BASE): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(question)) if (value != null) search.set(name, String(value));
  return `${base.replace(/\/$/, "")}${path}?${search}`;
}

let client: PartsClient | undefined;

function workerChannel(): Channel {
  const worker = new Worker(new URL("./parts.worker.ts", import.meta.url), { type: "module" });
  return {
    post: (asking) => worker.postMessage(asking),
    listen: (take, fail) => {
      worker.onmessage = ({ data }: MessageEvent<Part>) => take(data);
      worker.onerror = () => {
        // The next question gets another one.
        client = undefined;
        fail();
      };
    },
  };
}

export function askInParts<P extends GraphPath>(path: P, question: Question<P>, signal: AbortSignal) {
  client ??= new PartsClient(workerChannel());
  return client.ask(path, question, signal);
}
