/** A fault that a simulated server shows once; `after`: the number of bytes that are transferred before it. */
export type InjectedFault =
  | { kind: "status"; status: number; body?: object; headers?: Record<string, string> }
  /** Closes the connection. */
  | { kind: "reset"; after?: number }
  /** Sends nothing more. */
  | { kind: "stall"; after?: number }
  /** Performs the request, and closes the connection instead of answering. */
  | { kind: "lost answer" }
  /** Sends fewer bytes than stored, with a matching content-length. */
  | { kind: "short" }
  /** Sends the right number of bytes, but wrong ones. */
  | { kind: "garbled" };

/** The planned faults by kind of request (`link`, or `link disk:/a.pdf`); each occurs once, in order. */
export class FaultPlan {
  private readonly planned = new Map<string, InjectedFault[]>();

  plan(what: string, ...faults: InjectedFault[]): void {
    this.planned.set(what, [...(this.planned.get(what) ?? []), ...faults]);
  }

  /** Returns whether all faults planned for `what` have occurred. Wait for it before killing a caller: its successor would get the rest. */
  happened(what: string): boolean {
    return this.planned.get(what)?.length === 0;
  }

  take(what: string, about: string): InjectedFault | null {
    return this.planned.get(`${what} ${about}`)?.shift() ?? this.planned.get(what)?.shift() ?? null;
  }
}
