import { ApiError } from "../../../errors.ts";

/** Normalizes a domain to lowercase; throws when it is invalid. */
export function checkDomain(given: string): string {
  const domain = given.trim().toLowerCase();
  const error = findError(domain);
  if (error !== undefined) throw new ApiError(`Invalid domain: ${error}`);
  return domain;
}

function findError(domain: string): string | undefined {
  const labels = domain.split(".");
  if (domain === "") return "Domain can't be empty.";
  if (labels.length < 2) return "Domain must have at least one dot (.)";
  if (domain.startsWith(".") || domain.endsWith(".")) return "Domain cannot start or end with a dot (.)";
  if (labels.includes("")) return "Consecutive '.' are not allowed.";
  if (labels.some((label) => label.startsWith("-") || label.endsWith("-")))
    return "Subdomains cannot start or end with a '-'.";
  if (!/^[a-z0-9.-]+$/.test(domain)) return "Domain can only have letters, numbers, '.' and '-'s.";
  return undefined;
}
