type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Chooses among the forms that a language has for a number of things. */
export function pluralIn(language: string): (n: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  return (n, forms) => forms[rules.select(n)] ?? forms.other;
}
