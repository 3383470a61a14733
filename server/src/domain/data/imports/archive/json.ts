/** Values of unknown JSON, as what they are expected to be. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const recordsOf = (value: unknown): JsonRecord[] => listOf(value).filter(isRecord);
export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const stringsOf = (value: unknown): string[] => listOf(value).filter((item) => typeof item === "string");

/** A number, also if it is written as text. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
