/** Tokens of the leases that this tab has opened: whoever claims by the console can also finish by it. */
const PREFIX = "pawl.lease.";

export function keepLeaseToken(task_id: string, token: string | null): void {
  if (token !== null) sessionStorage.setItem(PREFIX + task_id, token);
}

export function leaseTokenOf(task_id: string): string | null {
  return sessionStorage.getItem(PREFIX + task_id);
}
