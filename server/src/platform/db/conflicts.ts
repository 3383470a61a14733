/** Two changes that met: one of them is broken off, nothing of it is stored, and it is done again. */

const maxAttempts = 10;

/** To break off a change that locked what turned out to be the wrong things: to lock more now could end in a deadlock. */
export class Conflict extends Error {
  override name = "Conflict";
}

/** Does it again while PostgreSQL, or it itself, breaks it off. `attempt` must do nothing outside the database. */
export async function againAtConflict<T>(attempt: (conflicts: number) => Promise<T>): Promise<T> {
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
