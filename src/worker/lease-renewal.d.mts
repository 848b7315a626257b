type Lease = { task_id: string; lease_token: string };

/** Reported by a renewal: another worker has the task, the lease was not renewed in time, or a renewal failed. */
export type RenewalReport =
  { lost: string; lease_token: string } | { expired: string; lease_token: string } | { failed: string };

export type RenewalMessage =
  | { keep: Lease & { lease_ms: number }; renew_now?: boolean }
  | { release: Lease }
  | { keep?: never; release?: never };

export class LeaseRenewal {
  constructor(options: {
    send: (
      leases: Lease[],
      timeoutMs: number,
    ) => Promise<{ extended: readonly { task_id: string }[]; lost: readonly string[] }>;
    report: (report: RenewalReport) => void;
    mainThreadTimeoutMs: number;
    renewalIntervalMs: number;
  });
  receive(message: RenewalMessage): void;
  stop(): void;
}
