// What can be done with a dataset or a job, the same and in the same order on both of their screens.
import { nodeId, paths } from "../model/nodes";
import { type Place, useStars } from "../model/places";
import { Button } from "./Button";
import { LinkButton } from "./LinkButton";

export function PlaceActions({ of }: { of: Place }) {
  const { isStarred, toggle } = useStars();
  const starred = isStarred(of);
  const node = nodeId(of.kind, of);
  return (
    <>
      <Button pressed={starred} onClick={() => toggle(of)}>
        <span aria-hidden="true">{starred ? "★" : "☆"}</span>
        Star
      </Button>
      <LinkButton href={paths.impact(node)}>Impact</LinkButton>
      <LinkButton look="main" href={paths.lineage(node)}>
        Lineage
      </LinkButton>
    </>
  );
}
