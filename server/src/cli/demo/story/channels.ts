/** Where Hedgerow talks. */
import { people } from "./people.ts";

export interface DemoChannel {
  description: string;
  /** Keys of people and bots; everybody but guests where left out. */
  members?: string[];
  isPrivate?: true;
  isDefault?: true;
  /** Only administrators and moderators write here. */
  isForAnnouncements?: true;
}

const engineers = ["mei", "kofi", "tomas", "hana", "noor", "sam", "linh", "oleks", "eero", "jun", "ana", "theo"];
const makers = [...engineers, "arjun", "wei", "lars", "diego", "bram", "priya", "omar"];
const answerers = ["olive", "aisha", "rosa", "kiri", "priya", "sam", "ana", "lucia", "malik", "omar"];
const fixers = ["mei", "tomas", "arjun", "wei", "hana", "lars", "diego", "bram", "noor", "theo", "jun", "oleks"];

export const channels: Record<string, DemoChannel> = {
  announcements: {
    description: "What everybody should know. A few people write, everybody reads.",
    isDefault: true,
    isForAnnouncements: true,
  },
  general: { description: "What concerns all of Hedgerow.", isDefault: true },
  design: {
    description: "How it looks and how it feels. Screens, words, **plants** in the right green.",
    members: ["olive", "ines", "maya", "finn", "hana", "theo", "linh", "priya", "lars", "diego", "fatima", "lucia"],
  },
  engineering: {
    description: "Code, reviews, decisions. Servers and alerts are in #infrastructure.",
    members: ["olive", ...makers, "maya", "aisha", "kiri", "lucia", "malik", "builds", "standup"],
  },
  infrastructure: {
    description: "Where it runs. Alerts arrive here; whoever is on call answers them.",
    members: [
      "olive",
      "kofi",
      "eero",
      "mei",
      "tomas",
      "oleks",
      "wei",
      "arjun",
      "noor",
      "sam",
      "bram",
      "priya",
      "builds",
      "alerts",
    ],
  },
  releases: {
    description: "What goes out, when, and what we said about it.",
    members: ["olive", ...makers, "aisha", "rosa", "kiri", "fatima", "ines", "malik", "lucia", "maya", "builds"],
  },
  support: {
    description: "Questions of growers, a topic a ticket.",
    members: [...answerers, ...fixers],
  },
  mobile: {
    description: "The apps on both kinds of phones.",
    members: ["olive", "lars", "diego", "ines", "maya", "sam", "ana", "priya", "mei", "arjun", "hana"],
  },
  random: { description: "Everything that is not work. Pets and vegetables first.", isDefault: true },
  hiring: {
    description: "Candidates, and only candidates. Be kind and be brief.",
    isPrivate: true,
    members: ["olive", "zanele", "priya", "kofi", "mei", "ines", "hana", "sam", "oleks"],
  },
  leadership: {
    description: "Plans and numbers before they are ready.",
    isPrivate: true,
    members: ["olive", "priya", "kofi", "ines", "aisha", "zanele", "greta"],
  },
  "cake committee": {
    description: "Ten years of Hedgerow need a cake.",
    isPrivate: true,
    members: ["zanele", "aisha", "sam", "linh", "theo", "rosa", "finn"],
  },
};

const everybody = ["olive", ...Object.keys(people).filter((key) => key !== "finn")];

export const membersOf = ({ members }: DemoChannel): readonly string[] => members ?? everybody;
