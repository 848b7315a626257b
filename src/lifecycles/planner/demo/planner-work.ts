/** A step of building a lamp, without its texts. `after` names the steps before it. */
type Outline<Key extends string> = {
  key: Key;
  trade: Trade | null;
  priority: number;
  after: readonly string[];
};

/** The trades of the workshop. */
export type Trade = "assembly" | "wiring" | "finishing";

function step<Key extends string>(
  key: Key,
  trade: Trade | null,
  priority: number,
  after: readonly string[] = [],
): Outline<Key> {
  return { key, trade, priority, after };
}

const BEACON = [
  step("foot", "finishing", 20),
  step("stem", "assembly", 20),
  step("wire", "wiring", 30, ["stem"]),
  step("oil", "finishing", 10, ["foot"]),
  step("join", "assembly", 15, ["wire", "oil"]),
];

const HERON = [
  step("bend", "assembly", 20),
  step("coat", "finishing", 20, ["bend"]),
  step("switch", "wiring", 35, ["coat"]),
  step("weigh", "assembly", 10, ["switch"]),
];

const TERN = [
  step("plate", "assembly", 15),
  step("lens", "finishing", 15, ["plate"]),
  step("driver", "wiring", 25, ["plate"]),
  step("pack", null, 5, ["lens", "driver"]),
];

type StepKey = (typeof BEACON | typeof HERON | typeof TERN)[number]["key"];

/** Combines the lamps and their steps with their texts; each lamp gets its own serial number. */
export function lampsIn({ lamps, steps, trades }: PlannerContent) {
  const lamp = (type: string, outlines: readonly Outline<StepKey>[]) => ({
    type,
    steps: outlines.map(({ trade, ...outline }) => ({
      ...outline,
      ...steps[outline.key],
      required_trade: trade === null ? null : trades[trade],
    })),
  });
  return [lamp(lamps.beacon, BEACON), lamp(lamps.heron, HERON), lamp(lamps.tern, TERN)] as const;
}

/** The crews alternate, one shift each. */
export const CREWS = [
  ["amir", "boris", "clara"],
  ["david", "eva", "farid"],
] as const;

export const LEADS = ["victor", "lena"] as const;

type Maker = (typeof CREWS)[number][number];
type Phrases = readonly [string, ...string[]];
type Several<T> = readonly [T, ...T[]];

/** All texts and names of the workshop in one language. */
export type PlannerContent = {
  names: Readonly<Record<Maker | (typeof LEADS)[number] | "nina", string>>;
  trades: Readonly<Record<Trade, string>>;
  /** Types of the lamps; a serial number begins with the first letter. */
  lamps: Readonly<Record<"beacon" | "heron" | "tern", string>>;
  steps: Readonly<Record<StepKey, { title: string; description: string }>>;
  holds: Several<{ kind: "materials" | "qc" | "access"; reason: string }>;
  callsForHelp: Several<{
    reason: "tools" | "help_needed" | "harder_than_expected" | "materials";
    text: string;
  }>;
  answers: Phrases;
  rejections: Several<{
    reason: string;
    defect: { description: string; cause: string; what_to_fix: string; severity: "minor" | "major" };
  }>;
  /** Begins the title of a fix-task. */
  fix: string;
  resolutions: Phrases;
  recalls: Phrases;
  /** Begins the number of an inspection report. */
  report: string;
};
