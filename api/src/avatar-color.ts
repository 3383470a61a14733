/**
 * The background color for users without an avatar, the same in every client: for the pattern that this server draws,
 * and for the initials that the web client shows. White text is readable on each color.
 */
export const avatarColors = [
  "#0B6B60",
  "#A1345F",
  "#0B57D0",
  "#7A4B00",
  "#6B3FA0",
  "#1A6B3A",
  "#B3261E",
  "#2B5C8A",
  "#5C6300",
  "#8A3D1F",
  "#3F4FB0",
  "#5A5A66",
] as const;

export const avatarColor = (userId: number): string => avatarColors[userId % avatarColors.length] ?? avatarColors[0];
