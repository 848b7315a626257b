/** What a stand-in does once in place of what it should; `after`: so many bytes go well before. */
export type Mischief =
  | { kind: "status"; status: number; body?: object; headers?: Record<string, string> }
  /** The connection is cut. */
  | { kind: "reset"; after?: number }
  /** Nothing more comes. */
  | { kind: "stall"; after?: number }
  /** It does what was asked for, and cuts the connection in place of an answer. */
  | { kind: "lost answer" }
  /** Fewer bytes than were promised, and it says that this is all. */
  | { kind: "short" }
  /** As many bytes, but others. */
  | { kind: "garbled" };

/** What is to go wrong, by the name of what is asked for (`link`, or `link disk:/a.pdf`); each once, in order. */
export class Mischiefs {
  private readonly planned = new Map<string, Mischief[]>();

  plan(what: string, ...mischiefs: Mischief[]): void {
    this.planned.set(what, [...(this.planned.get(what) ?? []), ...mischiefs]);
  }

  /** Whether all mischiefs planned for `what` have happened. Wait for it before killing a caller: its successor would meet the rest. */
  happened(what: string): boolean {
    return this.planned.get(what)?.length === 0;
  }

  take(what: string, about: string): Mischief | null {
    return this.planned.get(`${what} ${about}`)?.shift() ?? this.planned.get(what)?.shift() ?? null;
  }
}
