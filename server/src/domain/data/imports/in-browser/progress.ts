/** Stores and emits the progress of a job, at most once a second, whatever it reports. */
import type { Inspection } from "../inspect.ts";
import type { Context } from "../../../../context.ts";
import { transaction } from "../../../../platform/db/transaction.ts";
import { Rate } from "../run/rate.ts";
import type { RealmImportRow } from "./access.ts";
import { changeImport } from "./events.ts";

const everyMilliseconds = 1000;

interface Progress {
  phase: string;
  done: number;
  total: number;
}

export class ProgressReporter {
  readonly #ctx: Pick<Context, "db" | "logger">;
  readonly #row: RealmImportRow;
  readonly #timer: NodeJS.Timeout;
  readonly #rate = new Rate();
  #latest: (Progress & { per_second: number }) | undefined;
  #writing = Promise.resolve();

  constructor(ctx: Pick<Context, "db" | "logger">, row: RealmImportRow) {
    this.#ctx = ctx;
    this.#row = row;
    this.#timer = setInterval(() => {
      this.#writing = this.#writing.then(() => this.#write());
    }, everyMilliseconds);
  }

  report({ phase, done, total }: Progress): void {
    const per_second = Math.round(this.#rate.note(phase, done, performance.now()) * 10) / 10;
    this.#latest = { phase, done, total: total || this.#expected(phase, done), per_second };
  }

  /** Nothing is written afterwards. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#latest = undefined;
    await this.#writing;
  }

  /** What the inspection has counted, for phases that do not count beforehand. */
  #expected(phase: string, done: number): number {
    const found = this.#row.inspection as Inspection | null; // as it was stored
    if (!found) return 0;
    const { people, channels, messages, direct_conversations } = found;
    const expected: Record<string, number> = {
      "reading the export": messages.total,
      people: people.total + people.only_in_messages,
      channels: channels.public + channels.private + direct_conversations,
    };
    return Math.max(expected[phase] ?? 0, expected[phase] === undefined ? 0 : done);
  }

  async #write(): Promise<void> {
    const latest = this.#latest;
    if (!latest) return;
    this.#latest = undefined;
    const progress = JSON.stringify(latest);
    try {
      await transaction(this.#ctx.db, "report progress of an import", (tx) =>
        changeImport(tx, this.#row, ["inspecting", "running"], { progress }),
      );
    } catch (error) {
      // The import does not depend on it, and the next report replaces this one.
      this.#ctx.logger.warn({ err: error }, "the progress of an import could not be stored");
    }
  }
}
