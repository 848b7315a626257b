import { z } from "zod";

export const group = "delivery";

export const bytes = z.int().min(0);
