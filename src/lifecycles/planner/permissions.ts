const ALL = ["executor", "lead", "supervisor", "system"];
/** A viewer only reads, and an admin manages members and settings: both see everything in their projects. */
const READERS = [...ALL, "admin", "viewer"];
const LEADS = ["lead", "supervisor"];

/** The roles of each permission, checked before the engine is called. The rules also check owner and skill. */
export const plannerPermissions = {
  "task.read": READERS,
  "task.create_defect": ALL,
  "task.self_assign": ["executor"],
  "task.start": ["executor"],
  "task.submit": ["executor"],
  "task.review_approve": ["executor", ...LEADS],
  "task.assign": LEADS,
  "task.review_reject": LEADS,
  "task.recall_to_pool": LEADS,
  "task.cancel": LEADS,
  "task.unblock": [...LEADS, "system"],
  "task.shift_release": ["system"],
  "task.flag": [],
  "task.escalate": ["executor", ...LEADS],
  "task.create": [...LEADS, "system"],
  "task.update": [...LEADS, "system"],
  "task.delete": LEADS,
  "task.fix": LEADS,
  "hold.place": [...LEADS, "system"],
  "hold.release": [...LEADS, "system"],
  "escalation.resolve": LEADS,
  "dependency.add": LEADS,
  "dependency.remove": LEADS,
  "shift.read": [...LEADS, "admin", "viewer"],
  "shift.read_own": ["executor", ...LEADS],
  "shift.write": LEADS,
  "attention.read": [...LEADS, "admin", "viewer"],
  "template.read": READERS,
  "template.write": LEADS,
  "stats.read": [...LEADS, "admin", "viewer"],
  "contributor.add": ["executor", ...LEADS],
  "contributor.remove": ["executor", ...LEADS],
  "deliverable.read": READERS,
  "deliverable.write": LEADS,
  "inspection.read": READERS,
  "inspection.write": LEADS,
  "policy.read": READERS,
  "policy.write": ["supervisor", "admin"],
};

/** Conditions that the rules check beyond the permission, for display. */
export const plannerConditions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "task.create_defect": { executor: "owner or contributor" },
  "task.self_assign": { executor: "skill, trade, no other task" },
  "task.start": { executor: "owner" },
  "task.submit": { executor: "owner" },
  "task.review_approve": { executor: "owner with self_check_min_skill" },
  "task.escalate": {
    executor: "owner or contributor",
    lead: "owner or contributor",
    supervisor: "owner or contributor",
  },
  "contributor.add": { executor: "owner with min_skill_to_invite" },
  "contributor.remove": { executor: "owner with min_skill_to_invite, or oneself" },
};
