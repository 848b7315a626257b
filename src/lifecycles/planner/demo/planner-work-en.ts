import type { PlannerContent } from "./planner-work.ts";

export const PLANNER_EN: PlannerContent = {
  names: {
    nina: "Nina Sørensen",
    victor: "Victor Mensah",
    lena: "Lena Brandt",
    amir: "Amir Haddad",
    boris: "Boris Kowalski",
    clara: "Clara Wei",
    david: "David Conti",
    eva: "Eva Nyström",
    farid: "Farid Rahimi",
  },
  trades: { assembly: "assembly", wiring: "wiring", finishing: "finishing" },
  lamps: { beacon: "Beacon", heron: "Heron", tern: "Tern" },
  steps: {
    foot: { title: "Turn the oak foot", description: "Ø 180 mm, 40 mm high; drawing B-2." },
    stem: { title: "Cut and thread the brass stem", description: "M10, both ends, deburr." },
    wire: { title: "Wire the dimmer", description: "Insulation test at 500 V before closing." },
    oil: { title: "Oil and polish the foot", description: "Two coats, 12 h between them." },
    join: { title: "Join foot, stem and shade", description: "Torque 4 Nm; the shade stays in its film." },
    bend: { title: "Bend the neck", description: "Radius 220 mm on the former; no flattening." },
    coat: { title: "Powder-coat the neck", description: "RAL 9005 matt, 180 °C, 20 min." },
    switch: { title: "Build in the switch", description: "Only batch K-17 or newer." },
    weigh: { title: "Set the counterweight", description: "Must balance at 15° unaided." },
    plate: { title: "Mill the wall plate", description: "Drawing T-1, revision C." },
    lens: { title: "Glue the lens", description: "Clean with alcohol; 30 min under the clamp." },
    driver: { title: "Wire the driver", description: "Label with the date of the test." },
    pack: { title: "Pack with plugs and screws", description: "Checklist P-4." },
  },
  holds: [
    { kind: "materials", reason: "No brass until the delivery at three" },
    { kind: "materials", reason: "Waiting for dimmers of batch K-18" },
    { kind: "qc", reason: "The gauge is being calibrated" },
    { kind: "access", reason: "The oven is in use until the batch is done" },
  ],
  callsForHelp: [
    { reason: "tools", text: "The 10 mm tap is blunt" },
    { reason: "help_needed", text: "I need a second person for ten minutes" },
    { reason: "harder_than_expected", text: "The oak is wet and tears" },
    { reason: "materials", text: "The box is two screws short" },
  ],
  answers: ["A new tap is on your bench", "Boris is on his way", "Take the board from rack 4"],
  rejections: [
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
  ],
  fix: "Fix",
  resolutions: [
    "Sanded with 240, oiled twice, checked under the lamp.",
    "Measured again: 2.1 MΩ, recorded in the sheet.",
    "New stem; the lamp is upright.",
  ],
  recalls: ["Rush order first", "Clara is free and faster at this"],
  report: "QC",
};
