/**
 * Verifies a SAML response and returns what its assertion states. node-saml verifies the signature; everything that counts is
 * then read from the signed bytes, and checked here as strictly as we need it, whatever the library has checked already. It
 * runs in a thread of its own: see verifier.ts.
 */
import { SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import { z } from "zod";

export interface Verification {
  xml: string;
  /** The provider's entity ID, and the certificates of its keys. */
  issuer: string;
  certificates: readonly string[];
  mustSignResponse: boolean;
  /** What the organization is called, and where responses are sent. */
  entityId: string;
  acsUrl: string;
  /** The request that the response must answer. */
  requestId: string;
}

/** What the provider has signed. */
export interface Statement {
  assertionId: string;
  nameId: string;
  nameIdFormat: string;
  sessionIndex: string | undefined;
  attributes: Map<string, string[]>;
}

/** How far clocks may differ, and how old an assertion may be. A replayed one is remembered for longer. */
const skewMs = 60_000;
const maxAgeMs = 600_000;

const bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer";

/** As the library's parser makes them: elements are lists, `_` is text, `$` has attributes. */
const one = <T extends z.ZodType>(element: T) => z.tuple([element]).transform(([only]) => only);
const text = z.looseObject({ _: z.string().min(1) }).transform((element) => element._);
const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/)
  .transform((given) => Date.parse(given))
  .refine(Number.isFinite);

const confirmation = z.looseObject({
  $: z.looseObject({ Method: z.string() }),
  SubjectConfirmationData: one(
    z.looseObject({
      $: z.looseObject({
        Recipient: z.string().optional(),
        InResponseTo: z.string().optional(),
        NotBefore: instant.optional(),
        NotOnOrAfter: instant.optional(),
      }),
    }),
  ).optional(),
});

const attributeValue = z.union([z.string(), z.looseObject({ _: z.string().default("") }).transform(({ _ }) => _)]);
const attributes = z.looseObject({
  Attribute: z
    .array(
      z.looseObject({ $: z.looseObject({ Name: z.string() }), AttributeValue: z.array(attributeValue).default([]) }),
    )
    .default([]),
});

const assertionForm = z.looseObject({
  $: z.looseObject({ ID: z.string().min(1).max(255), Version: z.literal("2.0"), IssueInstant: instant }),
  Issuer: one(text),
  Subject: one(
    z.looseObject({
      NameID: one(
        z.looseObject({ _: z.string().min(1), $: z.looseObject({ Format: z.string().default("") }).optional() }),
      ),
      SubjectConfirmation: z.array(confirmation),
    }),
  ),
  Conditions: one(
    z.looseObject({
      $: z.looseObject({ NotBefore: instant.optional(), NotOnOrAfter: instant }),
      AudienceRestriction: z.array(z.looseObject({ Audience: z.array(text) })).min(1),
      // An extension that must be understood.
      Condition: z.undefined().optional(),
    }),
  ),
  AuthnStatement: z
    .array(
      z.looseObject({
        $: z.looseObject({ SessionIndex: z.string().optional(), SessionNotOnOrAfter: instant.optional() }),
      }),
    )
    .min(1),
  // An empty one is text.
  AttributeStatement: z.array(z.union([z.string().transform(() => ({ Attribute: [] })), attributes])).default([]),
});
type Assertion = z.output<typeof assertionForm>;

export async function verify(given: Verification): Promise<Statement> {
  const { profile } = await library(given).validatePostResponseAsync({
    SAMLResponse: Buffer.from(given.xml).toString("base64"),
  });
  const parsed = profile?.getAssertion?.();
  if (!parsed) throw new Error("there is no assertion");
  const { data, error } = assertionForm.safeParse(parsed["Assertion"]);
  if (error) throw new Error(`the assertion is invalid: ${z.prettifyError(error)}`);
  check(data, given, Date.now());
  const { NameID } = data.Subject;
  return {
    assertionId: data.$.ID,
    nameId: NameID._,
    nameIdFormat: NameID.$?.Format ?? "",
    sessionIndex: data.AuthnStatement[0]?.$.SessionIndex,
    attributes: toAttributes(data),
  };
}

function library({ issuer, certificates, mustSignResponse, entityId, acsUrl, requestId }: Verification): SAML {
  return new SAML({
    callbackUrl: acsUrl,
    issuer: entityId,
    audience: entityId,
    idpIssuer: issuer,
    idpCert: [...certificates],
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: mustSignResponse,
    acceptedClockSkewMs: skewMs,
    maxAssertionAgeMs: maxAgeMs,
    validateInResponseTo: ValidateInResponseTo.always,
    // Which requests are open is in the database; the caller has looked.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (key) => (key === requestId ? new Date().toISOString() : null),
      removeAsync: async () => null,
    },
  });
}

/** Throws unless the assertion is from this provider, for this organization, an answer to this request, and of now. */
function check(assertion: Assertion, { issuer, entityId, acsUrl, requestId }: Verification, now: number): void {
  const hasBegun = (from: number | undefined) => from === undefined || now + skewMs >= from;
  const isOver = (until: number | undefined) => until !== undefined && now - skewMs >= until;
  const demand = (isTrue: boolean, problem: string) => {
    if (!isTrue) throw new Error(problem);
  };
  demand(assertion.Issuer === issuer, `the issuer is ${JSON.stringify(assertion.Issuer.slice(0, 200))}`);
  const { IssueInstant: issued } = assertion.$;
  demand(hasBegun(issued) && !isOver(issued + maxAgeMs), "the assertion was not issued now");
  const { $: times, AudienceRestriction: restrictions } = assertion.Conditions;
  demand(hasBegun(times.NotBefore) && !isOver(times.NotOnOrAfter), "the assertion is not valid now");
  demand(
    restrictions.every(({ Audience }) => Audience.includes(entityId)),
    "the assertion is for another audience",
  );
  const isConfirmed = assertion.Subject.SubjectConfirmation.some(({ $: { Method }, SubjectConfirmationData: data }) => {
    const { Recipient, InResponseTo, NotBefore, NotOnOrAfter } = data?.$ ?? {};
    const isForUs = Method === bearer && Recipient === acsUrl && InResponseTo === requestId;
    return isForUs && hasBegun(NotBefore) && NotOnOrAfter !== undefined && !isOver(NotOnOrAfter);
  });
  demand(isConfirmed, "the subject is not confirmed for this recipient and request");
  demand(
    !assertion.AuthnStatement.some(({ $ }) => isOver($.SessionNotOnOrAfter)),
    "the session at the provider has ended",
  );
}

function toAttributes({ AttributeStatement }: Assertion): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { $, AttributeValue } of AttributeStatement.flatMap(({ Attribute }) => Attribute))
    found.set($.Name, [...(found.get($.Name) ?? []), ...AttributeValue]);
  return found;
}
