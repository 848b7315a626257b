import { DATABASE_RULES } from "./database-rules.ts";
import { LOCKED_RULES } from "./locked-rules.ts";
import type { Rule } from "./mutation.ts";
import { OPTIMISTIC_RULES } from "./optimistic-rules.ts";

/** All rules of the write path, those of optimistic commands first. */
export const RULES: readonly Rule[] = [...OPTIMISTIC_RULES, ...LOCKED_RULES, ...DATABASE_RULES];
