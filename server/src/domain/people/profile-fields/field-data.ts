/** Validates the extra data of fields with options or external accounts. It is stored as JSON text. */
import { textLength } from "@skein/api/endpoint.ts";
import { fieldTypes, type FieldType } from "@skein/api/profile-fields.ts";
import { ApiError } from "../../../errors.ts";
import { customSubtype, externalAccounts, usernamePlaceholder } from "./external-accounts.ts";

type Given = Record<string, string | Record<string, string>>;

const maxDataLength = 50_000;
const maxOptionLength = 200;
const maxUrlPatternLength = 1024;

export function toFieldData(type: FieldType, given: Given): string {
  if (type === fieldTypes.SELECT.id) return stored(checkedOptions(given));
  if (type === fieldTypes.EXTERNAL_ACCOUNT.id) return stored(checkedAccount(given));
  return "";
}

function stored(data: object): string {
  const text = JSON.stringify(data);
  if (text.length > maxDataLength) throw new ApiError(`field_data is too long (limit: ${maxDataLength} characters)`);
  return text;
}

export interface Option {
  text: string;
  order: string;
}

function checkedOptions(given: Given): Record<string, Option> {
  const entries = Object.entries(given).map(([key, option]) => [key, checkedOption(key, option)] as const);
  if (entries.length === 0) throw new ApiError("Field must have at least one choice.");
  const texts = new Set(entries.map(([, option]) => option.text));
  if (texts.size < entries.length) throw new ApiError("Field must not have duplicate choices.");
  return Object.fromEntries(entries);
}

function checkedOption(key: string, option: Given[string]): Option {
  if (key.trim() === "") throw new ApiError("'value' cannot be blank.");
  if (typeof option === "string") throw new ApiError("field_data is not a dict");
  const { text, order, ...others } = option;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new ApiError(`Argument "${unknown}" at field_data is unexpected`);
  if (text === undefined) throw new ApiError("text key is missing from field_data");
  if (order === undefined) throw new ApiError("order key is missing from field_data");
  if (text.trim() === "") throw new ApiError('field_data["text"] cannot be blank.');
  if (textLength(text) > maxOptionLength || textLength(key) > maxOptionLength)
    throw new ApiError(`field_data["text"] is too long (limit: ${maxOptionLength} characters)`);
  return { text, order };
}

interface AccountData {
  subtype: string;
  url_pattern?: string;
}

function checkedAccount(given: Given): AccountData {
  const { subtype, url_pattern, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new ApiError(`Argument "${unknown}" at field_data is unexpected`);
  if (typeof subtype !== "string") throw new ApiError("subtype key is missing from field_data");
  if (subtype !== customSubtype) {
    if (!Object.hasOwn(externalAccounts, subtype)) throw new ApiError("Invalid external account type");
    return { subtype };
  }
  if (typeof url_pattern !== "string") throw new ApiError("Custom external account must define URL pattern");
  if (!isUrlPattern(url_pattern)) throw new ApiError("Malformed URL pattern.");
  return { subtype, url_pattern };
}

/** A web URL with exactly one placeholder for the username. */
function isUrlPattern(pattern: string): boolean {
  if (pattern.length > maxUrlPatternLength || pattern.split(usernamePlaceholder).length !== 2) return false;
  const example = pattern.replace(usernamePlaceholder, "username");
  return /^https?:/.test(pattern) && URL.canParse(example);
}

/** The stored text was written by `toFieldData`. */
export const readAccountData = (fieldData: string): AccountData => JSON.parse(fieldData) as AccountData;
export const readOptions = (fieldData: string): Record<string, Option> =>
  JSON.parse(fieldData) as Record<string, Option>; // likewise
