import english from "../../locales/en/settings.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
