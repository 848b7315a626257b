/** What a lifecycle's own screens say, in every language; loaded with them, and not before. */
export type LocalizedTexts<Texts> = Readonly<Record<"en" | "ru", Texts>>;
