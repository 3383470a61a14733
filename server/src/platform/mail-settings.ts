/** Validates the mail settings. Separate from the mailer, so that reading them does not load the mail library. */

/** The sender of all mail: an address, or a name and an address between angle brackets. */
export function readSender(value: string): string {
  if (!/^(?:[^<>\p{Cc}]*<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/u.test(value))
    throw new Error(`must be an e-mail address such as "Skein <chat@example.com>", not "${value}"`);
  return value;
}

export function readMailTarget(value: string): string {
  // The error does not repeat the value, because it may contain a password.
  if (value !== "" && !/^(?:smtps?:\/\/|file:\/\/\/)/.test(value))
    throw new Error("must begin with smtp://, smtps:// or file:///");
  return value;
}
