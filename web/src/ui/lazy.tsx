/** A part of the client that is loaded when it is first shown. */
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { checkForRelease } from "../store/release.ts";
import { Failure } from "./failure.tsx";
import { Skeleton } from "./skeleton.tsx";

interface LazyProps<P> {
  /** A file whose default export is the component. */
  load: () => Promise<{ default: ComponentType<P> }>;
  props: P;
  /** Skeleton rows shown while loading. */
  rows?: number;
  /** Rendered after the part, once it is loaded. */
  beside?: ComponentChildren;
  /** Called when it could not be loaded, and when it is unmounted. */
  onGone?: () => void;
}

const loaded = new Map<unknown, unknown>();

export function Lazy<P>({ load, props, rows = 0, beside, onGone }: LazyProps<P>) {
  const [part, setPart] = useState(() => loaded.get(load) as ComponentType<P> | undefined); // stored below
  const [error, setError] = useState<unknown>();
  const start = (): void => {
    setError(undefined);
    load()
      .then(({ default: component }) => {
        loaded.set(load, component);
        setPart(() => component);
      })
      .catch((failure: unknown) => {
        setError(failure);
        onGone?.();
        // A missing chunk belonged to an older release.
        void checkForRelease();
      });
  };
  useEffect(() => {
    if (!part) start();
  }, [load]);
  useEffect(() => onGone, []);
  const Part = part;
  if (Part)
    return (
      <>
        <Part {...(props as P & object)} />
        {beside}
      </>
    );
  if (error !== undefined) return <Failure error={error} onRetry={start} />;
  return rows > 0 ? <Skeleton rows={rows} height={56} /> : null;
}
