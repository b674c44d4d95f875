import type { ButtonHTMLAttributes } from "react";
import styles from "./Button.module.css";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One of a screen is the main one. */
  look?: "main" | "plain" | "bare" | "danger";
  /** Pressed or not, for buttons that switch something on. */
  pressed?: boolean;
}

export function Button({ look = "plain", pressed, className, type = "button", ...rest }: Props) {
  const classes = [styles.button, styles[look], className].filter(Boolean).join(" ");
  return <button type={type} className={classes} aria-pressed={pressed} {...rest} />;
}
