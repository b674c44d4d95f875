// Members of facets and events, which may hold anything: what has the wanted shape, or nothing.
export function at(value: unknown, ...path: string[]): unknown {
  let here = value;
  for (const name of path) {
    if (typeof here !== "object" || here === null || Array.isArray(here)) return undefined;
    here = (here as Record<string, unknown>)[name];
  }
  return here;
}

export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" && found !== "" ? found : undefined;
}
