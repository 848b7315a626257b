/** Lease tokens of the tasks that were claimed in this tab; they are needed to finish those tasks here. */
const PREFIX = "pawl.lease.";

export function keepLeaseToken(task_id: string, token: string | null): void {
  if (token !== null) sessionStorage.setItem(PREFIX + task_id, token);
}

export function leaseTokenOf(task_id: string): string | null {
  return sessionStorage.getItem(PREFIX + task_id);
}
