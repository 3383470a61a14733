/** Subdomains of organizations. */
import { z } from "zod";
import { endpoint, textUpTo } from "./endpoint.ts";

export const checkSubdomain = endpoint({
  operation: "check-subdomain",
  method: "GET",
  path: "/realm/subdomain/{subdomain}",
  auth: "none",
  scope: null,
  area: "Server and organization",
  summary: "Check whether a subdomain is free",
  description: "Say whether a new organization could have this short name.",
  params: { subdomain: textUpTo(100).describe("The name.") },
  returns: { msg: z.string().describe("available, or why the name cannot be had.") },
});

export const endpoints = [checkSubdomain];
