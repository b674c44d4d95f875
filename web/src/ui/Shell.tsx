import { lazy, Suspense, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { paths } from "../model/nodes";
import { Button } from "./Button";
import { ScreenGuard } from "./ScreenGuard";
import { ThemeButton } from "./ThemeButton";
import styles from "./Shell.module.css";

const loadSearch = () => import("../screens/search");
const SearchBox = lazy(loadSearch);

const PLACES: [string, string, string[]][] = [
  ["Home", paths.home(), []],
  ["Datasets", paths.datasets(), ["/lineage", "/impact"]],
  ["Jobs", paths.jobs(), ["/runs"]],
  ["Pipelines", paths.pipelines(), []],
  ["Telemetry", paths.telemetry(), ["/traces", "/services"]],
  ["Events", paths.events(), ["/dead-letters"]],
];

function isHere(location: string, path: string, others: string[]): boolean {
  if (path === "/") return location === "/";
  return [path, ...others].some((one) => location === one || location.startsWith(`${one}/`));
}

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);

/** What stands around every screen: where one can go, search, and the theme. */
export function Shell({ children }: { children: React.ReactNode }) {
  const [location] = useLocation();
  const [searching, setSearching] = useState(false);
  const [menu, setMenu] = useState(false);
  useEffect(() => setMenu(false), [location]);
  useEffect(() => {
    // There before it is asked for: who types on at once loses no letter.
    const timer = setTimeout(() => void loadSearch(), 500);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if ((event.key === "k" && (event.metaKey || event.ctrlKey)) || (event.key === "/" && !typing)) {
        event.preventDefault();
        setSearching(true);
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <div className={styles.shell}>
      <a
        className={styles.skip}
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        To the content
      </a>
      <header className={styles.side} data-open={menu}>
        <div className={styles.brand}>
          <Link href="/" aria-label="Lineage Hub, home">
            <img src="icon.svg" alt="" width="20" height="20" />
            <span>Lineage Hub</span>
          </Link>
          <Button
            look="bare"
            className={styles.menu}
            aria-expanded={menu}
            aria-controls="places"
            onClick={() => setMenu(!menu)}
          >
            Menu
          </Button>
        </div>
        <button
          type="button"
          className={styles.search}
          onClick={() => setSearching(true)}
          aria-keyshortcuts="Control+K Meta+K /"
        >
          <span>Search</span>
          <kbd aria-hidden="true">{isMac ? "⌘" : "Ctrl "}K</kbd>
        </button>
        <nav id="places" aria-label="Places">
          {PLACES.map(([title, path, others]) => (
            <Link key={path} href={path} aria-current={isHere(location, path, others) ? "page" : undefined}>
              {title}
            </Link>
          ))}
        </nav>
        <div className={styles.foot}>
          <a href="docs">API</a>
          <ThemeButton />
        </div>
      </header>
      <div className={styles.content}>
        <ScreenGuard key={location}>{children}</ScreenGuard>
      </div>
      {searching && (
        <Suspense>
          <SearchBox onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </div>
  );
}
