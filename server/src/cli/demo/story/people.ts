/** Who works at Hedgerow. A person's key is what the scripts call them; `olive` is the owner of the organization. */
import { roles, type Role } from "@skein/api/users.ts";

export interface Person {
  name: string;
  /** The part of the address before the @. */
  mail: string;
  team: string;
  timezone: string;
  role?: Role;
  pronouns?: string;
  /** A sentence in the profile. */
  about?: string;
  status?: { emoji: string; text: string };
  /** How long ago they were last there, in minutes; left out: at this moment. */
  awayMinutes?: number;
}

export const owner: Person = {
  name: "Olive Marchetti",
  mail: "owner",
  team: "Everything else",
  timezone: "Europe/Rome",
  pronouns: "she/her",
  about: "Started Hedgerow on a balcony with one tomato. The tomato did not make it.",
  status: { emoji: "tomato", text: "Back on my desk" },
};

export const people: Record<string, Person> = {
  mei: {
    name: "Mei Tanaka",
    mail: "mei",
    team: "Backend",
    timezone: "Asia/Tokyo",
    pronouns: "she/her",
    about: "Queues, calendars, time zones. Ask me about leap seconds (please do not).",
  },
  kofi: {
    name: "Kofi Mensah",
    mail: "kofi",
    team: "Infrastructure",
    timezone: "Africa/Accra",
    role: roles.administrator,
    pronouns: "he/him",
    about: "If it has a disk, it will fill up.",
    status: { emoji: "hammer_and_wrench", text: "On call until Thursday" },
  },
  ines: {
    name: "Inês Carvalho",
    mail: "ines",
    team: "Design",
    timezone: "Europe/Lisbon",
    pronouns: "she/her",
    about: "Leads design. Draws on paper first.",
    status: { emoji: "headphones", text: "Focus until lunch" },
    awayMinutes: 9,
  },
  lars: { name: "Lars Nyström", mail: "lars", team: "Mobile", timezone: "Europe/Stockholm", pronouns: "he/him" },
  priya: {
    name: "Priya Raghunathan",
    mail: "priya",
    team: "Product",
    timezone: "Asia/Kolkata",
    role: roles.administrator,
    pronouns: "she/her",
    about: "Keeps the roadmap and the snack list.",
  },
  tomas: {
    name: "Tomáš Horák",
    mail: "tomas",
    team: "Backend",
    timezone: "Europe/Prague",
    about: "Databases and sourdough.",
    awayMinutes: 35,
  },
  aisha: {
    name: "Aisha Bello",
    mail: "aisha",
    team: "Support",
    timezone: "Africa/Lagos",
    role: roles.moderator,
    pronouns: "she/her",
    about: "Leads support. Has read every ticket since number 1.",
  },
  diego: { name: "Diego Fuentes", mail: "diego", team: "Mobile", timezone: "America/Santiago", awayMinutes: 480 },
  hana: { name: "Hana Kovačević", mail: "hana", team: "Frontend", timezone: "Europe/Zagreb", pronouns: "she/her" },
  noor: {
    name: "Noor Haddad",
    mail: "noor",
    team: "Data",
    timezone: "Asia/Beirut",
    pronouns: "they/them",
    about: "Weather in, advice out.",
    awayMinutes: 4,
  },
  sam: {
    name: "Sam Whitfield",
    mail: "sam",
    team: "Quality",
    timezone: "Europe/London",
    role: roles.moderator,
    pronouns: "they/them",
    status: { emoji: "bug", text: "Collecting bugs" },
  },
  linh: { name: "Nguyễn Thùy Linh", mail: "linh", team: "Frontend", timezone: "Asia/Ho_Chi_Minh" },
  oleks: {
    name: "Oleksandra Shevchuk",
    mail: "oleksandra",
    team: "Backend",
    timezone: "Europe/Kyiv",
    pronouns: "she/her",
    about: "Security, mostly the boring kind that works.",
    awayMinutes: 70,
  },
  malik: { name: "Malik Johnson", mail: "malik", team: "Partnerships", timezone: "America/Chicago", awayMinutes: 600 },
  rosa: { name: "Rosa Quispe", mail: "rosa", team: "Support", timezone: "America/Lima", awayMinutes: 540 },
  eero: {
    name: "Eero Lahtinen",
    mail: "eero",
    team: "Infrastructure",
    timezone: "Europe/Helsinki",
    about: "Speaks little, deploys often.",
  },
  zanele: {
    name: "Zanele Dlamini",
    mail: "zanele",
    team: "People",
    timezone: "Africa/Johannesburg",
    pronouns: "she/her",
    status: { emoji: "calendar", text: "Interviews all day" },
  },
  bram: {
    name: "Bram de Wit",
    mail: "bram",
    team: "Sensors",
    timezone: "Europe/Amsterdam",
    about: "Puts electronics into mud.",
    status: { emoji: "umbrella", text: "In the field (a real one)" },
    awayMinutes: 125,
  },
  fatima: {
    name: "Fatima Zahra Alaoui",
    mail: "fatima",
    team: "Marketing",
    timezone: "Africa/Casablanca",
    pronouns: "she/her",
  },
  jun: { name: "Park Jun-ho", mail: "jun", team: "Data", timezone: "Asia/Seoul", awayMinutes: 12 },
  ana: { name: "Ana Popescu", mail: "ana", team: "Quality", timezone: "Europe/Bucharest" },
  theo: { name: "Théo Lambert", mail: "theo", team: "Frontend", timezone: "Europe/Paris", awayMinutes: 3 },
  maya: { name: "Maya Cohen", mail: "maya", team: "Design", timezone: "Asia/Jerusalem", pronouns: "she/her" },
  arjun: { name: "Arjun Mehta", mail: "arjun", team: "Backend", timezone: "Asia/Kolkata" },
  kiri: {
    name: "Kiri Parata",
    mail: "kiri",
    team: "Support",
    timezone: "Pacific/Auckland",
    about: "Looks after the big growers. Wakes up before everyone, or after, depending how you count.",
    awayMinutes: 45,
  },
  wei: { name: "Chen Wei", mail: "wei", team: "Backend", timezone: "Asia/Singapore" },
  greta: {
    name: "Greta Solberg",
    mail: "greta",
    team: "Finance",
    timezone: "Europe/Oslo",
    status: { emoji: "palm_tree", text: "On holiday, back soon" },
    awayMinutes: 5000,
  },
  omar: { name: "Omar Siddiqui", mail: "omar", team: "Documentation", timezone: "America/Toronto", awayMinutes: 700 },
  lucia: {
    name: "Lucía Romero",
    mail: "lucia",
    team: "Agronomy",
    timezone: "America/Argentina/Mendoza",
    pronouns: "she/her",
    about: "The one who actually knows when to sow beans.",
    awayMinutes: 300,
  },
  finn: {
    name: "Finn O'Sullivan",
    mail: "finn",
    team: "Illustration (freelance)",
    timezone: "Europe/Dublin",
    role: roles.guest,
    awayMinutes: 20,
  },
};

export interface Bot {
  name: string;
  mail: string;
  owner: keyof typeof people;
}

export const bots: Record<string, Bot> = {
  builds: { name: "Build Bot", mail: "build-bot", owner: "eero" },
  alerts: { name: "Alert Bot", mail: "alert-bot", owner: "kofi" },
  standup: { name: "Standup Bot", mail: "standup-bot", owner: "sam" },
};

export const groups: { name: string; description: string; members: string[] }[] = [
  { name: "backend", description: "Servers and databases", members: ["mei", "tomas", "arjun", "wei", "oleks"] },
  { name: "frontend", description: "The web application", members: ["hana", "linh", "theo"] },
  { name: "mobile", description: "Both phones", members: ["lars", "diego"] },
  { name: "designers", description: "Everyone who draws", members: ["ines", "maya"] },
  { name: "support", description: "Those who answer growers", members: ["aisha", "rosa", "kiri"] },
  { name: "on-call", description: "Who is woken up", members: ["kofi", "eero", "mei"] },
];
