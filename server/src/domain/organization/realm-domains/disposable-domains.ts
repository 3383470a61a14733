/**
 * Providers of mailboxes that anyone can read or that expire within the hour. The list has 120,000 domains, so it is
 * loaded when the first organization needs it.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** Domains that the package lacks. */
const more = ["emailondeck.com", "fakemail.net", "mail.tm", "temp-mail.io", "tempmail.com", "tempmail.net"];

interface DisposableDomains {
  domains: ReadonlySet<string>;
  /** Domains that hand out subdomains, too. */
  withSubdomains: ReadonlySet<string>;
}

const { resolve } = createRequire(import.meta.url);
let loaded: Promise<DisposableDomains> | undefined;

async function load(): Promise<DisposableDomains> {
  const read = async (file: string) => {
    const text = await readFile(resolve(`disposable-email-domains/${file}`), "utf8");
    return JSON.parse(text) as string[]; // the package's own
  };
  const [domains, wildcards] = await Promise.all([read("index.json"), read("wildcard.json")]);
  return { domains: new Set(domains), withSubdomains: new Set([...wildcards, ...more]) };
}

/** Returns a predicate for e-mail addresses at such providers. */
export async function disposableAddresses(): Promise<(address: string) => boolean> {
  loaded ??= load();
  const { domains, withSubdomains } = await loaded;
  return (address) => {
    const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
    const labels = domain.split(".");
    return domains.has(domain) || labels.some((_, index) => withSubdomains.has(labels.slice(index).join(".")));
  };
}
