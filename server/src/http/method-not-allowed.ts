/** The answer to a method that a path does not have. It has no code: clients know it by its status. */
export const methodNotAllowed = (allowed: readonly string[]) => ({
  status: 405,
  headers: { Allow: allowed.join(", ") },
  body: { result: "error", msg: "Method Not Allowed", allowed_methods: allowed },
});
