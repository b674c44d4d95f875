// Facets that tell where a job's code is become an address to open, as far as one can be told.
import { textAt } from "../run/reading";

type Facets = Record<string, unknown>;

export interface Source {
  /** What stands there to read. */
  text: string;
  /** Only of the web: anything else would be run, not opened. */
  href: string | undefined;
  version: string | undefined;
}

export function sourceOf(facets: Facets, location: string | null = null): Source | undefined {
  const facet = facets["sourceCodeLocation"];
  const url = textAt(facet, "url") ?? location ?? undefined;
  const repository = textAt(facet, "repoUrl");
  const path = textAt(facet, "path");
  const version = textAt(facet, "version") ?? textAt(facet, "tag");
  const branch = textAt(facet, "branch");
  const text = url ?? (repository && path ? `${repository}: ${path}` : (repository ?? path));
  if (text === undefined) return undefined;
  return { text, href: webAddress(url) ?? blob(repository, path, version ?? branch), version: version ?? branch };
}

function webAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const address = new URL(text);
    return address.protocol === "https:" || address.protocol === "http:" ? address.href : undefined;
  } catch {
    return undefined;
  }
}

/** As the common forges spell it; `git@host:team/code.git` is `https://host/team/code`. */
function blob(repository: string | undefined, path: string | undefined, at: string | undefined): string | undefined {
  const spelled = repository?.replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, "https://$1/").replace(/\.git\/?$/, "");
  const home = webAddress(spelled)?.replace(/\/$/, "");
  if (home === undefined || path === undefined) return home;
  return `${home}/blob/${encodeURIComponent(at ?? "HEAD")}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

export interface SourceText {
  text: string;
  language: "sql" | "python" | "bash" | "text";
}

export function sqlOf(facets: Facets): string | undefined {
  return textAt(facets["sql"], "query");
}

export function codeOf(facets: Facets): SourceText | undefined {
  const text = textAt(facets["sourceCode"], "sourceCode") ?? textAt(facets["sourceCode"], "source");
  if (text === undefined) return undefined;
  const language = textAt(facets["sourceCode"], "language")?.toLowerCase() ?? "";
  const known = (["sql", "python", "bash"] as const).find((one) => language.includes(one));
  return { text, language: known ?? "text" };
}
