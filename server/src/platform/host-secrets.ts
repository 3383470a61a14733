/** A setting that holds a secret for each of several hosts: `chat.example.com=…, talk.example.com=…`. */
const shortestSecret = 32;

/** By the host's name. What is wrong is told without repeating it: it may be a secret. */
export function readHostSecrets(items: readonly string[]): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const item of items) {
    const [, host, secret] = /^([^=\s]+)=(.+)$/.exec(item) ?? [];
    if (host === undefined || secret === undefined) throw new Error("must be HOST=SECRET, separated by commas");
    if (secret.length < shortestSecret)
      throw new Error(`must give ${host} a secret of ${shortestSecret} characters or more`);
    secrets.set(host.toLowerCase(), secret);
  }
  return secrets;
}
