import type { Actor } from "../core/index.ts";
import type { Confines } from "./directory/confines.ts";

/** The caller: a member of an org, or the system. `confined_to` is set if its token allows less than the member may do. */
export type Caller = { org_id: string; actor: Actor; confined_to?: Confines | null };
