/** How busy a channel is: messages a week, a rough figure for people to choose by. It rests on whole days. */
export const daysCounted = 28;
const daysUntilKnown = 7;

/** From the messages of the days counted; null while the channel is too young to say. */
export function weeklyTraffic(messages: number, ageInDays: number): number | null {
  if (ageInDays < daysUntilKnown) return null;
  const weeks = Math.min(Math.floor(ageInDays), daysCounted) / 7;
  const perWeek = messages / weeks;
  if (perWeek === 0) return 0;
  return Number(Math.max(1, perWeek).toPrecision(2));
}
