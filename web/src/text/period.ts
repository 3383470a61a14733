import { language } from "./t.ts";

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** A period in the largest unit that divides it: "2 hours". */
export function period(seconds: number): string {
  const [unit, size] = units.find(([, each]) => seconds >= each && seconds % each === 0) ?? units[3];
  return new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "long" }).format(seconds / size);
}
