import type { ApiError } from "../../../errors.ts";

/** How long to wait, as text: "in 27 minutes". Undefined for errors that do not go away by waiting. */
export function waitingTime({ code, data }: ApiError): string | undefined {
  const seconds = data["retry-after"];
  if (code !== "RATE_LIMIT_HIT" || typeof seconds !== "number") return undefined;
  if (seconds <= 90 * minute) return inUnits(seconds / minute, "minute");
  return seconds <= 36 * hour ? inUnits(seconds / hour, "hour") : inUnits(seconds / (24 * hour), "day");
}

const minute = 60;
const hour = 3600;

function inUnits(length: number, unit: string): string {
  const count = Math.max(1, Math.ceil(length));
  return `in ${count} ${unit}${count === 1 ? "" : "s"}`;
}
