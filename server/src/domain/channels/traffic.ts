/** A channel's weekly traffic: a rough number of messages per week, based on whole days. */
export const daysCounted = 28;
const daysUntilKnown = 7;

/** `messages` is the number in the last `daysCounted` days. Null while the channel is too new for an estimate. */
export function weeklyTraffic(messages: number, ageInDays: number): number | null {
  if (ageInDays < daysUntilKnown) return null;
  const weeks = Math.min(Math.floor(ageInDays), daysCounted) / 7;
  const perWeek = messages / weeks;
  if (perWeek === 0) return 0;
  return Number(Math.max(1, Math.round(perWeek)).toPrecision(2));
}
