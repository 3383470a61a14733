/** The response to a method that a path does not support. It has no code; clients recognize it by its status. */
export const methodNotAllowed = (allowed: readonly string[]) => ({
  status: 405,
  headers: { Allow: allowed.join(", ") },
  body: { result: "error", msg: "Method Not Allowed", allowed_methods: allowed },
});
