// What can be done in the picture; the same functions for as long as it is looked at.
import { createContext } from "react";
import type { Direction } from "./graph";

export interface Actions {
  /** Shows the details of a node. */
  select: (node: string) => void;
  expand: (direction: Direction, node: string) => void;
  open: (group: string) => void;
  hover: (column: string | null) => void;
  pin: (column: string) => void;
  toggleTall: (dataset: string) => void;
  toggleFold: (dataset: string) => void;
  chooseLine: (line: string) => void;
}

const nothing = () => undefined;

export const ActionsContext = createContext<Actions>({
  select: nothing,
  expand: nothing,
  open: nothing,
  hover: nothing,
  pin: nothing,
  toggleTall: nothing,
  toggleFold: nothing,
  chooseLine: nothing,
});
