import english from "../../locales/en/organization.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
