import { ChooseNode } from "./ChooseNode";
import { GraphScreen } from "./GraphScreen";
import { useView } from "./useView";

export default function Lineage() {
  const [view, change] = useView();
  return view.node === "" ? <ChooseNode /> : <GraphScreen view={view} change={change} />;
}
