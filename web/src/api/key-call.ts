/** Replaces the account's API keys. The protocol lets only keys do this, so a new one is created first, and used for it. */
import { fetchOwnApiKey, regenerateApiKey } from "@skein/api/routes/authentication.ts";
import { NoResponse, Refusal } from "@skein/api/failures.ts";
import { call } from "./call.ts";
import { besidePassword, type Proof } from "./proof.ts";

/** In Base64, of UTF-8: an address may have any letters. */
const basic = (text: string): string => btoa(String.fromCodePoint(...new TextEncoder().encode(text)));

/** Returns the new key; all others stop working. */
export async function replaceApiKeys(password: string, proof?: Proof): Promise<string> {
  const { api_key, email } = await call(fetchOwnApiKey, { password, ...besidePassword(proof) });
  const { method, path } = regenerateApiKey;
  const response = await fetch(`/api/v1${path}`, {
    method,
    credentials: "omit",
    headers: { authorization: `Basic ${basic(`${email}:${api_key}`)}` },
  }).catch((cause: unknown) => {
    throw new NoResponse(undefined, { cause });
  });
  if (response.status >= 500) throw new NoResponse(response.status);
  const body = (await response.json()) as { api_key?: string; msg?: string; code?: string }; // like all our JSON responses
  if (body.api_key === undefined)
    throw new Refusal(body.msg ?? "", { code: body.code ?? "", status: response.status, data: {} });
  return body.api_key;
}
