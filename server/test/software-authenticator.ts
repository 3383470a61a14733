/** A passkey in software, for tests: creates one, and signs with it what a test wants, also what no browser would. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { PasskeyAssertion } from "@skein/api/passkeys.ts";
import {
  registrationOptions,
  storePasskey,
  verifyNewPasskey,
  type NewCredential,
} from "../src/domain/people/second-factors/passkeys.ts";
import { transaction } from "../src/platform/db/transaction.ts";
import type { TestUser } from "./realm.ts";

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
const base64url = (data: Buffer): string => data.toString("base64url");

const present = 0x01;
const verified = 0x04;
const hasKey = 0x40;

/** What a test can get wrong. */
interface Deviation {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  counter?: number;
  isVerified?: boolean;
  userHandle?: string;
}

export class SoftwareAuthenticator {
  readonly id = randomBytes(32);
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #origin: string;
  #counter = 0;
  #userHandle = "";

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Responds to the options of start-passkey. */
  create(options: Record<string, unknown>, deviation: Deviation & { format?: string } = {}): NewCredential {
    const { challenge, rp, user } = options as { challenge: string; rp: { id: string }; user: { id: string } };
    this.#userHandle = user.id;
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    // A COSE key: type EC2, ES256, P-256, x, y.
    const key = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y, "base64url"),
    ]);
    const data = Buffer.concat([
      this.#authenticatorData(deviation.rpId ?? rp.id, hasKey, deviation),
      Buffer.alloc(16),
      Buffer.from([0, this.id.length]),
      this.id,
      key,
    ]);
    // CBOR: { fmt, attStmt: {}, authData }.
    const format = deviation.format ?? "none";
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from("fmt"),
      Buffer.from([0x60 + format.length]),
      Buffer.from(format),
      Buffer.from([0x67]),
      Buffer.from("attStmt"),
      Buffer.from([0xa0, 0x68]),
      Buffer.from("authData"),
      Buffer.from([0x59, data.length >> 8, data.length & 0xff]),
      data,
    ]);
    const id = base64url(this.id);
    return {
      id,
      rawId: id,
      type: "public-key",
      response: {
        clientDataJSON: base64url(this.#clientData("webauthn.create", challenge, deviation)),
        attestationObject: base64url(attestationObject),
        transports: ["internal"],
      },
    };
  }

  /** Responds to options for signing in or confirming. */
  get(options: Record<string, unknown>, deviation: Deviation = {}): PasskeyAssertion {
    const { challenge, rpId } = options as { challenge: string; rpId: string };
    this.#counter = deviation.counter ?? this.#counter + 1;
    const data = this.#authenticatorData(deviation.rpId ?? rpId, 0, deviation);
    const clientData = this.#clientData("webauthn.get", challenge, deviation);
    const id = base64url(this.id);
    return {
      id,
      rawId: id,
      type: "public-key",
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(sign("sha256", Buffer.concat([data, sha256(clientData)]), this.#keys.privateKey)),
        userHandle: deviation.userHandle ?? this.#userHandle,
      },
    };
  }

  #authenticatorData(rpId: string, flags: number, { isVerified = true }: Deviation): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(rpId), Buffer.from([present | flags | (isVerified ? verified : 0)]), counter]);
  }

  #clientData(type: string, challenge: string, deviation: Deviation): Buffer {
    const { origin = this.#origin } = deviation;
    const data = { type: deviation.type ?? type, challenge: deviation.challenge ?? challenge, origin };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false }));
  }
}

/** The address of the user's organization, as clients of the tests use it. */
export const originOf = ({ realm }: Pick<TestUser, "realm">): string => `http://${realm.host}`;

/** Gives the account a passkey. */
export async function withPasskey(user: TestUser): Promise<{ id: number; authenticator: SoftwareAuthenticator }> {
  const { ctx } = user.realm;
  const authenticator = new SoftwareAuthenticator(originOf(user));
  const rp = { id: user.realm.host, origin: originOf(user), name: user.realm.host };
  const holder = { id: user.id, realm_id: user.realm.id };
  const account = { ...holder, delivery_email: user.email, full_name: "" };
  const { options, state } = await registrationOptions(ctx.db, ctx.secretBox, rp, account);
  const credential = authenticator.create(options);
  const accepted = await verifyNewPasskey(ctx.secretBox, rp, holder, { state, credential });
  const { id } = await transaction(ctx.db, "test", (tx) => storePasskey(tx, holder, accepted, "Laptop"));
  return { id, authenticator };
}
