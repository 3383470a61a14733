/** The results of checks, with what to do about each. */
import type { Option } from "./command.ts";

export type Severity = "ok" | "warning" | "failed";

export interface Finding {
  /** What was checked. */
  check: string;
  status: Severity;
  text: string;
  /** What to do; present unless the status is ok. */
  remedy?: string;
}

/** All findings of one part of the system, such as PostgreSQL. */
export type Check = () => Promise<Finding[]>;

export const ok = (check: string, text: string): Finding => ({ check, status: "ok", text });
export const warning = (check: string, text: string, remedy: string): Finding => ({
  check,
  status: "warning",
  text,
  remedy,
});
export const failed = (check: string, text: string, remedy: string): Finding => ({
  check,
  status: "failed",
  text,
  remedy,
});

/** The error has no message if several IP addresses of one host refused the connection. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: string }; // system errors have one
  return error.message === "" ? (code ?? error.name) : error.message;
}

const warnSeconds = 2;
const failSeconds = 30;

/** Compares another machine's clock with ours; `uncertainty` is the duration of the request that read it. */
export function clockFinding(check: string, theirs: number, ours: number, uncertainty: number): Finding {
  const seconds = Math.max(0, Math.abs(theirs - ours) - uncertainty) / 1000;
  if (seconds < warnSeconds) return ok(check, "same time as this machine");
  const text = `${Math.round(seconds)} s ${theirs > ours ? "ahead of" : "behind"} this machine's clock`;
  const remedy = "Synchronize the clocks of both machines (chrony or systemd-timesyncd).";
  return seconds < failSeconds ? warning(check, text, remedy) : failed(check, text, remedy);
}

export const strictOption = {
  type: "boolean",
  description: "Exit with code 1 for warnings, too.",
} as const satisfies Option;

/** Prints the findings, and sets the exit code to 1 if one of them failed. */
export function report(
  checks: Finding[],
  answer: (result: unknown, text: string) => void,
  { strict }: { strict: boolean },
): void {
  const count = (status: Severity) => checks.filter((check) => check.status === status).length;
  const counts = { ok: count("ok"), warning: count("warning"), failed: count("failed") };
  answer({ ...counts, checks }, describe(checks, counts));
  if (counts.failed > 0 || (strict && counts.warning > 0)) process.exitCode = 1;
}

const labels: Record<Severity, string> = { ok: "ok", warning: "warning", failed: "FAILED" };

function describe(checks: Finding[], counts: Record<Severity, number>): string {
  const width = Math.max(...checks.map(({ check }) => check.length));
  const lines = checks.map(({ check, status, text, remedy }) => {
    const line = `${labels[status].padEnd(8)} ${check.padEnd(width)}  ${text}`;
    return remedy === undefined ? line : `${line}\n${" ".repeat(width + 11)}→ ${remedy}`;
  });
  return [...lines, "", `${counts.ok} ok, ${counts.warning} warnings, ${counts.failed} failed`].join("\n");
}
