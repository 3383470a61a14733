/** A part of the client that is loaded when it is first shown. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { lookForRelease } from "../store/release.ts";
import { Failure } from "./failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

interface LazyProps<P> {
  /** A file whose default export is the component. */
  load: () => Promise<{ default: ComponentType<P> }>;
  props: P;
  /** Rows shown meanwhile. */
  rows?: number;
}

const loaded = new Map<unknown, unknown>();

export function Lazy<P>({ load, props, rows = 0 }: LazyProps<P>) {
  const [part, setPart] = useState(() => loaded.get(load) as ComponentType<P> | undefined); // put there below
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
        // A part that is not there any more was part of an older release.
        void lookForRelease();
      });
  };
  useEffect(() => {
    if (!part) start();
  }, [load]);
  const Part = part;
  if (Part) return <Part {...(props as P & object)} />;
  if (error !== undefined) return <Failure error={error} onRetry={start} />;
  return rows > 0 ? <Skeleton rows={rows} height={56} /> : null;
}
