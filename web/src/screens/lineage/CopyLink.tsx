import { useEffect, useState } from "react";
import { Button } from "../../ui/Button";

/** The address is read when it is pressed: it changes with the view. */
export function CopyLink() {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button onClick={() => void navigator.clipboard.writeText(window.location.href).then(() => setCopied(true))}>
      {isCopied ? "Copied" : "Copy link"}
    </Button>
  );
}
