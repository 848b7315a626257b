import { useI18n } from "../texts/i18n.tsx";

/** The keyboard shortcuts and what they do. */
export function ShortcutList() {
  const { t } = useI18n();
  const shortcuts: [readonly string[], string][] = [
    [["Ctrl K"], t.settings.keys.palette],
    [["?"], t.settings.keys.help],
    [["G", "O / T / E / M / S"], t.settings.keys.go],
    [["/"], t.settings.keys.search],
    [["← ↑ ↓ →"], t.settings.keys.arrows],
    [["Enter"], t.settings.keys.open],
    [["M"], t.settings.keys.move],
    [["J / K"], t.settings.keys.neighbours],
    [["Esc"], t.settings.keys.escape],
  ];
  return (
    <dl className="definition">
      {shortcuts.map(([pressed, meaning]) => (
        <div key={meaning} className="pair">
          <dt className="row">
            {pressed.map((key) => (
              <kbd key={key} className="kbd">
                {key}
              </kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
