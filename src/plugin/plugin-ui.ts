/** The languages of the console. */
type Language = "en" | "ru";

/** A text in several languages; a missing one is shown in English. */
type Localized = { en: string } & Partial<Record<Language, string>>;

type Names = Readonly<Record<string, string>>;

/** Labels of a lifecycle in one language. A missing label is made from the name: `in_progress` is shown as "In progress". */
export type UiTexts = {
  /** One line about the purpose of the lifecycle. */
  summary?: string;
  /** Labels of statuses. */
  statuses?: Names;
  /** Labels of actions, used on buttons: "Record a payment". */
  actions?: Names;
  /** Consequences of actions, shown in the dialog before they run: "A canceled task is final." */
  confirmations?: Names;
  /** Messages after actions; `{title}` inserts the task's title. By default the new status is shown. */
  successes?: Names;
  /** Labels of fields in inputs, data and settings. */
  fields?: Names;
  /** Labels of the values of fields that are enums. */
  choices?: Names;
  /** Translated descriptions of fields; the key is the description in the definition. */
  hints?: Names;
  /** Translated labels of `who`; the key is the label in the definition. */
  who?: Names;
  /** Texts of refusals by code. `{name}` inserts a parameter of the refusal; `{name|text}` inserts `text` if there is none. */
  refusals?: Names;
};

/** The plugin's screens and labels in the web console. */
export type PluginUi = {
  /**
   * The built ES module. Its default export is the result of `defineScreens` of `pawl/console`. The server serves the scripts,
   * style sheets, source maps, images (SVG, PNG) and WOFF2 fonts in its folder to everyone, without authentication.
   */
  module: URL;
  /** A style sheet in the same folder. */
  styles?: URL;
  /** Titles of additional tabs by id; the module has a screen for each id. Members with a role of `first_for` see that tab first. */
  tabs?: Readonly<Record<string, Localized & { first_for?: readonly string[] }>>;
  /** Set if the module has a panel for the page of a task; `attempts` if the panel replaces the page's own list of attempts. */
  panel?: "details" | "attempts";
  /** Labels of statuses, actions and fields, by language. */
  texts?: Partial<Record<Language, UiTexts>>;
};
