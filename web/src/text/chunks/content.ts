import english from "../../locales/en/content.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
