/** Reads a setting with a secret per host: `chat.example.com=…, talk.example.com=…`. */
const minSecretLength = 32;

/** Returns the secrets by host name. Errors do not repeat the value, because it may be a secret. */
export function readHostSecrets(items: readonly string[]): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const item of items) {
    const [, host, secret] = /^([^=\s]+)=(.+)$/.exec(item) ?? [];
    if (host === undefined || secret === undefined)
      throw new Error("must be a comma-separated list of HOST=SECRET entries");
    if (secret.length < minSecretLength)
      throw new Error(`must have at least ${minSecretLength} characters in the secret of ${host}`);
    secrets.set(host.toLowerCase(), secret);
  }
  return secrets;
}
