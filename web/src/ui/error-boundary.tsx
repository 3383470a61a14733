/** Confines a crash to its pane; the rest of the page keeps working, and text typed elsewhere is safe. */
import { Component, type ComponentChildren } from "preact";
import { t } from "../text/t.ts";
import { Button } from "./button.tsx";
import { toast } from "../store/toasts.ts";
import styles from "./error-boundary.module.css";

interface Props {
  /** Another value resets the boundary: what crashed in one place may work in the next. */
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
    // Report it like any other uncaught error.
    reportError(error);
  }

  override componentDidUpdate(before: Props): void {
    if (before.resetBy !== this.props.resetBy && this.state.error) this.setState({ error: undefined });
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <div class={styles.crashed} role="alert">
        <h2>{t("crash.title")}</h2>
        <p>{t("crash.text")}</p>
        <Button onClick={() => this.setState({ error: undefined })}>{t("ui.retry")}</Button>
      </div>
    );
  }
}

interface FloatBoundaryProps {
  /** Closes the crashed layer: a floating layer has no room for a notice. */
  onClose: () => void;
  /** Opens it again. */
  onRetry: () => void;
  children: ComponentChildren;
}

/** A boundary around a floating layer while it is open: on a crash it is closed, with an offer to reopen it. */
export class FloatBoundary extends Component<FloatBoundaryProps, State> {
  override state: State = { error: undefined };

  override componentDidCatch(error: Error): void {
    this.setState({ error });
    reportError(error);
    const { onClose, onRetry } = this.props;
    onClose();
    toast(t("crash.title"), { kind: "danger", action: { label: t("ui.retry"), run: onRetry } });
  }

  override render() {
    return this.state.error ? null : this.props.children;
  }
}
