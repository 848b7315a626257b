"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Renders the page again, without a reload, whenever a task changes. */
export function LiveUpdates() {
  const router = useRouter();
  useEffect(() => {
    const events = new EventSource("/tasks/events");
    // Also after a reconnect, because something may have changed meanwhile.
    events.onopen = () => router.refresh();
    events.onmessage = () => router.refresh();
    return () => events.close();
  }, [router]);
  return null;
}
