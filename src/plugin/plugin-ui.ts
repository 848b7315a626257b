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

/** A list of the plugin from which people choose the value of a field. */
type FieldList = {
  /** Path of a GET route; `{task}` inserts the id of the task that the form is about. */
  from: string;
  /** Property of the reply that holds the list. */
  list: string;
  /** Property of an entry that is the value of the field. */
  value: string;
  /** Properties of an entry that make its label. */
  label: readonly string[];
  /** Query parameter that the route searches by; without it, the form searches the entries that it has loaded. */
  search?: string;
  /** Query parameter that takes the form's project. */
  project?: string;
  /** Offers only entries with these properties: `{ kind: "file" }`. */
  only?: Names;
  /** True if values that are not listed may be entered. */
  open?: boolean;
  /** Other fields that are filled in from the chosen entry: properties of the entry by field. */
  fills?: Names;
};

/** How forms ask for a field. By default the console derives it from the field's schema and name. */
type FieldUi = {
  /** Chooses a member, a task, a project, or an entry of a list of the plugin. */
  pick?: "member" | "task" | "project" | FieldList;
  /** Shown only if the server refuses its value: it is generated, filled in by another field, or not meant for people. */
  hidden?: boolean;
  /** Filled with a new UUID for each form. */
  generate?: "uuid";
  /** When a task is created, required unless this field is filled in. */
  required_unless?: string;
  /** Required if another field has a value: `{ reason: "other" }`. */
  required_when?: Names;
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
  /** How forms ask for fields, by the name of the field. */
  fields?: Readonly<Record<string, FieldUi>>;
};
