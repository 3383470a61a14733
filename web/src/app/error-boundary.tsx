/** A crash stays in the pane it happened in; the rest of the page goes on, and so does what was typed elsewhere. */
import { Component, type ComponentChildren } from "preact";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import styles from "./error-boundary.module.css";

interface Props {
  /** Another value starts afresh: what crashed in one place may do well in the next. */
  resetBy?: string;
  children: ComponentChildren;
}

interface State {
  error: Error | undefined;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined };

  override componentDidCatch(error: Error): void {
    this.setState({ error });
    // Whoever looks for the cause finds it where all others are.
    reportError(error);
  }

  override componentDidUpdate(before: Props): void {
    if (before.resetBy !== this.props.resetBy && this.state.error) this.setState({ error: undefined });
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <div class={styles["crashed"]} role="alert">
        <h2>{t("crash.title")}</h2>
        <p>{t("crash.text")}</p>
        <Button onClick={() => this.setState({ error: undefined })}>{t("ui.retry")}</Button>
      </div>
    );
  }
}
