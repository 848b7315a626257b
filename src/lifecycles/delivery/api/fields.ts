import { z } from "zod";
import { fields } from "../../../api/index.ts";

const { words } = fields;

export const group = "delivery";

/** Of a user, a file, a chat: whatever its owner calls it. */
export const id = words.max(200);

export const bytes = z.int().min(0);
