import english from "../../locales/en/people.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
