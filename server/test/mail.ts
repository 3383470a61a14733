/** Fetches and parses received mail. */
import { inject } from "vitest";

export interface ReceivedMail {
  /** By lowercase name. */
  headers: Map<string, string>;
  subject: string;
  text: string;
  html: string;
}

/** Waits for the next mail to this address; returns each mail once, in order of arrival. */
export async function mailTo(address: string): Promise<ReceivedMail> {
  const answer = await fetch(`${inject("mailboxUrl")}/?to=${encodeURIComponent(address)}`);
  return readMail(await answer.text());
}

/** The only link of a mail. */
export function linkIn({ text }: ReceivedMail): URL {
  const [link, ...more] = text.match(/https?:\/\/\S+/g) ?? [];
  if (link === undefined || more.length > 0) throw new Error(`a mail with one link was expected:\n${text}`);
  return new URL(link);
}

export function readMail(message: string): ReceivedMail {
  const { headers, body } = splitPart(message);
  const parts = partsOf(headers, body);
  const partOf = (type: string) => parts.find((part) => part.type === type)?.text ?? "";
  const subject = decodeWords(headers.get("subject") ?? "");
  return { headers, subject, text: partOf("text/plain"), html: partOf("text/html") };
}

function splitPart(part: string) {
  const end = part.indexOf("\r\n\r\n");
  const lines = part
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: new Map(headers), body: part.slice(end + 4) };
}

function partsOf(headers: Map<string, string>, body: string): { type: string; text: string }[] {
  const contentType = headers.get("content-type") ?? "text/plain";
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1];
  if (boundary === undefined) {
    const type = contentType.split(";", 1)[0] ?? "";
    return [{ type, text: decode(body, headers.get("content-transfer-encoding") ?? "7bit").replaceAll("\r\n", "\n") }];
  }
  return `\r\n${body}`
    .split(`\r\n--${boundary}`)
    .slice(1, -1)
    .flatMap((part) => {
      const inner = splitPart(part.slice(2));
      return partsOf(inner.headers, inner.body);
    });
}

function decode(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  return encoding === "quoted-printable" ? fromQuotedPrintable(body.replaceAll("=\r\n", "")) : body;
}

const fromQuotedPrintable = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    "latin1",
  ).toString("utf8");

/** Decodes non-ASCII words of a header; white space between two encoded words is ignored. */
const decodeWords = (header: string) =>
  header
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(word, "base64").toString("utf8")
        : fromQuotedPrintable(word.replaceAll("_", " ")),
    );
