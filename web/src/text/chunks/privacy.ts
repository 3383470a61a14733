import english from "../../locales/en/privacy.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
