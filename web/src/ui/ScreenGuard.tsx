import { Component } from "react";
import { Button } from "./Button";
import styles from "./States.module.css";

interface Props {
  children: React.ReactNode;
}

/** A screen that breaks says so, and leaves the rest of the page usable. */
export class ScreenGuard extends Component<Props, { error: Error | undefined }> {
  override state = { error: undefined as Error | undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <main id="main" tabIndex={-1} className={styles.error} role="alert">
        <p>This screen could not be drawn: {this.state.error.message}</p>
        <p className={styles.action}>Load the page again; if that doesn't help, its address is worth a report.</p>
        <Button onClick={() => window.location.reload()}>Load again</Button>
      </main>
    );
  }
}
