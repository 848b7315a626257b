/** Languages of the console. */
type Language = "en" | "ru";

/** A text in the languages of the console; English is shown where another is missing. */
type Localized = { en: string } & Partial<Record<Language, string>>;

type Names = Readonly<Record<string, string>>;

/**
 * Texts of a lifecycle in one language. Names that are missing are shown as the definition has them: `in_progress` as
 * "In progress".
 */
export type UiTexts = {
  /** Purpose of the lifecycle. */
  summary?: string;
  statuses?: Names;
  /** Actions, as their buttons say it. */
  actions?: Names;
  /** Fields of inputs, data and settings. */
  fields?: Names;
  /** Values that a field can have. */
  choices?: Names;
  /** Descriptions of fields, by the text of the definition. */
  hints?: Names;
  /** Labels of `who`, by the label of the definition. */
  who?: Names;
  /** Refusals by their codes; `{name}` is replaced by a parameter of the refusal, `{name|text}` by the text if it is missing. */
  refusals?: Names;
};

/** A plugin's part of the web console. */
export type PluginUi = {
  /**
   * The ES module with the screens, built for browsers: it exports what `defineScreens` of `pawl/console` gives. Every file
   * in its folder is served to browsers.
   */
  module: URL;
  /** A style sheet beside the module. */
  styles?: URL;
  /** Tabs beside board, table and rules; each has a screen in the module. */
  tabs?: Readonly<Record<string, Localized>>;
  /** The module has a panel for the page of a task; `attempts` if it shows the task's attempts in place of the page. */
  panel?: "details" | "attempts";
  texts?: Partial<Record<Language, UiTexts>>;
};
