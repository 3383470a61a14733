import english from "../../locales/en/organization-lists.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
