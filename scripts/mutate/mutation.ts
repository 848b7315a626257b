/** One deliberate fault in the source, and the test that must fail because of it. */
export type Mutation = {
  /** The fault, in a few words. */
  fault: string;
  file: string;
  /** A text that occurs once in the file. */
  find: string;
  replace: string;
  /** The test file, and words from the name of the test in it. */
  test: string;
  name: string;
};

/** A rule of the write path with the faults that break it. */
export type Rule = { rule: string; mutations: readonly Mutation[] };
