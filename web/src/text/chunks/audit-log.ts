import english from "../../locales/en/audit-log.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
