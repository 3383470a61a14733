/** The user's changes: shown at once as pending operations, then requested; ended with a notice when the server refuses. */
import { addOperation, failOperation, isPending } from "./events.ts";
import { eventTimeout, type Change, type Operation } from "./pending.ts";
import { reasonOf } from "./reasons.ts";
import { retryNow } from "./sync.ts";
import { toast } from "./toasts.ts";

interface Performed extends Change {
  request: () => Promise<unknown>;
  /** Called when the change is confirmed, or with the error when it failed. By default a notice shows the reason. */
  onEnd?: Operation["onEnd"];
}

export function perform({ request, onEnd = showFailure, ...change }: Performed): void {
  void submit(show(change, onEnd), request);
}

let lastId = 0;

/** Shows a change that is not requested yet. */
export function show(change: Change, onEnd: Operation["onEnd"] = showFailure): Operation {
  const operation: Operation = { ...change, id: ++lastId, onEnd, request: { isSent: false, acceptedAt: undefined } };
  addOperation(operation);
  return operation;
}

/** The last request of each key. */
const last = new Map<string, Promise<void>>();

/** Requests a change once earlier ones with its key have a response. Resolves when it has one itself. */
export async function submit({ id, key, request }: Operation, send: () => Promise<unknown>): Promise<void> {
  const run = async (): Promise<void> => {
    request.isSent = true;
    try {
      await send();
      request.acceptedAt = performance.now();
      if (isPending(id)) setTimeout(() => isPending(id) && retryNow(), eventTimeout + 1);
    } catch (error) {
      failOperation(id, error);
    }
  };
  const before = last.get(key);
  const done = before ? before.then(run) : run();
  last.set(key, done);
  await done;
  if (last.get(key) === done) last.delete(key);
}

function showFailure(error?: unknown): void {
  if (error !== undefined) toast(reasonOf(error), { kind: "danger" });
}
