import english from "../../locales/en/roles.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
