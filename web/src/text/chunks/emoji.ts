import english from "../../locales/en/emoji.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
