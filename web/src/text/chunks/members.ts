import english from "../../locales/en/members.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
