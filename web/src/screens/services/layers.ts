// Services and their calls enter; where each stands leaves: callers left of what they call, few crossings.
export interface Call {
  caller: string;
  callee: string;
}

export interface Layered {
  /** Names by layer, from callers to called; each name is in one. */
  layers: string[][];
  /** Calls that go back to an earlier layer, because services call each other in a circle. */
  back: Set<string>;
  /** Services that neither call nor are called. */
  alone: string[];
}

export function callKey({ caller, callee }: Call): string {
  return JSON.stringify([caller, callee]);
}

export function layered(names: string[], calls: Call[]): Layered {
  const between = calls.filter(({ caller, callee }) => caller !== callee);
  const joined = new Set(between.flatMap(({ caller, callee }) => [caller, callee]));
  const all = [...new Set([...names, ...joined])].sort((a, b) => (a < b ? -1 : 1));
  const connected = all.filter((name) => joined.has(name));
  const back = backCalls(connected, between);
  const depth = depths(
    connected,
    between.filter((call) => !back.has(callKey(call))),
  );
  const layers: string[][] = [];
  for (const name of connected) (layers[depth.get(name) ?? 0] ??= []).push(name);
  return { layers, back, alone: all.filter((name) => !joined.has(name)) };
}

function outgoing(calls: Call[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { caller, callee } of calls) found.set(caller, [...(found.get(caller) ?? []), callee]);
  return found;
}

/** Those that close a circle when one walks from services that nobody calls. */
function backCalls(names: string[], calls: Call[]): Set<string> {
  const called = new Set(calls.map((call) => call.callee));
  const targets = outgoing(calls);
  const back = new Set<string>();
  const state = new Map<string, "open" | "done">();
  for (const start of [...names.filter((name) => !called.has(name)), ...names]) {
    if (state.has(start)) continue;
    // A stack of its own: a chain of services may be longer than the language's.
    const way: { name: string; next: number }[] = [{ name: start, next: 0 }];
    state.set(start, "open");
    for (let here = way.at(-1); here; here = way.at(-1)) {
      const callee = targets.get(here.name)?.[here.next++];
      if (callee === undefined) {
        state.set(here.name, "done");
        way.pop();
      } else if (state.get(callee) === "open") back.add(callKey({ caller: here.name, callee }));
      else if (!state.has(callee)) {
        state.set(callee, "open");
        way.push({ name: callee, next: 0 });
      }
    }
  }
  return back;
}

/** The longest way to each from a service that nobody calls; the calls make no circle. */
function depths(names: string[], calls: Call[]): Map<string, number> {
  const targets = outgoing(calls);
  const waiting = new Map<string, number>();
  for (const { callee } of calls) waiting.set(callee, (waiting.get(callee) ?? 0) + 1);
  const depth = new Map<string, number>();
  const ready = names.filter((name) => !waiting.has(name));
  for (const name of ready) depth.set(name, 0);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    for (const callee of targets.get(name) ?? []) {
      depth.set(callee, Math.max(depth.get(callee) ?? 0, (depth.get(name) ?? 0) + 1));
      const left = (waiting.get(callee) ?? 1) - 1;
      waiting.set(callee, left);
      if (left === 0) ready.push(callee);
    }
  }
  return depth;
}
