import { useState } from "react";
import {
  Avatar,
  Button,
  EmptyState,
  LifecycleHead,
  PawlProblem,
  Segments,
  useLiveQuery,
  useMemberNames,
  useNow,
  useTexts,
  useSearch,
  useI18n,
  Loaded,
} from "../../../console/index.ts";
import type { Tone } from "../../../console/index.ts";
import { delivery, POLL_INTERVAL_MS } from "./delivery-calls.ts";
import type { User } from "./delivery-calls.ts";
import { DecideDialog } from "./decide-dialog.tsx";
import type { Decision } from "./decide-dialog.tsx";
import { TEXTS } from "./texts.ts";
import "./delivery.css";

const STATUSES = ["PENDING", "ACTIVE", "EXPIRED", "BLOCKED"] as const;
const TONES: Readonly<Record<User["status"], Tone>> = {
  PENDING: "warn",
  ACTIVE: "good",
  EXPIRED: "slate",
  BLOCKED: "bad",
};
/** The possible decisions about a user, most likely first. */
const DECISIONS: Readonly<Record<User["status"], readonly Decision[]>> = {
  PENDING: ["approve", "block"],
  ACTIVE: ["extend", "block"],
  EXPIRED: ["approve", "block"],
  BLOCKED: ["approve"],
};
const MAX_USERS = 200;

/** Users and requests for access. */
export default function UsersScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(TEXTS);
  const [search, change] = useSearch();
  const status = STATUSES.find((one) => one === search.get("status")) ?? null;
  const query = useLiveQuery({
    lifecycle,
    key: ["users"],
    ask: (signal) => delivery.listDeliveryUsers({ limit: MAX_USERS }, { signal }),
    everyMs: POLL_INTERVAL_MS,
  });
  const { data, error } = query;
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <Segments
          label={texts.users}
          value={status ?? "any"}
          onChange={(value) => {
            change({ status: value === "any" ? null : value });
          }}
          options={[
            { value: "any", label: texts.any },
            ...STATUSES.map((value) => ({
              value,
              label: (
                <>
                  {texts.userStatus[value]} <span className="num">{count(data?.users, value)}</span>
                </>
              ),
            })),
          ]}
        />
      </LifecycleHead>
      {!data && error instanceof PawlProblem && error.status === 403 ? (
        <EmptyState icon="lock" title={texts.onlyAdmins} hint={texts.onlyAdminsHint} />
      ) : (
        <Loaded of={[query]}>
          {({ users }) => <UserList lifecycle={lifecycle} users={users} status={status} />}
        </Loaded>
      )}
    </>
  );
}

function count(users: readonly User[] | undefined, status: User["status"]): string {
  const n = users?.filter((user) => user.status === status).length ?? 0;
  return n === 0 ? "" : String(n);
}

function UserList({
  lifecycle,
  users,
  status,
}: {
  lifecycle: string;
  users: readonly User[];
  status: User["status"] | null;
}) {
  const texts = useTexts(TEXTS);
  const [pending, setAsked] = useState<{ user: User; decision: Decision } | null>(null);
  if (users.length === 0) return <EmptyState icon="members" title={texts.noUsers} hint={texts.noUsersHint} />;
  const shown = users
    .filter((user) => status === null || user.status === status)
    .toSorted(
      (a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) || a.name.localeCompare(b.name),
    );
  return (
    <section className="card" aria-label={texts.users}>
      {shown.length === 0 && <p className="body faint">{texts.noMatch}</p>}
      <ul className="jobs users">
        {shown.map((user) => (
          <li key={user.id} data-user={user.id}>
            <UserName user={user} />
            <span className="chip" data-tone={TONES[user.status]}>
              {texts.userStatus[user.status]}
            </span>
            <Access user={user} />
            <span className="row">
              {DECISIONS[user.status].map((decision, index) => (
                <Button
                  key={decision}
                  small
                  {...(decision === "block"
                    ? { look: "danger" as const }
                    : index === 0 && user.status === "PENDING"
                      ? { look: "main" as const }
                      : {})}
                  onClick={() => {
                    setAsked({ user, decision });
                  }}
                >
                  {texts[decision]}
                </Button>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {pending && (
        <DecideDialog
          lifecycle={lifecycle}
          {...pending}
          onClose={() => {
            setAsked(null);
          }}
        />
      )}
    </section>
  );
}

function UserName({ user }: { user: User }) {
  return (
    <span className="row">
      <Avatar id={user.id} name={user.name} />
      <span className="stack who">
        <b className="cut">{user.name}</b>
        <span className="faint small cut">{user.username === null ? user.id : `@${user.username}`}</span>
      </span>
    </span>
  );
}

function Access({ user }: { user: User }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const nameOf = useMemberNames();
  const now = useNow(10);
  const left = user.access_until === null ? 0 : (Date.parse(user.access_until) - now) / 1_000;
  return (
    <span className="small soft access">
      {user.status === "PENDING" && texts.requested(f.ago(user.requested_at, now))}
      {user.access_until !== null && user.status !== "PENDING" && (
        <span title={f.moment(user.access_until)}>
          {left > 0 ? texts.endsIn(f.span(left)) : texts.ended(f.ago(user.access_until, now))}
        </span>
      )}
      {user.decided_by !== null && (
        <span className="faint"> · {texts.decidedBy(nameOf(user.decided_by))}</span>
      )}
    </span>
  );
}
