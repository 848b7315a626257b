/** Texts of a screen in every language, loaded with the screen. */
export type LocalizedTexts<Texts> = Readonly<Record<"en" | "ru", Texts>>;
