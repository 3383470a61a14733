import english from "../../locales/en/keys.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
