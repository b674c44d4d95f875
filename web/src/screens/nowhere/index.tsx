import { Link } from "wouter";
import { Screen } from "../../ui/Screen";
import { Empty } from "../../ui/States";

export default function Nowhere() {
  return (
    <Screen title="Nothing here">
      <Empty action={<Link href="/">To the home screen</Link>}>
        No screen has this address. Names in addresses are escaped: a slash in a name is %2F.
      </Empty>
    </Screen>
  );
}
