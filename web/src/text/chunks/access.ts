import english from "../../locales/en/access.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
