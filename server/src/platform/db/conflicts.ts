/** Retries transactions that PostgreSQL aborted because of a conflict with another one. */

const maxAttempts = 10;

/** Thrown by a change that turns out to have locked the wrong rows: locking more now could deadlock, so it starts over. */
export class Conflict extends Error {
  override name = "Conflict";
}

/** Repeats `attempt` after a deadlock, serialization failure or Conflict. It must have no effects outside the database. */
export async function retryOnConflict<T>(attempt: (conflicts: number) => Promise<T>): Promise<T> {
  for (let conflicts = 0; ; conflicts++) {
    try {
      return await attempt(conflicts);
    } catch (error) {
      if (conflicts + 1 >= maxAttempts || !isConflict(error)) throw error;
    }
  }
}

const isConflict = (error: unknown) =>
  error instanceof Conflict ||
  (error instanceof Error && "code" in error && (error.code === "40P01" || error.code === "40001"));
