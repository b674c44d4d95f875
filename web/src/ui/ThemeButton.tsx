import { useEffect } from "react";
import { useStored } from "../model/stored";
import { Button } from "./Button";

type Theme = "auto" | "light" | "dark";
const NEXT: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };

function isDark(theme: Theme): boolean {
  return theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
}

export function ThemeButton() {
  const [theme, setTheme] = useStored<Theme>("theme", "auto");
  useEffect(() => {
    const apply = () => {
      document.documentElement.dataset.theme = isDark(theme) ? "dark" : "light";
    };
    apply();
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", apply);
    return () => system.removeEventListener("change", apply);
  }, [theme]);
  return (
    <Button look="bare" onClick={() => setTheme(NEXT[theme])} title={`Theme: ${theme}`}>
      Theme: {theme}
    </Button>
  );
}
