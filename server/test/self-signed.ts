/** Self-signed certificates, as SAML providers and LDAP servers of tests have them. */
import { generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from "node:crypto";

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(6, Buffer.from(hex, "hex"));
const time = (date: Date): Buffer =>
  der(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, "").slice(2, 14)}Z`));

const commonName = oid("550403");
const subjectAltName = oid("551d11");
const withSha256 = sequence(oid("2a864886f70d01010b"), der(5));

export interface SelfSigned {
  privateKey: KeyObject;
  certificate: X509Certificate;
  /** Both as PEM text. */
  keyPem: string;
  certificatePem: string;
}

/** For this name, and for 127.0.0.1. It ends so many days from now; it began a year before. */
export function selfSigned(name: string, { days = 30, bits = 2048 } = {}): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: bits });
  const subject = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))));
  const inDays = (count: number) => new Date(Date.now() + count * 86_400_000);
  const names = sequence(der(0x82, Buffer.from(name)), der(0x87, Buffer.from([127, 0, 0, 1])));
  const signed = sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.from([1]), randomBytes(8)),
    withSha256,
    subject,
    sequence(time(inDays(days - 365)), time(inDays(days))),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(subjectAltName, der(4, names)))),
  );
  const signature = der(3, Buffer.from([0]), sign("sha256", signed, privateKey));
  const certificate = new X509Certificate(sequence(signed, withSha256, signature));
  const keyPem = privateKey.export({ type: "pkcs8", format: "pem" }) as string; // PEM is text
  return { privateKey, certificate, keyPem, certificatePem: certificate.toString() };
}
