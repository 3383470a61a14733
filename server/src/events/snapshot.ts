/**
 * The visibility of transactions in the format of `pg_current_snapshot()`: `xmin:xmax:xip,xip,…`. Everything below xmin is
 * visible, nothing from xmax on; transactions in between are visible unless listed as still running.
 */
export interface Snapshot {
  xmin: number;
  xmax: number;
  running: ReadonlySet<number>;
}

export function parseSnapshot(text: string): Snapshot {
  const [xmin = "", xmax = "", list = ""] = text.split(":");
  const running = new Set(list === "" ? [] : list.split(",").map(Number));
  return { xmin: Number(xmin), xmax: Number(xmax), running };
}

export const isVisible = (snapshot: Snapshot, xid: number): boolean =>
  xid < snapshot.xmin || (xid < snapshot.xmax && !snapshot.running.has(xid));
