type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Returns a function that picks the plural form for a number. */
export function pluralIn(language: string): (n: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  return (n, forms) => forms[rules.select(n)] ?? forms.other;
}
