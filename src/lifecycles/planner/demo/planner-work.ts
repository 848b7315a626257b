/** One step of building a lamp. `after` names the steps before it. */
type Step = {
  key: string;
  title: string;
  description: string;
  required_trade: "assembly" | "wiring" | "finishing" | null;
  priority: number;
  after: readonly string[];
};

/** The lamps and the steps to build them; each lamp gets its own serial number. */
export const LAMPS: readonly [Lamp, ...Lamp[]] = [
  {
    type: "Beacon",
    steps: [
      step("foot", "Turn the oak foot", "Ø 180 mm, 40 mm high; drawing B-2.", "finishing", 20),
      step("stem", "Cut and thread the brass stem", "M10, both ends, deburr.", "assembly", 20),
      step("wire", "Wire the dimmer", "Insulation test at 500 V before closing.", "wiring", 30, ["stem"]),
      step("oil", "Oil and polish the foot", "Two coats, 12 h between them.", "finishing", 10, ["foot"]),
      step("join", "Join foot, stem and shade", "Torque 4 Nm; the shade stays in its film.", "assembly", 15, [
        "wire",
        "oil",
      ]),
    ],
  },
  {
    type: "Heron",
    steps: [
      step("bend", "Bend the neck", "Radius 220 mm on the former; no flattening.", "assembly", 20),
      step("coat", "Powder-coat the neck", "RAL 9005 matt, 180 °C, 20 min.", "finishing", 20, ["bend"]),
      step("switch", "Build in the switch", "Only batch K-17 or newer.", "wiring", 35, ["coat"]),
      step("weigh", "Set the counterweight", "Must balance at 15° unaided.", "assembly", 10, ["switch"]),
    ],
  },
  {
    type: "Tern",
    steps: [
      step("plate", "Mill the wall plate", "Drawing T-1, revision C.", "assembly", 15),
      step("lens", "Glue the lens", "Clean with alcohol; 30 min under the clamp.", "finishing", 15, [
        "plate",
      ]),
      step("driver", "Wire the driver", "Label with the date of the test.", "wiring", 25, ["plate"]),
      step("pack", "Pack with plugs and screws", "Checklist P-4.", null, 5, ["lens", "driver"]),
    ],
  },
];
type Lamp = { type: string; steps: readonly Step[] };

function step(
  key: string,
  title: string,
  description: string,
  required_trade: Step["required_trade"],
  priority: number,
  after: readonly string[] = [],
): Step {
  return { key, title, description, required_trade, priority, after };
}

export const HOLDS = [
  { kind: "materials", reason: "No brass until the delivery at three" },
  { kind: "materials", reason: "Waiting for dimmers of batch K-18" },
  { kind: "qc", reason: "The gauge is being calibrated" },
  { kind: "access", reason: "The oven is in use until the batch is done" },
] as const;

export const CALLS_FOR_HELP = [
  { reason: "tools", text: "The 10 mm tap is blunt" },
  { reason: "help_needed", text: "I need a second person for ten minutes" },
  { reason: "harder_than_expected", text: "The oak is wet and tears" },
  { reason: "materials", text: "The box is two screws short" },
] as const;

export const ANSWERS = [
  "A new tap is on your bench",
  "Bea is on her way",
  "Take the board from rack 4",
] as const;

export const REJECTIONS = [
  {
    reason: "Scratch on the visible side",
    defect: {
      description: "Scratch of 3 cm on the visible side",
      cause: "Put down without felt",
      what_to_fix: "Sand and oil again",
      severity: "minor",
    },
  },
  {
    reason: "Insulation test missing in the sheet",
    defect: {
      description: "No insulation test on record",
      cause: "The sheet was not filled in",
      what_to_fix: "Measure at 500 V and record the result",
      severity: "major",
    },
  },
  {
    reason: "The lamp leans",
    defect: {
      description: "Leans by 2°",
      cause: "The thread is not straight",
      what_to_fix: "Cut a new stem",
      severity: "major",
    },
  },
] as const;

export const RESOLUTIONS = [
  "Sanded with 240, oiled twice, checked under the lamp.",
  "Measured again: 2.1 MΩ, recorded in the sheet.",
  "New stem; the lamp is upright.",
] as const;

export const RECALLS = ["Rush order first", "Chen is free and faster at this"] as const;
