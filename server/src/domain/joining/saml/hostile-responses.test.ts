/**
 * Hostile SAML responses, made at random from valid ones: none is accepted. The name of the test has its seed; to repeat one,
 * or for the full form, see docs/single-sign-on.md.
 */
import { createHmac, randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { randomNumbers } from "../../../../test/random-numbers.ts";
import { partsOf, SamlProvider, toBase64, type Stated, type Variation } from "../../../../test/saml-provider.ts";
import { selfSigned } from "../../../../test/self-signed.ts";
import { ProviderProblem } from "../identity-providers/provider-problem.ts";
import { readProviderMetadata } from "./metadata.ts";
import { checkAddressed, readResponseText } from "./response-text.ts";
import { verify } from "./verify.ts";

const count = Number(process.env["HOSTILE_RESPONSES"] ?? 120);
const seed = Number(process.env["HOSTILE_SEED"] ?? randomInt(2 ** 31));
const random = randomNumbers(seed);

const provider = new SamlProvider();
const nextKeys = selfSigned("next.example.com");
const stranger = selfSigned("idp.example.com");
const requestId = "_4b1d0f3a";
const [attacker, victim] = ["attacker@example.com", "victim@example.com"];
const stated: Stated = {
  nameId: attacker,
  attributes: { email: attacker, groups: ["crew", "pilots"] },
  entityId: "https://chat.example.com",
  acsUrl: "https://chat.example.com/complete/saml/",
  requestId,
};
const aboutVictim: Stated = { ...stated, nameId: victim, attributes: { email: victim } };

const expected = {
  issuer: provider.issuer,
  // While keys are replaced there are two.
  certificates: [nextKeys, provider.keys].map(({ certificate }) => certificate.raw.toString("base64")),
  mustSignResponse: false,
  entityId: stated.entityId,
  acsUrl: stated.acsUrl,
  requestId,
};

/** As pages.ts does it, without a thread and a database. */
async function accept(base64: string): Promise<string> {
  const response = readResponseText(base64);
  if (response.inResponseTo !== requestId) throw new ProviderProblem("another request");
  if (response.status !== "Success") throw new ProviderProblem("not completed");
  checkAddressed(response, expected);
  const given = { ...expected, xml: response.xml, mustSignResponse: response.isResponseSigned };
  const { nameId, attributes } = await verify(given).catch((error: unknown) => {
    throw new ProviderProblem(String(error));
  });
  return `accepted ${nameId} ${attributes.get("email")?.join(",")}`;
}

const outcome = (base64: string): Promise<string> =>
  accept(base64).catch((error: unknown) => (error instanceof ProviderProblem ? "refused" : `failed: ${String(error)}`));

/** Each makes something that nobody may accept, whoever signs it. */
const falseStatements: Record<string, () => Variation> = {
  "another issuer": () => ({ issuer: random.pick(["https://evil.example.com", "", `${provider.issuer}/`]) }),
  "another audience": () => ({ audience: random.pick([null, "", "https://other.example.com", `${stated.entityId}/`]) }),
  "another recipient": () => ({
    recipient: random.pick([null, "", "https://other.example.com/complete/saml/", "https://chat.example.com/"]),
  }),
  "another destination": () => ({ destination: random.pick(["", "https://other.example.com/complete/saml/"]) }),
  "an answer to another request": () => ({ confirmedRequest: random.pick([null, "", "_other"]) }),
  "not for bearers": () => ({
    method: random.pick([
      "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key",
      "urn:oasis:names:tc:SAML:2.0:cm:sender-vouches",
    ]),
  }),
  expired: () => ({ ends: -61 - random.below(10 ** 6) }),
  "a confirmation that has expired": () => ({ confirmationEnds: random.pick([null, -61 - random.below(10 ** 6)]) }),
  "not valid yet": () => ({ begins: 70 + random.below(10 ** 5), ends: 10 ** 6 }),
  "from the future": () => ({ issued: 70 + random.below(10 ** 6) }),
  old: () => ({ issued: -661 - random.below(10 ** 6), ends: 10 ** 6 }),
  "another version": () => ({ version: random.pick(["1.1", "", "3.0"]) }),
  "a condition that must be understood": () => ({ conditions: "<saml:Condition></saml:Condition>" }),
  "a person without a name": () => ({ nameIdXml: "" }),
  "a name with elements": () => ({ nameIdXml: "<saml:b>victim@example.com</saml:b>" }),
  "two names": () => ({
    assertion: (xml) => xml.replace("<saml:NameID", `<saml:NameID>${victim}</saml:NameID><saml:NameID`),
  }),
  "two subjects": () => ({
    assertion: (xml) => xml.replace("<saml:Subject>", "<saml:Subject></saml:Subject><saml:Subject>"),
  }),
  "no conditions": () => ({ assertion: (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, "") }),
  "no sign-in": () => ({ assertion: (xml) => xml.replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, "") }),
  "no sign of success": () => ({ status: random.pick(["urn:oasis:names:tc:SAML:2.0:status:Responder", ""]) }),
  "a broken algorithm": () => ({ algorithm: "sha1" }),
  "an unsigned assertion": () => ({ signs: random.pick(["neither", "response"] as const) }),
  "a stranger's key": () => ({ key: stranger, signs: random.pick(["assertion", "both"] as const) }),
};

const valid = (variation: Variation = {}): string =>
  provider.respond(stated, { signs: random.pick(["assertion", "both"] as const), ...variation });

const inSigned = (xml: string, change: (signed: string) => string): string =>
  xml.replace(/<saml:Subject>.*(?=<\/saml:Assertion>)/s, (signed) => change(signed));

const replaceAlgorithm = (by: string): string => {
  const found = [...valid().matchAll(/Algorithm="([^"]+)"/g)].map(([, name = ""]) => name);
  return valid().replaceAll(`"${random.pick(found)}"`, `"${by}"`);
};

/** Each changes a valid response after it was signed. */
const falseTexts: Record<string, () => string | Buffer> = {
  "another person": () => inSigned(valid(), (xml) => xml.replaceAll(attacker, victim)),
  "a changed character": () =>
    inSigned(valid(), (xml) => {
      const at = random.below(xml.length);
      const by = random.pick("aZ09 <>&\"'/=:".split("").filter((character) => character !== xml[at]));
      return xml.slice(0, at) + by + xml.slice(at + 1);
    }),
  "an added attribute": () =>
    inSigned(valid(), (xml) => xml.replace("<saml:NameID", '<saml:NameID SPNameQualifier="x"')),
  "a comment in the name": () =>
    valid().replaceAll(attacker, random.pick([`<!---->${attacker}`, "attacker<!--x-->@example.com"])),
  "a name in two parts": () => valid().replaceAll(attacker, "<![CDATA[attacker]]>@example.com"),
  "an instruction in the name": () => valid().replaceAll(attacker, `<?x y?>${attacker}`),
  "a document type": () => `<!DOCTYPE samlp:Response [<!ENTITY who "${victim}">]>${valid()}`,
  "entities that grow": () =>
    `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${valid().replace(attacker, "&b;")}`,
  "an external entity": () => `<!DOCTYPE x SYSTEM "file:///etc/passwd">${valid()}`,
  "an unknown entity": () => valid().replaceAll("@example.com", "&at;example.com"),
  "another encoding": () =>
    random.pick([
      Buffer.from(valid(), "utf16le"),
      Buffer.from(`\uFEFF${valid()}`, "utf16le"),
      Buffer.from([0xff, 0xfe, 0x3c]),
    ]),
  "an encoding that is claimed": () => `<?xml version="1.0" encoding="UTF-7"?>${valid()}`,
  "a byte of no character": () => Buffer.concat([Buffer.from(valid()), Buffer.from([0xc0, 0x80])]),
  "a null character": () => valid().replace("attacker", "attacker\0"),
  "another algorithm": () =>
    replaceAlgorithm(
      random.pick([
        "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
        "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
        "http://www.w3.org/2001/04/xmldsig-more#md5",
        "http://www.w3.org/TR/1999/REC-xslt-19991116",
        "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
        "none",
        "",
      ]),
    ),
  "the certificate as a secret": () => {
    const hmac = createHmac("sha1", provider.keys.certificatePem).update("x").digest("base64");
    return valid({ signs: "assertion" })
      .replaceAll("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2000/09/xmldsig#hmac-sha1")
      .replace(/<ds:SignatureValue>.*?</, `<ds:SignatureValue>${hmac}<`);
  },
  "no signature value": () =>
    valid().replace(/<ds:SignatureValue>.*?</, `<ds:SignatureValue>${random.pick(["", "AA==", "AAAA"])}<`),
  "no digest": () => valid().replace(/<ds:DigestValue>.*?</, `<ds:DigestValue>${random.pick(["", "AA=="])}<`),
  "two digests": () => valid().replace(/(<ds:DigestValue>)(.*?)</, "$1AA==</ds:DigestValue>$1$2<"),
  "a comment in the digest": () => valid().replace(/(<ds:DigestValue>)(.*?)</, "$1<!--x-->$2<"),
  "no reference": () => valid().replace(/<ds:Reference .*?<\/ds:Reference>/s, ""),
  "a reference to everything": () => valid().replace(/URI="#[^"]+"/, 'URI=""'),
  "a reference to something else": () => valid().replace(/URI="#[^"]+"/, 'URI="#_other"'),
  "a cut": () => {
    const xml = valid();
    return xml.slice(0, random.below(xml.length - 1));
  },
  "the signature of another response": () => {
    const other = partsOf(provider.respond(aboutVictim, { signs: "assertion" }));
    const mine = valid({ signs: "assertion" });
    return mine.replace(partsOf(mine).signature, other.signature);
  },
  "another response around it": () => `<x>${valid()}</x>`,
  "more after it": () => valid() + random.pick(["<x></x>", "x", valid()]),
  "too many elements": () => valid().replace("<samlp:Status>", `${"<x></x>".repeat(2001)}<samlp:Status>`),
  "too deep elements": () =>
    valid().replace("<samlp:Status>", `${"<x>".repeat(2000)}${"</x>".repeat(2000)}<samlp:Status>`),
  "too much": () => valid().replace("<samlp:Status>", `<x>${"a".repeat(70_000)}</x><samlp:Status>`),
  "something else": () => random.pick(["", "x", "<a></a>", "{}", "<samlp:Response>", "<samlp:Response/>"]),
  "another message": () =>
    valid().replaceAll("samlp:Response", random.pick(["samlp:LogoutResponse", "samlp:LogoutRequest"])),
  "no request": () => valid({ signs: "assertion" }).replace(/ InResponseTo="[^"]*"/, ""),
  "another request": () => valid({ signs: "assertion" }).replace(/ InResponseTo="[^"]*"/, ' InResponseTo="_other"'),
};

/** The wrapping attacks of the file, filled in. */
function wrappingAttacks(): [name: string, xml: string][] {
  const text = readFileSync(join(import.meta.dirname, "test-data/wrapping-attacks.txt"), "utf8");
  const good = partsOf(provider.respond(stated, { signs: "assertion" }));
  const evilResponse = provider.respond(aboutVictim, { signs: "neither" });
  const evil = partsOf(evilResponse);
  const signedResponse = provider.respond(stated, { signs: "response" });
  const [, evilOpen = "", evilIssuer = "", evilBody = ""] =
    /^(<saml:Assertion[^>]*>)(<saml:Issuer>.*?<\/saml:Issuer>)(.*)<\/saml:Assertion>$/s.exec(evil.signed) ?? [];
  const id = / ID="[^"]+"/.exec(good.signed)?.[0] ?? "";
  const sameId = evil.signed.replace(/ ID="[^"]+"/, id);
  const after = (xml: string, added: string) => xml.replace("</saml:Issuer>", () => `</saml:Issuer>${added}`);
  const object = `${good.signatureOpen}${good.signatureBody}<ds:Object>${good.unsigned}</ds:Object></ds:Signature>`;
  const responseSignature = partsOf(signedResponse);
  const parts: Record<string, string> = {
    ...good,
    good: good.signed,
    plain: good.unsigned,
    sigopen: good.signatureOpen,
    sigbody: good.signatureBody,
    sigclose: "</ds:Signature>",
    evil: evil.signed,
    evilopen: evilOpen,
    evilissuer: evilIssuer,
    evilbody: evilBody,
    evilclose: "</saml:Assertion>",
    evilsameid: sameId,
    evilsamesigned: after(sameId, good.signature),
    evilsameobject: after(sameId, object),
    evilresponse: evilResponse,
    evilresponseopen: evil.open,
    signedresponse: signedResponse,
    responsesignature: responseSignature.signature,
    responsesigopen: responseSignature.signatureOpen,
    responsesigbody: responseSignature.signatureBody,
  };
  return text
    .split(/^# /m)
    .slice(1)
    .map((attack) => {
      const [name = "", ...lines] = attack.split("\n");
      const xml = lines.join("").replaceAll(/\{\{(\w+)\}\}/g, (_, part: string) => {
        const value = parts[part];
        if (value === undefined) throw new Error(`wrapping-attacks.txt: there is no ${part}`);
        return value;
      });
      return [name, xml];
    });
}

test.for(wrappingAttacks())(
  "wrapping: %s: refused before it is parsed, and by the verification alone",
  async ([, xml]) => {
    expect(xml).toContain(victim);
    expect(await outcome(toBase64(xml))).toBe("refused");
    // The library on its own may accept what was signed, and nothing else.
    const { nameId } = await verify({ ...expected, xml }).catch(() => ({ nameId: attacker }));
    expect(nameId).toBe(attacker);
  },
);

test.for(Object.keys(falseStatements))("%s: refused though it is signed", async (name) => {
  expect(await outcome(toBase64(provider.respond(aboutVictim, falseStatements[name]?.())))).toBe("refused");
});

test.for(Object.keys(falseTexts))("%s: refused", async (name) => {
  expect(await outcome(Buffer.from(falseTexts[name]?.() ?? "").toString("base64"))).toBe("refused");
});

test("valid responses are accepted: of both keys, both algorithms, whatever else is signed", async () => {
  const right = `accepted ${attacker} ${attacker}`;
  for (const variation of [
    {},
    { signs: "both" },
    { algorithm: "sha512", signs: "both" },
    { key: nextKeys },
    { issued: -30, begins: -90, ends: -30 },
    { destination: null },
  ] satisfies Variation[])
    expect(await outcome(toBase64(provider.respond(stated, variation)))).toBe(right);
  const folded = (toBase64(`<?xml version="1.0" encoding="UTF-8"?>\n${valid()}`).match(/.{1,76}/g) ?? []).join("\r\n");
  expect(await outcome(folded)).toBe(right);
});

test(`of ${count} hostile SAML responses none is accepted (seed ${seed})`, { timeout: 300_000 }, async () => {
  const wrong: string[] = [];
  const wrapped = wrappingAttacks();
  for (let made = 0; made < count; made++) {
    const kind = random.below(3);
    const statement = random.pick(Object.keys(falseStatements));
    const text = random.pick(Object.keys(falseTexts));
    const [attack, wrapping] = random.pick(wrapped);
    const hostile =
      kind === 0
        ? provider.respond(aboutVictim, falseStatements[statement]?.())
        : kind === 1
          ? (falseTexts[text]?.() ?? "")
          : wrapping;
    const result = await outcome(Buffer.from(hostile).toString("base64"));
    if (result !== "refused") wrong.push(`${made}: ${[statement, text, attack][kind]}: ${result}`);
    // So that a server that refuses everything is noticed.
    const control = made % 20 === 0 ? await outcome(toBase64(valid())) : "accepted";
    if (!control.startsWith("accepted")) wrong.push(`${made}: a valid response: ${control}`);
  }
  expect(wrong).toEqual([]);
});

test("metadata of a provider: the keys for signing, the URL for redirects, one provider only", () => {
  const key = (use: string, body: string) =>
    `<md:KeyDescriptor${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${body}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
  const sso = (binding: string, url: string) =>
    `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${url}"/>`;
  const entity = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com/?a=1&amp;b=2">
    <md:IDPSSODescriptor>${key("", "AAA")}${key(' use="signing"', "\n BBB ")}${key(' use="encryption"', "CCC")}
    ${sso("HTTP-POST", "https://idp.example.com/post")}${sso("HTTP-Redirect", "https://idp.example.com/redirect")}</md:IDPSSODescriptor>
    <md:SPSSODescriptor>${key("", "DDD")}</md:SPSSODescriptor></md:EntityDescriptor>`;

  expect(readProviderMetadata(`<!-- ours --><?xml version="1.0"?>${entity}`)).toEqual({
    entityId: "https://idp.example.com/?a=1&b=2",
    ssoUrl: "https://idp.example.com/redirect",
    certificates: ["AAA", "\n BBB "],
  });
  expect(() => readProviderMetadata(`<md:EntitiesDescriptor>${entity}${entity}</md:EntitiesDescriptor>`)).toThrow(
    "one",
  );
  expect(() => readProviderMetadata(`<!DOCTYPE x>${entity}`)).toThrow("document type");
  expect(() => readProviderMetadata("<md:EntityDescriptor entityID='x'/>")).toThrow("must name");
});
