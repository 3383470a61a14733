/** What the settings of mail may be. Apart from the mailer, which brings a library along. */

/** The sender of all mail: an address, or a name and an address between angle brackets. */
export function readSender(value: string): string {
  if (!/^(?:[^<>\p{Cc}]*<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/u.test(value))
    throw new Error(`must be an address such as "Skein <chat@example.com>", not "${value}"`);
  return value;
}

export function readMailTarget(value: string): string {
  // The value is not repeated: it may hold a password.
  if (value !== "" && !/^(?:smtps?:\/\/|file:\/\/\/)/.test(value))
    throw new Error("must begin with smtp://, smtps:// or file:///");
  return value;
}
