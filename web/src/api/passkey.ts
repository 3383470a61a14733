/** Asks the browser to create a passkey, or to sign with one. The server's options and the responses are JSON; browsers want bytes. */
import type { PasskeyAssertion, addPasskey } from "@skein/api/passkeys.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";

type Options = Readonly<Record<string, unknown>>;

export const knowsPasskeys = (): boolean => typeof PublicKeyCredential === "function";

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

const toText = (buffer: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const withBytes = (known: PublicKeyCredentialDescriptorJSON[] = []): PublicKeyCredentialDescriptor[] =>
  known.map((each) => ({ id: toBytes(each.id), type: "public-key" }));

/** The user has canceled, or the browser cannot. */
export class NoPasskey extends Error {}

async function ask(credential: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const given = await credential.catch((cause: unknown) => {
    throw new NoPasskey("no passkey", { cause });
  });
  if (!given) throw new NoPasskey("no passkey");
  return given as PublicKeyCredential; // no other kind was asked for
}

export async function signWithPasskey(given: Options): Promise<PasskeyAssertion> {
  const options = given as unknown as PublicKeyCredentialRequestOptionsJSON; // by the endpoint's description
  const { challenge, rpId, timeout, allowCredentials } = options;
  const publicKey: PublicKeyCredentialRequestOptions = {
    challenge: toBytes(challenge),
    allowCredentials: withBytes(allowCredentials),
    userVerification: "required",
    ...(rpId === undefined ? {} : { rpId }),
    ...(timeout === undefined ? {} : { timeout }),
  };
  const { id, rawId, response } = await ask(navigator.credentials.get({ publicKey }));
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse; // of get()
  return {
    id,
    rawId: toText(rawId),
    type: "public-key",
    response: {
      clientDataJSON: toText(clientDataJSON),
      authenticatorData: toText(authenticatorData),
      signature: toText(signature),
      userHandle: userHandle && toText(userHandle),
    },
  };
}

export async function createPasskey(given: Options): Promise<ParamsOf<typeof addPasskey>["credential"]> {
  const options = given as unknown as PublicKeyCredentialCreationOptionsJSON; // by the endpoint's description
  const { challenge, rp, user, pubKeyCredParams, timeout, excludeCredentials } = options;
  const publicKey: PublicKeyCredentialCreationOptions = {
    challenge: toBytes(challenge),
    rp,
    user: { ...user, id: toBytes(user.id) },
    pubKeyCredParams,
    excludeCredentials: withBytes(excludeCredentials),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
    ...(timeout === undefined ? {} : { timeout }),
  };
  const { id, rawId, response } = await ask(navigator.credentials.create({ publicKey }));
  const made = response as AuthenticatorAttestationResponse; // of create()
  return {
    id,
    rawId: toText(rawId),
    type: "public-key",
    response: {
      clientDataJSON: toText(made.clientDataJSON),
      attestationObject: toText(made.attestationObject),
      transports: made.getTransports(),
    },
  };
}
